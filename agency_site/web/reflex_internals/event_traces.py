"""A trace for each event: Reflex calls no middleware that encloses a handler."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import reflex as rx

from agency_site.tracing import record_error, trace_of
from agency_site.web.middleware.request_ids import event_id, request_id
from agency_site.web.reflex_internals.event_queue import shown_handler


@asynccontextmanager
async def trace_events(app: rx.App) -> AsyncIterator[None]:
    """While the block lasts, each event has a trace; only registered handlers come so far, so their names are bounded."""
    processor: Any = app.event_processor
    execute = processor._execute_event

    async def traced(*, entry: Any, registered_handler: Any) -> None:
        with trace_of(f"event {shown_handler(str(entry.event.name))}") as trace:
            if trace is None:
                await execute(entry=entry, registered_handler=registered_handler)
                return
            trace.set_attributes({"request.id": request_id(), "event.id": event_id()})
            try:
                await execute(entry=entry, registered_handler=registered_handler)
            except Exception as error:
                record_error(error)
                raise

    processor._execute_event = traced
    yield
