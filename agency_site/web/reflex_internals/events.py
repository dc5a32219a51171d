"""The event that is being handled, and error reports of browsers.

Imported by lower layers than `web/`, so it imports nothing of ours (docs/architecture.md).
"""

from collections.abc import Mapping
from dataclasses import dataclass

import reflex as rx
from reflex.event import EventSpec
from reflex.state import FrontendEventExceptionState
from reflex_base.event.context import EventContext

__all__ = ["EventSpec", "HandledEvent", "finish_begun_events", "handled_event", "ignore_patterns_in_reports"]


@dataclass(frozen=True)
class HandledEvent:
    """The event that is being handled."""

    id: str
    """Empty in the processor's own context, which has no event."""
    parent_id: str | None
    """Id of the event that caused it."""
    headers: Mapping[str, str]
    """Headers of its socket's handshake."""


def handled_event() -> HandledEvent | None:
    """Return the event that is being handled; None outside of events. Reflex handles each event in its own task."""
    try:
        context = EventContext.get()
    except LookupError:
        return None
    return HandledEvent(context.txid or "", context.parent_txid, context.router_data.get("headers", {}))


async def finish_begun_events(app: rx.App, seconds: float) -> None:
    """Wait up to `seconds` for events that have begun; Reflex itself cancels them when the application ends."""
    await app.event_processor.stop(graceful_shutdown_timeout=seconds)


def ignore_patterns_in_reports() -> None:
    """Stop Reflex from searching browsers' error reports for patterns that make it reload the page.

    The search takes cubic time: 62 KB took four minutes. The page's own error boundary offers a reload.
    """
    FrontendEventExceptionState.auto_reload_on_errors = []
