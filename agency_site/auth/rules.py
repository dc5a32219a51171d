"""Roles and permissions of staff, and the time limits of sign-in and sessions. No I/O."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum

from agency_site.members import names, steps


class Role(StrEnum):
    """The position of a member of staff."""

    OWNER = "owner"
    FRONT_DESK = "front_desk"
    FINANCE = "finance"
    EDITOR = "editor"
    VIEWER = "viewer"
    TRAINER = "trainer"


class Permission(StrEnum):
    """One permission. Seeing and working are separate, so that a viewer changes nothing."""

    ENTER = "enter"
    """Sign in, see the dashboard."""
    ENTER_ACCOUNT = "enter_account"
    """Manage the own account, even before a required second factor is set up."""
    SEE_BOOKINGS = "see_bookings"
    WORK_BOOKINGS = "work_bookings"
    SET_HOURS = "set_hours"
    """Blackouts, schedule exceptions, the booking policy, consultants, busy calendars."""
    SEE_PAYMENTS = "see_payments"
    WORK_PAYMENTS = "work_payments"
    RETURN_PAYMENTS = "return_payments"
    """Refund a payment through M-Pesa."""
    SEE_ENROLMENTS = "see_enrolments"
    """Enrolments of all courses; every course run."""
    WORK_ENROLMENTS = "work_enrolments"
    """Plan course runs, change their sessions, move learners."""
    SEE_LEARNERS = "see_learners"
    """Course runs and their learners; without SEE_ENROLMENTS only the runs that name the reader as their trainer."""
    WORK_LEARNERS = "work_learners"
    """Attendance, messages and certificates of the same runs."""
    SEE_MESSAGES = "see_messages"
    WORK_MESSAGES = "work_messages"
    SEE_COMMENTS = "see_comments"
    WORK_COMMENTS = "work_comments"
    SEE_SUBSCRIBERS = "see_subscribers"
    WORK_SUBSCRIBERS = "work_subscribers"
    SEE_CONTENT = "see_content"
    """Drafts, entries and pictures."""
    WORK_CONTENT = "work_content"
    """Write, publish and hide entries; upload pictures."""
    SET_PRICES = "set_prices"
    """Prices of courses and hosting plans."""
    SET_NOTICES = "set_notices"
    """The channels by which notices go out."""
    SEE_MAIL = "see_mail"
    WORK_MAIL = "work_mail"
    SEE_REPORTS = "see_reports"
    """Visits and their sources, and reports about the business."""
    EXPORT = "export"
    """Export what the role may see: lists as CSV, a person's data, files, the calendar feed of bookings."""
    SEE_AUDIT = "see_audit"
    PRIVACY = "privacy"
    """Find, export and erase a person's data."""
    MANAGE_STAFF = "manage_staff"


_ENTERING = frozenset({Permission.ENTER, Permission.ENTER_ACCOUNT})
_TAKING_OUT = _ENTERING | {Permission.EXPORT}
_SEEING = (_ENTERING | {permission for permission in Permission if permission.value.startswith("see_")}) - {
    Permission.SEE_AUDIT,
    Permission.SEE_MAIL,
}

PERMISSIONS: Mapping[Role, frozenset[Permission]] = steps({
    Role.OWNER: frozenset(Permission),
    Role.FRONT_DESK: _TAKING_OUT | frozenset(
        {
            Permission.SEE_BOOKINGS, Permission.WORK_BOOKINGS, Permission.SET_HOURS, Permission.SEE_PAYMENTS,
            Permission.SEE_ENROLMENTS, Permission.WORK_ENROLMENTS, Permission.SEE_LEARNERS, Permission.WORK_LEARNERS,
            Permission.SEE_MESSAGES, Permission.WORK_MESSAGES, Permission.SEE_MAIL, Permission.WORK_MAIL,
            Permission.SEE_CONTENT,
        }
    ),
    Role.FINANCE: _TAKING_OUT | frozenset(
        {
            Permission.SEE_BOOKINGS, Permission.SEE_PAYMENTS, Permission.WORK_PAYMENTS, Permission.RETURN_PAYMENTS,
            Permission.SEE_ENROLMENTS, Permission.SEE_LEARNERS, Permission.SEE_MESSAGES, Permission.SEE_MAIL,
            Permission.WORK_MAIL, Permission.SEE_CONTENT, Permission.SET_PRICES,
        }
    ),
    Role.EDITOR: _TAKING_OUT | frozenset(
        {
            Permission.SEE_COMMENTS, Permission.WORK_COMMENTS, Permission.SEE_SUBSCRIBERS, Permission.WORK_SUBSCRIBERS,
            Permission.SEE_MESSAGES, Permission.WORK_MESSAGES, Permission.SEE_CONTENT, Permission.WORK_CONTENT,
        }
    ),
    Role.VIEWER: _SEEING,
    Role.TRAINER: _ENTERING | {Permission.SEE_LEARNERS, Permission.WORK_LEARNERS},
})  # fmt: skip
"""The one table of roles and permissions."""

ROLE_NAMES: Mapping[Role, str] = names(
    {
        Role.OWNER: "Owner",
        Role.FRONT_DESK: "Front desk",
        Role.FINANCE: "Finance",
        Role.EDITOR: "Editor",
        Role.VIEWER: "Viewer",
        Role.TRAINER: "Trainer",
    }
)

IDLE = timedelta(hours=2)
"""A session without activity ends after this time. Automatic refreshes do not count."""
ABSOLUTE = timedelta(hours=12)
"""A session ends after this time at the latest: a working day."""
LINK_LIFETIME = timedelta(hours=48)
"""Invitations and set-up links expire after this time."""


class SessionEnd(StrEnum):
    """The reason why a session ended."""

    SIGNED_OUT = "signed_out"
    """The member of staff signed out in the same browser."""
    ELSEWHERE = "elsewhere"
    """The session was ended from another browser of the same account."""
    OWNER = "owner"
    """An owner signed the account out everywhere."""
    ROLE = "role"
    DISABLED = "disabled"
    PASSWORD = "password"  # noqa: S105 - a reason, no password
    SECOND_FACTOR = "second_factor"
    IDLE = "idle"
    """No activity for `IDLE`; never stored."""
    EXPIRED = "expired"
    """Older than `ABSOLUTE`; never stored."""


class LinkPurpose(StrEnum):
    """The purpose of a one-time link."""

    SETUP = "setup"
    """The first owner chooses a password."""
    INVITATION = "invitation"
    RESET = "reset"


@dataclass(frozen=True)
class Staff:
    """A signed-in member of staff, as one request or event sees them."""

    account_id: int
    email: str
    name: str
    role: Role
    session_id: int
    address: str
    """The client's IP address, for the audit log."""
    submission: str = ""
    """The key of the form that this event submits (`submissions`); empty if it submits none."""
    held_back: bool = False
    """The role needs an authenticator and the account has none yet, so only its own page is open to it."""

    def has_permission(self, permission: Permission) -> bool:
        """Return whether the role has that permission, and the account is not held back."""
        if self.held_back and permission is not Permission.ENTER_ACCOUNT:
            return False
        return permission in PERMISSIONS[self.role]
