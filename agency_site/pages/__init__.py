"""Pages that only show content."""
