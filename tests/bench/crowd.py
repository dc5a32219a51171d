"""`python -m tests.bench.crowd PORT SOCKETS RATE SECONDS`: many open home pages, in a process of their own.

Each holds one WebSocket, and their carousels tick in turn, RATE times a second altogether. An event's time runs from
the moment it was due, whether or not this process was late, until its answer has been read. Prints them as JSON.
WebSocket is spoken by hand: a library would take more of the processors than the server that is measured.
"""

import asyncio
import json
import resource
import struct
import sys
import time
import uuid
from contextlib import suppress

from agency_site.site.home.hero import Hero

NAMESPACE = "/_event"
AT_ONCE = 50
"""Sockets that open at the same moment."""
PATIENCE_SECONDS = 30
_BOOT = "reflex___state____state.hydrate"
_WHERE = {"pathname": "/", "asPath": "/"}


def text_frame(text: str) -> bytes:
    """A masked text frame (RFC 6455, section 5.2); the mask of zeros leaves the words as they are."""
    body = text.encode()
    size = bytes([0x80 | len(body)]) if len(body) < 126 else b"\xfe" + struct.pack(">H", len(body))
    return b"\x81" + size + bytes(4) + body


def packet(name: str) -> dict[str, object]:
    """An event as a page sends it."""
    return {"name": name, "payload": {}, "router_data": _WHERE}


TICK = text_frame(f'42{NAMESPACE},["event",{json.dumps(packet(f"{Hero.get_full_name()}.advance"))}]')
HELLO = text_frame(f"40{NAMESPACE},{json.dumps({'event': packet(_BOOT)})}")


class Visitor:
    """One open page."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer
        self._due: list[float] = []
        self.answered = asyncio.Event()
        self.taken: list[float] = []
        """Seconds of each answered event."""

    @classmethod
    async def open(cls, port: int) -> "Visitor":
        """Connect, and wait until the page's first state has come."""
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(
            f"GET /_event/?EIO=4&transport=websocket&token={uuid.uuid4()} HTTP/1.1\r\nHost: localhost:{port}\r\n"
            f"Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
            f"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n".encode()
        )
        head = await reader.readuntil(b"\r\n\r\n")
        if not head.startswith(b"HTTP/1.1 101"):
            raise ConnectionRefusedError(head.decode())
        visitor = cls(reader, writer)
        writer.write(HELLO)
        await visitor._receive(f"40{NAMESPACE}")
        return visitor

    async def _receive(self, start: str) -> str:
        while True:
            message = await self._message()
            if message == "2":
                self._writer.write(text_frame("3"))
            if message.startswith(start):
                return message

    async def _message(self) -> str:
        first, second = await self._reader.readexactly(2)
        size = second
        if size >= 126:
            wide = await self._reader.readexactly(2 if size == 126 else 8)
            size = int.from_bytes(wide)
        body = await self._reader.readexactly(size)
        if first & 15 == 8:
            raise ConnectionResetError(body)
        return body.decode()

    def tick(self, due: float) -> None:
        """Let the carousel tick."""
        self._due.append(due)
        self.answered.clear()
        self._writer.write(TICK)

    async def listen(self) -> None:
        """Record the time of answers until cancelled."""
        while True:
            message = await self._receive(f'42{NAMESPACE},["event"')
            # The site answers with the slide, the bare server with the event's name.
            if self._due and Hero.get_name() in message:
                self.taken.append(time.perf_counter() - self._due.pop(0))
                if not self._due:
                    self.answered.set()


async def open_visitors(port: int, sockets: int) -> list[Visitor]:
    """Open all pages."""
    room = asyncio.Semaphore(AT_ONCE)

    async def open_visitor() -> Visitor:
        async with room:
            return await Visitor.open(port)

    return await asyncio.gather(*(open_visitor() for _ in range(sockets)))


async def tick_in_turn(visitors: list[Visitor], rate: float, seconds: float) -> int:
    """Send all events at their moments; return their number."""
    started_at, number = time.perf_counter(), 0
    while number < rate * seconds:
        due = started_at + number / rate
        await asyncio.sleep(max(0.0, due - time.perf_counter()))
        visitors[number % len(visitors)].tick(due)
        number += 1
    return number


async def main(port: int, sockets: int, rate: float, seconds: float) -> None:
    """Open the pages, let them tick, print the times."""
    resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)
    visitors = await open_visitors(port, sockets)
    listening = [asyncio.create_task(visitor.listen()) for visitor in visitors]
    # One round of ticks first, to finish work that opening the pages has left.
    await tick_in_turn(visitors, rate, sockets / rate)
    await all_answered(visitors)
    for visitor in visitors:
        visitor.taken.clear()
    message_count = await tick_in_turn(visitors, rate, seconds)
    await all_answered(visitors)
    durations = [item for visitor in visitors for item in visitor.taken]
    for task in listening:
        task.cancel()
    print(json.dumps({"sent": message_count, "taken": durations}))


async def all_answered(visitors: list[Visitor]) -> None:
    """Wait until every event has its answer, or patience ends."""
    with suppress(TimeoutError):
        await asyncio.wait_for(
            asyncio.gather(*(visitor.answered.wait() for visitor in visitors)), PATIENCE_SECONDS
        )


if __name__ == "__main__":
    port, sockets, rate, seconds = sys.argv[1:]
    asyncio.run(main(int(port), int(sockets), float(rate), float(seconds)))
