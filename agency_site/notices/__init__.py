"""Notices to customers: each kind goes out by mail, by text message or by both, as owners choose."""
