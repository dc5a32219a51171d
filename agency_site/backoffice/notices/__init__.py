"""The screen on which owners choose the channels of notices."""
