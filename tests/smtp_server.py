"""A scripted SMTP server: stores messages, and rejects commands or drops the connection as configured."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from email import message_from_bytes, policy
from email.message import EmailMessage


@dataclass
class Received:
    """One accepted message."""

    sender: str
    recipients: list[str]
    raw: bytes

    @property
    def message(self) -> EmailMessage:
        """The message, parsed strictly: a malformed one raises."""
        return message_from_bytes(self.raw, policy=policy.SMTP.clone(raise_on_defect=True))


@dataclass
class SmtpServer:
    """`responses` replaces the response to a command, as `{"RCPT": "550 no such user"}`; "drop" closes the connection.

    "GREETING" is the greeting, "END" the end of the data.
    """

    port: int = 0
    responses: dict[str, str] = field(default_factory=dict)
    received: list[Received] = field(default_factory=list)
    before_end: asyncio.Event | None = None
    """If set, the server accepts a message after this event; `waiting` is set when a message has been received."""
    waiting: asyncio.Event = field(default_factory=asyncio.Event)

    async def serve_connection(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            await self._run_session(reader, writer)
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()

    async def _run_session(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        sender, recipients = "", list[str]()
        verb = "GREETING"
        while True:
            defaults = {
                "GREETING": "220 test",
                "EHLO": "250-test\r\n250-8BITMIME\r\n250 SMTPUTF8",
                "DATA": "354 go on",
                "QUIT": "221 bye",
            }
            response = self.responses.get(verb, defaults.get(verb, "250 ok"))
            if response == "drop":
                return
            writer.write(f"{response}\r\n".encode())
            await writer.drain()
            if verb == "QUIT":
                return
            if response.startswith("354"):
                raw = await reader.readuntil(b"\r\n.\r\n")
                verb = await self._accept(Received(sender, recipients, raw[:-3].replace(b"\r\n..", b"\r\n.")))
                continue
            line = (await reader.readuntil(b"\r\n")).decode().strip()
            verb, argument = line[:4].upper(), line[4:]
            address = argument.partition("<")[2].partition(">")[0]
            if verb == "MAIL":
                sender, recipients = address, []
            if verb == "RCPT":
                recipients.append(address)

    async def _accept(self, received: Received) -> str:
        if self.before_end is not None:
            self.waiting.set()
            await self.before_end.wait()
        if self.responses.get("END", "250").startswith("2"):
            self.received.append(received)
        return "END"


@asynccontextmanager
async def smtp_server() -> AsyncIterator[SmtpServer]:
    """A server on a free port of the loopback address."""
    server = SmtpServer()
    listener = await asyncio.start_server(server.serve_connection, "127.0.0.1", 0)
    server.port = listener.sockets[0].getsockname()[1]
    async with listener:
        yield server
