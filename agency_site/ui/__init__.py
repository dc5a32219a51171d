"""Design tokens, icons, pattern art and dumb elements: no content, no tables."""
