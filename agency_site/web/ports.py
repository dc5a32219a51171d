"""A check for free ports."""

import socket


def is_free(host: str, port: int) -> bool:
    """Return whether nothing listens on that port of the host."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError:
            return False
    return True
