"""Error reports: after an unhandled exception of an event handler the visitor sees one line, never a stack trace."""

import logging
import re
from collections import deque
from traceback import format_exception, format_exception_only

import reflex as rx

from agency_site.metrics import handler_errors
from agency_site.settings import settings
from agency_site.ui.elements import button
from agency_site.ui.icon import icon
from agency_site.web.reflex_internals.configuration import is_production_build
from agency_site.web.reflex_internals.events import EventSpec, handled_event, ignore_patterns_in_reports

log = logging.getLogger(__name__)

ignore_patterns_in_reports()

_KIND = re.compile(r"\b[A-Z][A-Za-z]{0,40}Error\b")
_PLACE = re.compile(r"/assets/[\w.-]{1,80}:\d{1,6}:\d{1,6}")
_MOST_PLACES = 3


class ErrorReport(rx.State):
    """State of the line that reports an error."""

    is_shown: rx.Field[bool] = rx.field(False)
    count: rx.Field[int] = rx.field(0)
    """Failures so far, for a form that waits for an answer: with Redis, a failed handler cannot save its own state."""
    traceback: rx.Field[str] = rx.field("")
    """The traceback of the latest failure, in development only."""

    @rx.event
    def show(self) -> None:
        self.is_shown = True
        self.count += 1
        self.traceback = _tracebacks[-1] if _tracebacks else ""

    @rx.event
    def dismiss(self) -> None:
        self.is_shown = False


_tracebacks: deque[str] = deque(maxlen=1)
"""The traceback of the latest failure; empty except in development."""
_reported: deque[str] = deque(maxlen=1000)
"""Ids of the latest events that report a failure to their pages."""


def report_handler_error(exception: Exception) -> EventSpec | None:
    """Log the stack trace, and show the visitor a line.

    Showing it is an event too and can fail for the same reason: the state cannot be loaded, or its router data cannot be
    read. That failure is not reported again, which would be an endless loop.
    """
    handler_errors.inc()
    if _is_development():
        # The exception comes first, because the rest is longer than the box.
        _tracebacks.append("".join((*format_exception_only(exception), "\n", *format_exception(exception))))
    event = handled_event()
    if event is None:
        log.error("an event handler raised an exception", exc_info=exception)
        return None
    if event.parent_id in _reported:
        log.error(
            "the page could not show its error report, because another handler failed: %s",
            type(exception).__name__,
        )
        return None
    log.error("an event handler raised an exception", exc_info=exception)
    _reported.append(event.id)
    return ErrorReport.show()  # type: ignore[no-any-return, operator]


def report_browser_error(exception: Exception) -> None:
    """Log the type and place of an error in a browser. Its message is left out, because it may quote the visitor's input."""
    text = str(exception)
    findings = [*_KIND.findall(text)[:1], *_PLACE.findall(text)[:_MOST_PLACES]]
    log.error("a script failed in a browser: %s", " ".join(findings) or "unknown")


def _is_development() -> bool:
    return not is_production_build() and not settings().production


def error_report_line(_stateful: bool) -> rx.Component:  # noqa: FBT001 - the signature is Reflex's
    """Return the line that reports an error on every page."""
    return rx.fragment(
        rx.cond(
            ErrorReport.is_shown,
            rx.el.div(
                icon("alert", size=20),
                rx.el.p("Something went wrong on our side. What you typed is still there: please try again."),
                # Compiled into the development build only.
                *(
                    [rx.el.pre(ErrorReport.traceback, class_name="calm-traceback")]
                    if _is_development()
                    else []
                ),
                button("Close", tone="ghost", on_click=ErrorReport.dismiss, class_name="button-small"),
                role="alert",
                class_name="calm-line on-dark",
            ),
        )
    )
