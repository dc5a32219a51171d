"""A collector of traces: receives OTLP over HTTP in a thread of its own."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
    ExportTraceServiceRequest,
    ExportTraceServiceResponse,
)
from opentelemetry.proto.common.v1.common_pb2 import KeyValue


@dataclass(frozen=True)
class ReceivedSpan:
    """One span as a collector reads it."""

    name: str
    trace: bytes
    id: bytes
    parent: bytes
    kind: int
    failed: bool
    attributes: dict[str, str | int]
    events: list[tuple[str, dict[str, str | int]]]


@dataclass
class Collector:
    """The exported data."""

    url: str = ""
    bodies: list[bytes] = field(default_factory=list)
    paths: set[str] = field(default_factory=set)

    def spans(self) -> list[ReceivedSpan]:
        """All spans that have arrived, in the order of their ends."""
        requests = [ExportTraceServiceRequest.FromString(body) for body in self.bodies]
        return [
            _read_span(span)
            for request in requests
            for resource in request.resource_spans
            for scope in resource.scope_spans
            for span in scope.spans
        ]

    def span(self, name: str) -> ReceivedSpan:
        """The only span of that name."""
        [result] = [span for span in self.spans() if span.name == name]
        return result

    def text(self) -> str:
        """Return all received data, to search it for secrets."""
        return b"".join(self.bodies).decode(errors="replace")


def _read_span(span: Any) -> ReceivedSpan:
    return ReceivedSpan(
        name=span.name,
        trace=span.trace_id,
        id=span.span_id,
        parent=span.parent_span_id,
        kind=span.kind,
        failed=span.status.code == span.status.STATUS_CODE_ERROR,
        attributes=_read_attributes(span.attributes),
        events=[(event.name, _read_attributes(event.attributes)) for event in span.events],
    )


def _read_attributes(pairs: list[KeyValue]) -> dict[str, str | int]:
    return {pair.key: pair.value.string_value or pair.value.int_value for pair in pairs}


@contextmanager
def collector() -> Iterator[Collector]:
    """A collector on a free port of the loopback address."""
    fake_collector = Collector()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            if self.headers.get("Content-Encoding") is None:
                fake_collector.bodies.append(body)
            fake_collector.paths.add(self.path)
            self.send_response(200)
            self.send_header("Content-Type", "application/x-protobuf")
            self.end_headers()
            self.wfile.write(ExportTraceServiceResponse().SerializeToString())

        def log_message(self, format: str, *arguments: object) -> None:  # noqa: A002 - the library's name
            """Write no line for each request."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        fake_collector.url = f"http://127.0.0.1:{server.server_address[1]}"
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield fake_collector
        finally:
            server.shutdown()
            thread.join()
