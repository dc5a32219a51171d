"""Consultations: slots, bookings, the private page to move or cancel one."""
