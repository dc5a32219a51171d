"""The checkout, on real databases and against the simulator."""
