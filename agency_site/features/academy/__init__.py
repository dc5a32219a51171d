"""Teaching: course runs with their sessions, and who is enrolled."""
