"""The private page of a learner."""
