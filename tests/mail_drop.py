"""A mailbox of a real SMTP server: `python -m aiosmtpd -c tests.mail_drop.Drop FOLDER` keeps what it takes in files.

`tests/localhost.pem` is a certificate for this machine that nobody else uses, with its key.
"""

import json
import os
import subprocess
import sys
from argparse import ArgumentParser
from base64 import b64decode, b64encode
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from agency_site.settings import ROOT
from tests.servers import end, free_port, wait_for_port
from tests.smtp_server import Received

CERTIFICATE = ROOT / "tests" / "localhost.pem"


class Drop:
    """The server's handler: one file a message."""

    def __init__(self, folder: str) -> None:
        self._folder = Path(folder)

    @classmethod
    def from_cli(cls, _parser: ArgumentParser, folder: str) -> "Drop":
        """As `aiosmtpd` makes its handlers."""
        return cls(folder)

    async def handle_DATA(self, _server: Any, session: Any, envelope: Any) -> str:
        """Keep the message; whoever reads the folder finds it whole or not at all."""
        kept = {
            "sender": envelope.mail_from,
            "recipients": envelope.rcpt_tos,
            "raw": b64encode(envelope.original_content).decode(),
            "encrypted": session.ssl is not None,
        }
        name = f"{len(os.listdir(self._folder)):06}"
        part = self._folder / f".{name}"
        part.write_text(json.dumps(kept))
        part.rename(self._folder / name)
        return "250 kept"


@dataclass(frozen=True)
class MailServer:
    """A running server that speaks to nobody without TLS."""

    port: int
    folder: Path

    def received(self) -> list[Received]:
        """What it took, oldest first."""
        kept = [json.loads(path.read_text()) for path in sorted(self.folder.iterdir())]
        assert all(one["encrypted"] for one in kept)
        return [Received(one["sender"], one["recipients"], b64decode(one["raw"])) for one in kept]


@contextmanager
def mail_server(folder: Path) -> Iterator[MailServer]:
    """A server process of its own, which keeps its messages in the empty `folder`."""
    port, pem = free_port(), str(CERTIFICATE)
    process = subprocess.Popen(
        [
            sys.executable, "-m", "aiosmtpd", "-n", "-u", "-l", f"localhost:{port}", "--tlscert", pem, "--tlskey", pem,
            "-c", "tests.mail_drop.Drop", str(folder),
        ],
        cwd=ROOT,
    )  # fmt: skip
    try:
        wait_for_port(port, process)
        yield MailServer(port, folder)
    finally:
        end(process)
