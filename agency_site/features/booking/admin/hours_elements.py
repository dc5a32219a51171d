"""What the sections of the page of hours share: the outcome of a press, errors, buttons, rows of bookings."""

from typing import Any

import reflex as rx

from agency_site.auth.rules import Right
from agency_site.backoffice.edit_conflicts import conflict_panel
from agency_site.backoffice.state import may
from agency_site.features.booking.admin.hours import HoursDesk
from agency_site.ui.elements import notice


def booking_rows(found: Any) -> rx.Component:
    """Bookings with their times and who to call."""
    return rx.el.ul(
        rx.foreach(
            found,
            lambda one: rx.el.li(
                rx.el.a(one.reference, href=one.href, class_name="link"),
                rx.el.span(one.when, ", ", one.who),
                key=one.reference,
            ),
        ),
        class_name="office-log",
    )


def outcome(form: str) -> rx.Component:
    """What came of the form's last press, beside the form: the top of the page may be out of sight."""
    here = HoursDesk.sent == form
    found: Any = HoursDesk.found
    return rx.fragment(
        rx.cond(
            here & (HoursDesk.problem != ""),
            notice(HoursDesk.problem, tone="error", role="note"),
            rx.fragment(),
        ),
        rx.cond(
            here & (HoursDesk.done != ""),
            notice(
                rx.el.p(HoursDesk.done),
                rx.cond(
                    HoursDesk.touched,
                    rx.fragment(
                        rx.el.p("It touches bookings that exist. They stay: move them or call the clients."),
                        booking_rows(HoursDesk.touched),
                    ),
                    rx.fragment(),
                ),
                tone="success",
                role="note",
            ),
            rx.fragment(),
        ),
        rx.cond(
            here,
            conflict_panel(found, keep=HoursDesk.keep_theirs, overwrite=HoursDesk.save_mine),
            rx.fragment(),
        ),
    )


def error_of(form: str, name: str) -> Any:
    """What is wrong with a field: two forms may have one of that name."""
    return rx.cond(HoursDesk.sent == form, HoursDesk.errors[name], "")


def remove_button(kind: str, name: Any, spoken: Any) -> rx.Component:
    """Asks whether a blackout or a special day shall go."""
    return rx.cond(
        may(Right.SET_HOURS),
        rx.el.button(
            "Remove", rx.el.span(" ", spoken, class_name="sr-only"), type="button", class_name="office-quiet",
            on_click=HoursDesk.ask(kind, name),
        ),
        rx.fragment(),
    )  # fmt: skip


def edit_button(label: str, day: Any, spoken: Any) -> rx.Component:
    """Puts a day into the form of special days."""
    return rx.cond(
        may(Right.SET_HOURS),
        rx.el.button(
            label, rx.el.span(" ", spoken, class_name="sr-only"), type="button", class_name="office-quiet",
            on_click=HoursDesk.edit_day(day),
        ),
        rx.fragment(),
    )  # fmt: skip
