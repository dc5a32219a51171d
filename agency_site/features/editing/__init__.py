"""What staff publish: entries on top of the delivered content, and pictures."""
