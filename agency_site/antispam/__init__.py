"""Protection of public forms and of the API: rate limits, honeypot, stamps. Knows no feature and no page."""
