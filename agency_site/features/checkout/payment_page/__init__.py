"""The payment page."""
