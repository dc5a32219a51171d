"""The private page on which a buyer names learners."""
