"""A small SMTP server for tests: keeps what it takes, and refuses or hangs up where it is told to."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from email import message_from_bytes, policy
from email.message import EmailMessage


@dataclass
class Received:
    """One message as it came over the wire."""

    sender: str
    recipients: list[str]
    raw: bytes

    @property
    def message(self) -> EmailMessage:
        """The message, parsed strictly: a malformed one raises."""
        return message_from_bytes(self.raw, policy=policy.SMTP.clone(raise_on_defect=True))


@dataclass
class SmtpServer:
    """`answers` replaces the answer to a verb: `{"RCPT": "550 no such user"}`; "drop" hangs up instead.

    The verb of the message's end is "END", that of the greeting "GREETING".
    """

    port: int = 0
    answers: dict[str, str] = field(default_factory=dict)
    received: list[Received] = field(default_factory=list)
    before_end: asyncio.Event | None = None
    """When set, a message is taken only once this event is; `waiting` tells that one has come."""
    waiting: asyncio.Event = field(default_factory=asyncio.Event)

    async def talk(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Serve one connection until it ends."""
        try:
            await self._converse(reader, writer)
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()

    async def _converse(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        sender, recipients = "", list[str]()
        verb = "GREETING"
        while True:
            usual = {
                "GREETING": "220 test",
                "EHLO": "250-test\r\n250-8BITMIME\r\n250 SMTPUTF8",
                "DATA": "354 go on",
                "QUIT": "221 bye",
            }
            answer = self.answers.get(verb, usual.get(verb, "250 ok"))
            if answer == "drop":
                return
            writer.write(f"{answer}\r\n".encode())
            await writer.drain()
            if verb == "QUIT":
                return
            if answer.startswith("354"):
                raw = await reader.readuntil(b"\r\n.\r\n")
                verb = await self._end(Received(sender, recipients, raw[:-3].replace(b"\r\n..", b"\r\n.")))
                continue
            line = (await reader.readuntil(b"\r\n")).decode().strip()
            verb, argument = line[:4].upper(), line[4:]
            address = argument.partition("<")[2].partition(">")[0]
            if verb == "MAIL":
                sender, recipients = address, []
            if verb == "RCPT":
                recipients.append(address)

    async def _end(self, received: Received) -> str:
        if self.before_end is not None:
            self.waiting.set()
            await self.before_end.wait()
        if self.answers.get("END", "250").startswith("2"):
            self.received.append(received)
        return "END"


@asynccontextmanager
async def smtp_server() -> AsyncIterator[SmtpServer]:
    """A server on a free port of the loopback address."""
    made = SmtpServer()
    listener = await asyncio.start_server(made.talk, "127.0.0.1", 0)
    made.port = listener.sockets[0].getsockname()[1]
    async with listener:
        yield made
