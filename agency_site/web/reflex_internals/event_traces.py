"""A trace for each event: Reflex has no middleware around handlers."""

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from typing import Any

import reflex as rx

from agency_site.tracing import record_error, trace_of
from agency_site.web.reflex_internals.event_queue import short_handler_name


@asynccontextmanager
async def trace_events(app: rx.App, attributes: Callable[[], Mapping[str, str]]) -> AsyncIterator[None]:
    """Trace each event during the block with its `attributes`. Only registered handlers are called, so names are limited."""
    processor: Any = app.event_processor
    execute = processor._execute_event

    async def execute_traced(*, entry: Any, registered_handler: Any) -> None:
        with trace_of(f"event {short_handler_name(str(entry.event.name))}") as trace:
            if trace is None:
                await execute(entry=entry, registered_handler=registered_handler)
                return
            trace.set_attributes(attributes())
            try:
                await execute(entry=entry, registered_handler=registered_handler)
            except Exception as error:
                record_error(error)
                raise

    processor._execute_event = execute_traced
    yield
