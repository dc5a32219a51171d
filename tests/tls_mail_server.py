"""An SMTP server with TLS in its own process (`aiosmtpd`); it stores every message as a file.

`tests/localhost.pem` is a self-signed certificate for localhost with its key.
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


class FileHandler:
    """Stores each message as a file."""

    def __init__(self, folder: str) -> None:
        self._folder = Path(folder)

    @classmethod
    def from_cli(cls, _parser: ArgumentParser, folder: str) -> "FileHandler":
        return cls(folder)

    async def handle_DATA(self, _server: Any, session: Any, envelope: Any) -> str:
        content = {
            "sender": envelope.mail_from,
            "recipients": envelope.rcpt_tos,
            "raw": b64encode(envelope.original_content).decode(),
            "encrypted": session.ssl is not None,
        }
        name = f"{len(os.listdir(self._folder)):06}"
        part = self._folder / f".{name}"
        # Renamed when complete, so that readers never see a part of a file.
        part.write_text(json.dumps(content))
        part.rename(self._folder / name)
        return "250 stored"


@dataclass(frozen=True)
class MailServer:
    """A running server."""

    port: int
    folder: Path

    def received(self) -> list[Received]:
        """All messages, oldest first. Fails if one was sent without TLS."""
        messages = [json.loads(path.read_text()) for path in sorted(self.folder.iterdir())]
        assert all(message["encrypted"] for message in messages)
        return [
            Received(message["sender"], message["recipients"], b64decode(message["raw"]))
            for message in messages
        ]


@contextmanager
def mail_server(folder: Path) -> Iterator[MailServer]:
    """A server process that stores its messages in the empty `folder`."""
    port, pem = free_port(), str(CERTIFICATE)
    process = subprocess.Popen(
        [
            sys.executable, "-m", "aiosmtpd", "-n", "-u", "-l", f"localhost:{port}", "--tlscert", pem, "--tlskey", pem,
            "-c", "tests.tls_mail_server.FileHandler", str(folder),
        ],
        cwd=ROOT,
    )  # fmt: skip
    try:
        wait_for_port(port, process)
        yield MailServer(port, folder)
    finally:
        end(process)
