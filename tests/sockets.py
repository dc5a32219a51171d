"""WebSocket clients for tests."""

import socket
from contextlib import suppress

from simple_websocket import Client, ConnectionClosed
from simple_websocket.ws import Base
from wsproto.utilities import LocalProtocolError


class Socket(Client):  # type: ignore[misc]  # the library has no types
    """A client that reports every message and every end of a socket.

    The library looks whether the socket is open, then writes; between the two its own thread may close it.
    """

    def handshake(self) -> None:
        """Connect, and read what the server has sent in one packet with its answer: the library would read that with the next."""
        super().handshake()
        self.connected = self._handle_events()

    def send(self, data: str | bytes) -> None:
        """Send a message; ConnectionClosed if the server has closed the socket."""
        try:
            super().send(data)
        except (OSError, LocalProtocolError) as error:
            raise ConnectionClosed(self.close_reason, self.close_message) from error

    def close(self, reason: int | None = None, message: str | None = None) -> None:
        """Close the socket and wait for the thread that reads it; ConnectionClosed if the server was faster.

        The library closes the file under its reading thread, which may then read from the socket that gets its number next.
        """
        try:
            Base.close(self, reason, message)
        except (OSError, LocalProtocolError) as error:
            raise ConnectionClosed(self.close_reason, self.close_message) from error
        finally:
            with suppress(OSError):
                self.sock.shutdown(socket.SHUT_RDWR)
            self.thread.join()
