"""Consultations: slots, bookings, business hours."""
