"""Protection of public forms and of the API: rate limits, proof of work, honeypot. Knows no feature and no page."""
