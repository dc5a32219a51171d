"""Back-office screens of entries and pictures."""
