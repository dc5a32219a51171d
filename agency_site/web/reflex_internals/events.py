"""The event that is being handled, and the report of a page whose script broke.

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
    """What is known of the event that is being handled."""

    id: str
    """Empty for the processor's own context, which belongs to no event."""
    parent_id: str | None
    """The event that led to it."""
    headers: Mapping[str, str]
    """Of the handshake of its socket."""


def handled_event() -> HandledEvent | None:
    """The event that is being handled; None outside of any. Reflex handles events in tasks of their own."""
    try:
        found = EventContext.get()
    except LookupError:
        return None
    return HandledEvent(found.txid or "", found.parent_txid, found.router_data.get("headers", {}))


async def finish_begun_events(app: rx.App, seconds: float) -> None:
    """Wait so long for events that have begun; Reflex itself cancels them when the application ends."""
    await app.event_processor.stop(graceful_shutdown_timeout=seconds)


def ignore_patterns_in_reports() -> None:
    """Let Reflex look for no patterns in what a browser reports, to reload the page.

    They take cubic time: 62 KB took four minutes. The page's own error boundary offers a reload.
    """
    FrontendEventExceptionState.auto_reload_on_errors = []
