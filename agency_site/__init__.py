"""Website, bookings and paid academy of a digital agency in Nairobi."""
