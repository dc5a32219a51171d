"""Teaching: who is enrolled in which course."""
