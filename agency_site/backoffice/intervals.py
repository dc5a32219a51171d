"""How often an open screen looks for what others did, in this process or in another."""

LOOK_MS = 1500
"""Pause between two looks: news shows, and a session that was ended elsewhere ends here, within two seconds."""
COUNT_MS = 5000
"""The same for figures over many rows: the dashboard, the counts of courses, the ledger."""
