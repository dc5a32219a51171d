"""Deterministic simulation of payments, bookings and mail under faults: docs/simulation.md."""
