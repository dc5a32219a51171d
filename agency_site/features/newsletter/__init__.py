"""The newsletter: subscribers and issues."""
