"""The hosting plans that one can sign up for: path and name (specification, section 9)."""

PLANS: tuple[tuple[str, str], ...] = (("starter", "Starter"), ("growth", "Growth"), ("pro", "Pro"))
"""Slug, as in `/signup/growth`, and name, as the form and its answer write it."""

DEFAULT_PLAN = "Starter"
"""Chosen when the address names no plan that we know (readings, 4)."""
