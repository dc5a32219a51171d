"""Safaricom's Daraja API (M-Pesa Express): client, wire models, errors, simulator. No tables, no Reflex."""
