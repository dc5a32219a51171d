"""Route record, page shell, header, footer, head tags, error pages."""
