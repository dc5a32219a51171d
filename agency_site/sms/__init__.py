"""Text messages: their outbox, the provider (Africa's Talking), its simulator, delivery reports, and short links."""
