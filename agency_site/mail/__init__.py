"""Outgoing mail: an outbox in the database, one template set, SMTP where configured."""
