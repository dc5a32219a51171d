"""The table of rights, so that people can read it."""

from collections.abc import Sequence

import reflex as rx

from agency_site.auth.rules import RIGHTS, ROLE_NAMES, Right, Role

AREAS: Sequence[tuple[str, Right | None, Right | None]] = (
    ("Bookings", Right.SEE_BOOKINGS, Right.WORK_BOOKINGS),
    ("Opening hours, holidays, closed days", None, Right.SET_HOURS),
    ("Payments and orders", Right.SEE_PAYMENTS, Right.WORK_PAYMENTS),
    ("Enrolments", Right.SEE_ENROLMENTS, None),
    ("Messages, sign-ups, registrations", Right.SEE_MESSAGES, Right.WORK_MESSAGES),
    ("Comments", Right.SEE_COMMENTS, Right.WORK_COMMENTS),
    ("Subscribers", Right.SEE_SUBSCRIBERS, Right.WORK_SUBSCRIBERS),
    ("Mail outbox", Right.SEE_MAIL, Right.WORK_MAIL),
    ("Exports and files: lists, calendar feed", None, Right.EXPORT),
    ("Audit log", Right.SEE_AUDIT, None),
    ("Data requests: find, export, erase", None, Right.PRIVACY),
    ("Staff accounts, roles and sign-in", None, Right.MANAGE_STAFF),
)
"""What there is to do, the right to see it and the right to work on it."""
NAMELESS = frozenset({Right.ENTER, Right.ENTER_ACCOUNT})
"""Everybody's: to come in, and to look after the own account."""


def degree(role: Role, see: Right | None, work: Right | None) -> str:
    """How far a role goes: `Works`, `Sees` or nothing."""
    if work in RIGHTS[role]:
        return "Works"
    return "Sees" if see in RIGHTS[role] else ""


def rights_table() -> rx.Component:
    """Roles and permissions."""
    return rx.el.div(
        rx.el.table(
            rx.el.caption("Roles and permissions", class_name="sr-only"),
            rx.el.thead(
                rx.el.tr(
                    rx.el.th("What", scope="col"),
                    *(rx.el.th(ROLE_NAMES[role], scope="col") for role in Role),
                )
            ),
            rx.el.tbody(*(_row(*area) for area in AREAS)),
            class_name="office-table staff-rights",
        ),
        tab_index=0,
        role="region",
        aria_label="Roles and permissions",
        class_name="office-scroll",
    )


def _row(title: str, see: Right | None, work: Right | None) -> rx.Component:
    return rx.el.tr(rx.el.th(title, scope="row"), *(_degree(role, degree(role, see, work)) for role in Role))


def _degree(role: Role, reached: str) -> rx.Component:
    tone = "good" if reached == "Works" else "quiet"
    return rx.el.td(
        rx.el.span(ROLE_NAMES[role], class_name="office-label", aria_hidden="true"),
        rx.el.span(reached, class_name=f"office-tone office-tone-{tone}")
        if reached
        else rx.el.span("Nothing", class_name="sr-only"),
        class_name="" if reached else "office-blank",
    )
