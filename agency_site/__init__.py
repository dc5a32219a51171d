"""Website, booking desk and paid academy of a digital agency in Nairobi."""
