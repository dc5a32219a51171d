"""Against abuse: limits, proofs of work and traps, for whoever takes something in. Knows no slice and no page."""
