"""A server of calendars on this machine, over HTTP or HTTPS, with scripted responses."""

import gzip
import ssl
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from agency_site.settings import ROOT

CERTIFICATE = ROOT / "tests" / "localhost.pem"
"""A self-signed certificate for localhost with its key."""


@dataclass
class Reply:
    """One response."""

    content: bytes = b""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    waits: threading.Event | None = None
    """The content follows when this is set."""


@dataclass
class CalendarServer:
    """A running server: its replies by path, and the requests that it has received."""

    origin: str
    replies: dict[str, Reply | Callable[[Mapping[str, str]], Reply]] = field(default_factory=dict)
    requests: list[tuple[str, Mapping[str, str]]] = field(default_factory=list)

    def serve(self, path: str, calendar: str) -> str:
        """Serve a calendar with an ETag, and 304 while it has not changed; return its address."""
        content = gzip.compress(calendar.replace("\n", "\r\n").encode(), mtime=0)
        etag = f'"{sha256(content).hexdigest()[:16]}"'

        def reply(headers: Mapping[str, str]) -> Reply:
            if headers.get("if-none-match") == etag:
                return Reply(status=304, headers={"ETag": etag})
            headers = {
                "ETag": etag,
                "Content-Type": "text/calendar; charset=utf-8",
                "Content-Encoding": "gzip",
            }
            return Reply(content, headers=headers)

        self.replies[path] = reply
        return self.origin + path

    def reply_to(self, path: str, headers: Mapping[str, str]) -> Reply:
        self.requests.append((path, headers))
        reply = self.replies.get(path, Reply(status=404))
        return reply(headers) if callable(reply) else reply


@contextmanager
def calendar_server(*, tls: bool = False) -> Iterator[CalendarServer]:
    """A server that runs during the block."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            reply = server.reply_to(self.path, {name.lower(): value for name, value in self.headers.items()})
            self.send_response(reply.status)
            for name, value in reply.headers.items():
                self.send_header(name, value)
            self.end_headers()
            if reply.waits:
                reply.waits.wait(30)
            self.wfile.write(reply.content)

        def log_message(self, *_arguments: Any) -> None:
            """Print nothing."""

    class Listener(ThreadingHTTPServer):
        daemon_threads = True

        def handle_error(self, *_arguments: Any) -> None:
            """Print nothing when a client leaves early."""

    with Listener(("127.0.0.1", 0), Handler) as listener:
        if tls:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(CERTIFICATE)
            listener.socket = context.wrap_socket(listener.socket, server_side=True)
        server = CalendarServer(f"http{'s' if tls else ''}://localhost:{listener.server_port}")
        thread = threading.Thread(target=listener.serve_forever, args=(0.02,), daemon=True)
        thread.start()
        try:
            yield server
        finally:
            listener.shutdown()
            thread.join()
