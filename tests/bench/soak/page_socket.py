"""The socket of one open page through the proxy: WebSocket over TLS, spoken by hand as in `tests.bench.crowd`."""

import asyncio
import json
import ssl
import struct
import uuid
from dataclasses import dataclass
from urllib.parse import urlsplit

from tests.bench.crowd import NAMESPACE, text_frame

PATIENCE_SECONDS = 15.0
BOOT = "reflex___state____state.hydrate"


def _trusting() -> ssl.SSLContext:
    """The certificate is the proxy's own; what it proves is not asked here."""
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    return context


_TRUSTING = _trusting()


class SocketLost(Exception):
    """The connection ended or was refused; a page connects again."""


@dataclass
class PageSocket:
    """One page of one tab. The state of a tab outlives its connection, so `connect` may be called again."""

    site: str
    path: str
    cookie: str = ""

    def __post_init__(self) -> None:
        self.token = str(uuid.uuid4())
        self._reader: asyncio.StreamReader | None = None
        self._writer: asyncio.StreamWriter | None = None

    async def connect(self) -> None:
        """Open the socket and let the page hydrate. Raises SocketLost."""
        try:
            async with asyncio.timeout(PATIENCE_SECONDS):
                await self._open()
        except (OSError, asyncio.IncompleteReadError, TimeoutError) as error:
            raise SocketLost(repr(error)) from error

    async def _open(self) -> None:
        target = urlsplit(self.site)
        secure = _TRUSTING if target.scheme == "https" else None
        self._reader, self._writer = await asyncio.open_connection("localhost", target.port, ssl=secure)
        cookie = f"Cookie: {self.cookie}\r\n" if self.cookie else ""
        self._writer.write(
            f"GET /_event/?EIO=4&transport=websocket&token={self.token} HTTP/1.1\r\nHost: {target.netloc}\r\n"
            f"Origin: {self.site}\r\n{cookie}"
            "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n".encode()
        )
        head = await self._reader.readuntil(b"\r\n\r\n")
        if not head.startswith(b"HTTP/1.1 101"):
            raise SocketLost(head.partition(b"\r\n")[0].decode())
        self._writer.write(text_frame(f"40{NAMESPACE},{json.dumps({'event': self._packet(BOOT)})}"))
        await self._receive(f"40{NAMESPACE}")

    def _packet(self, name: str) -> dict[str, object]:
        where = {"pathname": self.path.partition("?")[0], "asPath": self.path}
        return {"name": name, "payload": {}, "router_data": where}

    async def call(self, handler: str, answer: str) -> None:
        """Send an event; returns with the update that contains `answer`. Raises SocketLost, and TimeoutError without one."""
        assert self._writer
        self._writer.write(
            text_frame(f'42{NAMESPACE},["event",{json.dumps(self._packet(handler))}]'),
        )
        try:
            async with asyncio.timeout(PATIENCE_SECONDS):
                while answer not in await self._receive(f'42{NAMESPACE},["event"'):
                    pass
        except (OSError, asyncio.IncompleteReadError) as error:
            if isinstance(error, TimeoutError):
                raise
            raise SocketLost(repr(error)) from error

    async def _receive(self, start: str) -> str:
        while True:
            message = await self._message()
            if message == "2" and self._writer:
                self._writer.write(text_frame("3"))
            if message.startswith(start):
                return message

    async def _message(self) -> str:
        assert self._reader
        first, size = await self._reader.readexactly(2)
        if size >= 126:
            size = struct.unpack(
                ">H" if size == 126 else ">Q", await self._reader.readexactly(2 if size == 126 else 8)
            )[0]
        body = await self._reader.readexactly(size)
        if first & 15 == 8:
            raise ConnectionResetError(body)
        return body.decode()

    async def close(self) -> None:
        """Close the socket like a closed tab."""
        if self._writer:
            self._writer.close()
