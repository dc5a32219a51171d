"""What a visitor sees when an event handler breaks in a way nobody foresaw: one calm line, never a trace."""

import logging

import reflex as rx
from reflex.event import EventSpec

from agency_site.ui.elements import button
from agency_site.ui.icon import icon

log = logging.getLogger(__name__)


class Fault(rx.State):
    """Whether the line stands."""

    shown: rx.Field[bool] = rx.field(False)

    @rx.event
    def show(self) -> None:
        """Show the line."""
        self.shown = True

    @rx.event
    def dismiss(self) -> None:
        """Take it away."""
        self.shown = False


def report_fault(exception: Exception) -> EventSpec:
    """Log the trace for us, and show the visitor the line."""
    log.error("an event handler broke", exc_info=exception)
    return Fault.show()


def fault_line(_stateful: bool) -> rx.Component:  # noqa: FBT001 - the signature is Reflex's
    """The line, over every page."""
    return rx.fragment(
        rx.cond(
            Fault.shown,
            rx.el.div(
                icon("alert", size=20),
                rx.el.p("Something went wrong on our side. What you typed is still there: please try again."),
                button("Close", tone="ghost", on_click=Fault.dismiss, class_name="button-small"),
                role="alert",
                class_name="calm-line on-dark",
            ),
        )
    )
