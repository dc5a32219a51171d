"""Safaricom's Daraja API (M-Pesa Express): client, wire models, errors and a simulator. Knows no tables, no Reflex."""
