"""A TCP relay between two processes, which loses, cuts and delays what goes through it."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from enum import StrEnum


class Mode(StrEnum):
    """The fate of a connection."""

    WHOLE = "whole"
    REFUSED = "refused"
    REQUESTS_LOST = "requests lost"
    """Data is read and dropped: the sender waits until its own timeout."""
    ANSWERS_LOST = "answers lost"
    """The request is acted upon, and then the connection is cut."""
    SLOW = "slow"


@dataclass
class Relay:
    """Passes on what comes to `port`; `targets` take turns."""

    targets: list[int]
    port: int = 0
    mode: Mode = Mode.WHOLE
    seconds: float = 2.0
    """How long a slow one waits before the request goes on."""
    _turn: int = 0

    @asynccontextmanager
    async def listening(self) -> AsyncIterator["Relay"]:
        """Listens on a free port of the loopback address until the block ends."""
        server = await asyncio.start_server(self._accept, "127.0.0.1", 0)
        self.port = server.sockets[0].getsockname()[1]
        try:
            yield self
        finally:
            server.close()

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        mode = self.mode
        # Cancelled when the campaign ends; asyncio would report that of a connection.
        with suppress(OSError, asyncio.CancelledError):
            if mode is Mode.REQUESTS_LOST:
                await reader.read()
            elif mode is not Mode.REFUSED:
                await self._pass_on(mode, reader, writer)
        writer.close()

    async def _pass_on(self, mode: Mode, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._turn += 1
        there, back = await asyncio.open_connection("127.0.0.1", self.targets[self._turn % len(self.targets)])
        try:
            if mode is Mode.SLOW:
                await asyncio.sleep(self.seconds)
            requests = asyncio.create_task(_copy(reader, back))
            if mode is Mode.ANSWERS_LOST:
                await there.read(1)
            else:
                await _copy(there, writer)
            requests.cancel()
        finally:
            back.close()


async def _copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with suppress(OSError):
        while part := await reader.read(65536):
            writer.write(part)
            await writer.drain()
        writer.write_eof()
