"""Traces of requests, events and jobs by OpenTelemetry, and their unhandled exceptions; off unless AGENCY_OTLP_ENDPOINT is set.

A trace contains names of our own code only: templates of routes, handlers, statements with placeholders, types of exceptions. It
contains nothing that a visitor sent and no message of an exception, which may quote it. The tracer is not OpenTelemetry's global
one: libraries with traces of their own (Reflex, FastAPI) would export paths and messages through that.
"""

import asyncio
import threading
import traceback
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import AbstractContextManager, asynccontextmanager, contextmanager, nullcontext
from typing import TYPE_CHECKING, Any

from opentelemetry import trace
from opentelemetry.context import Context
from opentelemetry.trace import Span, SpanKind, StatusCode, Tracer
from sqlalchemy import Engine, event

from agency_site.build_stamp import build_version
from agency_site.settings import settings

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import TracerProvider

__all__ = ["Span", "SpanKind", "export_traces", "record_error", "span", "trace_of"]

_EXPORT_SECONDS = 2.0
"""Time limit of an export. The SDK limits the spans that wait meanwhile to 2,048."""
_END_SECONDS = 1.0
"""Time that the end of the process waits for the last export: events and jobs leave that much (`web/serving/shutdown.py`)."""
_LONGEST_STATEMENT = 2000

_tracer: Tracer | None = None
_off: AbstractContextManager[None] = nullcontext()


def span(
    name: str, attributes: Mapping[str, str | int] | None = None, kind: SpanKind = SpanKind.INTERNAL
) -> AbstractContextManager[Span | None]:
    """Record the block as a step of the present trace; yields None if there is no trace or traces are off."""
    if _tracer is None or not _has_trace():
        return _off
    return _record(_tracer.start_span(name, None, kind, attributes))


def trace_of(
    name: str, attributes: Mapping[str, str | int] | None = None, kind: SpanKind = SpanKind.INTERNAL
) -> AbstractContextManager[Span | None]:
    """Record the block as a trace of its own, whatever started the present task; yields None if traces are off."""
    if _tracer is None:
        return _off
    return _record(_tracer.start_span(name, Context(), kind, attributes))


def _has_trace() -> bool:
    return trace.get_current_span().get_span_context().is_valid


@contextmanager
def _record(new_span: Span) -> Iterator[Span]:
    with trace.use_span(new_span, end_on_exit=True, record_exception=False, set_status_on_exception=False):
        try:
            yield new_span
        except BaseException as error:
            new_span.set_attribute("error.type", type(error).__qualname__)
            raise


def record_error(error: BaseException) -> None:
    """Report an unhandled exception with the present span: its type and where it was raised, not its message."""
    if _tracer is None:
        return
    present = trace.get_current_span()
    places = "".join(traceback.format_tb(error.__traceback__))
    present.set_status(StatusCode.ERROR)
    present.add_event(
        "exception", {"exception.type": type(error).__qualname__, "exception.stacktrace": places}
    )


@asynccontextmanager
async def export_traces() -> AsyncIterator[None]:
    """Trace during the block if an endpoint is set; at its end wait a moment for the last export."""
    global _tracer
    endpoint = settings().otlp_endpoint
    if not endpoint:
        yield
        return
    provider = _make_provider(endpoint)
    _tracer = provider.get_tracer("agency_site")
    for name, listener in _LISTENERS.items():
        event.listen(Engine, name, listener)
    try:
        yield
    finally:
        _tracer = None
        for name, listener in _LISTENERS.items():
            event.remove(Engine, name, listener)
        # A daemon: a collector that does not answer must not keep the process from ending.
        last = threading.Thread(target=provider.shutdown, daemon=True)
        last.start()
        await asyncio.to_thread(last.join, _END_SECONDS)


def _make_provider(endpoint: str) -> "TracerProvider":
    # Imported only if traces are on: the import takes 70 ms and 10 MB.
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor

    provider = TracerProvider(
        resource=Resource.create({"service.name": "agency-site", "service.version": build_version()}),
        shutdown_on_exit=False,
    )
    exporter = OTLPSpanExporter(endpoint=f"{endpoint}/v1/traces", timeout=_EXPORT_SECONDS)
    provider.add_span_processor(BatchSpanProcessor(exporter))
    return provider


def _begin_statement(
    connection: Any, _cursor: object, statement: str, _parameters: object, context: Any, _many: object
) -> None:
    if _tracer is None or context is None or not _has_trace():
        return
    context.traced_statement = _tracer.start_span(
        f"sql {statement.split(None, 1)[0][:20].upper()}",
        kind=SpanKind.CLIENT,
        attributes={
            "db.system.name": connection.dialect.name,
            "db.query.text": statement[:_LONGEST_STATEMENT],
        },
    )


def _end_statement(
    _connection: object,
    _cursor: object,
    _statement: str,
    _parameters: object,
    context: Any,
    _many: object,
) -> None:
    if statement_span := _take_span(context):
        statement_span.end()


def _end_failed_statement(failure: Any) -> None:
    # Also called for errors without a statement, and for errors while rows are read, after the statement ended.
    if statement_span := _take_span(failure.execution_context):
        statement_span.set_attribute("error.type", type(failure.original_exception).__qualname__)
        statement_span.end()


def _take_span(context: Any) -> Span | None:
    statement_span: Span | None = getattr(context, "traced_statement", None)
    if statement_span is not None:
        del context.traced_statement
    return statement_span


_LISTENERS: Mapping[str, Any] = {
    "before_cursor_execute": _begin_statement,
    "after_cursor_execute": _end_statement,
    "handle_error": _end_failed_statement,
}
