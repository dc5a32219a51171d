"""The content of the site: frozen, typed records."""
