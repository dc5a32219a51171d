"""The private page of a booking."""
