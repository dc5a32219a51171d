"""The table of roles and permissions."""

from collections.abc import Sequence

import reflex as rx

from agency_site.auth.rules import PERMISSIONS, ROLE_NAMES, Permission, Role
from agency_site.backoffice.scrolling_table import scrolling_table

AREAS: Sequence[tuple[str, Permission | None, Permission | None]] = (
    ("Bookings", Permission.SEE_BOOKINGS, Permission.WORK_BOOKINGS),
    ("Opening hours, holidays, closed days", None, Permission.SET_HOURS),
    ("Payments and orders", Permission.SEE_PAYMENTS, Permission.WORK_PAYMENTS),
    ("Returns through M-Pesa", None, Permission.RETURN_PAYMENTS),
    ("Enrolments, planning of course runs", Permission.SEE_ENROLMENTS, Permission.WORK_ENROLMENTS),
    ("Learners; trainers: of their own runs", Permission.SEE_LEARNERS, Permission.WORK_LEARNERS),
    ("Messages, sign-ups, registrations", Permission.SEE_MESSAGES, Permission.WORK_MESSAGES),
    ("Comments", Permission.SEE_COMMENTS, Permission.WORK_COMMENTS),
    ("Subscribers", Permission.SEE_SUBSCRIBERS, Permission.WORK_SUBSCRIBERS),
    ("Mail outbox", Permission.SEE_MAIL, Permission.WORK_MAIL),
    ("Exports and files: lists, calendar feed", None, Permission.EXPORT),
    ("Audit log", Permission.SEE_AUDIT, None),
    ("Data requests: find, export, erase", None, Permission.PRIVACY),
    ("Staff accounts, roles and sign-in", None, Permission.MANAGE_STAFF),
)
"""What there is to do, the permission to see it and the permission to work on it."""
NAMELESS = frozenset({Permission.ENTER, Permission.ENTER_ACCOUNT})
"""Everybody's: to sign in, and to manage the own account."""


def degree(role: Role, see: Permission | None, work: Permission | None) -> str:
    """What a role may do in an area: `Works`, `Sees` or nothing."""
    if work in PERMISSIONS[role]:
        return "Works"
    return "Sees" if see in PERMISSIONS[role] else ""


def permissions_table() -> rx.Component:
    """Roles and permissions."""
    heads = ("What", *(ROLE_NAMES[role] for role in Role))
    rows = (_row(*area) for area in AREAS)
    return scrolling_table("Roles and permissions", heads, *rows, kind="staff-rights")


def _row(title: str, see: Permission | None, work: Permission | None) -> rx.Component:
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
