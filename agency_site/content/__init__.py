"""What the site says: frozen, typed records."""
