"""What visitors write to us: contact messages and sign-ups for hosting plans."""
