"""The back office: its shell, access control, lists, detail pages, and the screens of accounts, audit log and outbox."""
