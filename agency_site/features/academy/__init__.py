"""Teaching: course runs with their sessions, enrolments, learners, waiting lists and certificates."""
