"""The private order page."""
