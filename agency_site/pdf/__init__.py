"""Documents in PDF, drawn in pure Python; the same facts give the same bytes."""
