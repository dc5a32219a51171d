"""The table of roles and permissions."""

from collections.abc import Sequence

import reflex as rx

from agency_site.auth.rules import PERMISSIONS, ROLE_NAMES, Permission, Role
from agency_site.backoffice.scrolling_table import scrolling_table

AREAS: Sequence[tuple[str, Permission | None, Permission | None]] = (
    ("Bookings", Permission.SEE_BOOKINGS, Permission.WORK_BOOKINGS),
    ("Business hours, holidays, blackouts, consultants", None, Permission.SET_HOURS),
    ("Payments and orders", Permission.SEE_PAYMENTS, Permission.WORK_PAYMENTS),
    ("Refunds through M-Pesa", None, Permission.RETURN_PAYMENTS),
    ("Enrolments, planning of course runs", Permission.SEE_ENROLMENTS, Permission.WORK_ENROLMENTS),
    ("Learners (trainers: only of their own runs)", Permission.SEE_LEARNERS, Permission.WORK_LEARNERS),
    ("Enquiries, webinar registrations", Permission.SEE_MESSAGES, Permission.WORK_MESSAGES),
    ("Comments", Permission.SEE_COMMENTS, Permission.WORK_COMMENTS),
    ("Subscribers", Permission.SEE_SUBSCRIBERS, Permission.WORK_SUBSCRIBERS),
    ("Content of the site, pictures", Permission.SEE_CONTENT, Permission.WORK_CONTENT),
    ("Prices of courses and plans", None, Permission.SET_PRICES),
    ("Channels of notices: e-mail, SMS or both", None, Permission.SET_NOTICES),
    ("Mail outbox", Permission.SEE_MAIL, Permission.WORK_MAIL),
    ("Visits and reports", Permission.SEE_REPORTS, None),
    ("Exports and files: lists, calendar feed", None, Permission.EXPORT),
    ("Audit log", Permission.SEE_AUDIT, None),
    ("Data requests: find, export, erase", None, Permission.PRIVACY),
    ("Staff accounts, roles and sign-in", None, Permission.MANAGE_STAFF),
)
"""Each area of work, the permission to see it and the permission to work on it."""
PERMISSIONS_OF_ALL = frozenset({Permission.ENTER, Permission.ENTER_ACCOUNT})
"""Permissions of all staff: to sign in, and to manage the own account."""


def access_level(role: Role, see: Permission | None, work: Permission | None) -> str:
    """Return the access of a role to an area: `Full`, `View` or empty."""
    if work in PERMISSIONS[role]:
        return "Full"
    return "View" if see in PERMISSIONS[role] else ""


def permissions_table() -> rx.Component:
    heads = ("Area", *(ROLE_NAMES[role] for role in Role))
    rows = (_area_row(*area) for area in AREAS)
    return scrolling_table("Roles and permissions", heads, *rows, kind="staff-rights")


def _area_row(title: str, see: Permission | None, work: Permission | None) -> rx.Component:
    return rx.el.tr(
        rx.el.th(title, scope="row"), *(_level_cell(role, access_level(role, see, work)) for role in Role)
    )


def _level_cell(role: Role, level: str) -> rx.Component:
    tone = "good" if level == "Full" else "quiet"
    return rx.el.td(
        rx.el.span(ROLE_NAMES[role], class_name="office-label", aria_hidden="true"),
        rx.el.span(level, class_name=f"office-tone office-tone-{tone}")
        if level
        else rx.el.span("None", class_name="sr-only"),
        class_name="" if level else "office-blank",
    )
