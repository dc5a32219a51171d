"""Entries: drafts, publishing, scheduling, history."""
