"""PDF documents, drawn in pure Python; equal facts give equal bytes."""
