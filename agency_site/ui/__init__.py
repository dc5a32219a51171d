"""Design tokens, icons, pattern art and presentational elements: no content, no tables."""
