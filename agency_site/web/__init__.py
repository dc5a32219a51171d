"""The HTTP edge: API assembly, pages and files, limits, background work, build and start."""
