"""WebSocket clients for tests."""

from simple_websocket import Client, ConnectionClosed
from wsproto.utilities import LocalProtocolError


class Socket(Client):  # type: ignore[misc]  # the library has no types
    """A client that always reports a socket closed by the server.

    The library looks whether the socket is open, then writes; between the two its own thread may close it.
    """

    def send(self, data: str | bytes) -> None:
        """Send a message; ConnectionClosed if the server has closed the socket."""
        try:
            super().send(data)
        except (OSError, LocalProtocolError) as error:
            raise ConnectionClosed(self.close_reason, self.close_message) from error

    def close(self, reason: int | None = None, message: str | None = None) -> None:
        """Close the socket; ConnectionClosed if the server was faster."""
        try:
            super().close(reason, message)
        except (OSError, LocalProtocolError) as error:
            raise ConnectionClosed(self.close_reason, self.close_message) from error
