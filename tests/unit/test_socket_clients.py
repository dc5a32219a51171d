"""The WebSocket client of tests loses nothing between handshake and end."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from simple_websocket import ConnectionClosed
from wsproto import ConnectionType, WSConnection
from wsproto.events import AcceptConnection, TextMessage

from tests.sockets import Socket


def answer_with_a_message(listener: socket.socket) -> None:
    """Send the answer to the handshake and a first message in one packet; then read until the client has ended."""
    connection, _ = listener.accept()
    with connection:
        server = WSConnection(ConnectionType.SERVER)
        server.receive_data(connection.recv(4096))
        assert list(server.events())
        connection.sendall(server.send(AcceptConnection()) + server.send(TextMessage("first")))
        while connection.recv(4096):
            pass


@contextmanager
def connected() -> Iterator[Socket]:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        server = threading.Thread(target=answer_with_a_message, args=(listener,))
        server.start()
        client = Socket.connect(f"ws://127.0.0.1:{listener.getsockname()[1]}/")
        try:
            yield client
        finally:
            with suppress(ConnectionClosed):
                client.close()
            server.join()


def test_a_message_that_comes_with_the_handshake_is_received() -> None:
    with connected() as client:
        assert client.receive(timeout=5) == "first"


def test_nothing_reads_from_a_closed_socket() -> None:
    with connected() as client:
        client.close()
        assert client.thread not in threading.enumerate()
        assert client.sock.fileno() == -1
