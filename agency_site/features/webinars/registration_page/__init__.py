"""The private page of a registration."""
