"""Roles and permissions of staff, and the figures that sign-in and sessions follow. No I/O."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum


class Role(StrEnum):
    """What somebody is hired for."""

    OWNER = "owner"
    FRONT_DESK = "front_desk"
    FINANCE = "finance"
    EDITOR = "editor"
    VIEWER = "viewer"
    TRAINER = "trainer"


class Permission(StrEnum):
    """One thing that somebody may do. Seeing and working are apart, so that a viewer changes nothing."""

    ENTER = "enter"
    """Sign in, see the dashboard."""
    ENTER_ACCOUNT = "enter_account"
    """Manage the own account, also while a required second factor is not set up yet."""
    SEE_BOOKINGS = "see_bookings"
    WORK_BOOKINGS = "work_bookings"
    SET_HOURS = "set_hours"
    """Blackouts, special hours, capacity, holidays."""
    SEE_PAYMENTS = "see_payments"
    WORK_PAYMENTS = "work_payments"
    RETURN_PAYMENTS = "return_payments"
    """Have M-Pesa return a payment."""
    SEE_ENROLMENTS = "see_enrolments"
    """Who has bought which course; every course run."""
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
    SEE_MAIL = "see_mail"
    WORK_MAIL = "work_mail"
    EXPORT = "export"
    """Take what may be seen out of the back office: lists as CSV, a person's data, files, the calendar feed."""
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

PERMISSIONS: Mapping[Role, frozenset[Permission]] = {
    Role.OWNER: frozenset(Permission),
    Role.FRONT_DESK: _TAKING_OUT | frozenset(
        {
            Permission.SEE_BOOKINGS, Permission.WORK_BOOKINGS, Permission.SET_HOURS, Permission.SEE_PAYMENTS,
            Permission.SEE_ENROLMENTS, Permission.WORK_ENROLMENTS, Permission.SEE_LEARNERS, Permission.WORK_LEARNERS,
            Permission.SEE_MESSAGES, Permission.WORK_MESSAGES, Permission.SEE_MAIL, Permission.WORK_MAIL,
        }
    ),
    Role.FINANCE: _TAKING_OUT | frozenset(
        {
            Permission.SEE_BOOKINGS, Permission.SEE_PAYMENTS, Permission.WORK_PAYMENTS, Permission.RETURN_PAYMENTS,
            Permission.SEE_ENROLMENTS, Permission.SEE_LEARNERS, Permission.SEE_MESSAGES, Permission.SEE_MAIL,
            Permission.WORK_MAIL,
        }
    ),
    Role.EDITOR: _TAKING_OUT | frozenset(
        {
            Permission.SEE_COMMENTS, Permission.WORK_COMMENTS, Permission.SEE_SUBSCRIBERS, Permission.WORK_SUBSCRIBERS,
            Permission.SEE_MESSAGES, Permission.WORK_MESSAGES,
        }
    ),
    Role.VIEWER: _SEEING,
    Role.TRAINER: _ENTERING | {Permission.SEE_LEARNERS, Permission.WORK_LEARNERS},
}  # fmt: skip
"""Roles and permissions: the one table."""

ROLE_NAMES: Mapping[Role, str] = {
    Role.OWNER: "Owner",
    Role.FRONT_DESK: "Front desk",
    Role.FINANCE: "Finance",
    Role.EDITOR: "Editor",
    Role.VIEWER: "Viewer",
    Role.TRAINER: "Trainer",
}

IDLE = timedelta(hours=2)
"""A session that did nothing for this long is over. Refreshing by itself does not count."""
ABSOLUTE = timedelta(hours=12)
"""A session is over after this long whatever it did: a working day."""
LINK_LIFETIME = timedelta(hours=48)
"""How long an invitation or a set-up link can be used."""


class SessionEnd(StrEnum):
    """Why a session is over."""

    SIGNED_OUT = "signed_out"
    """In the same browser."""
    ELSEWHERE = "elsewhere"
    """From another browser of the same account."""
    OWNER = "owner"
    """An owner signed the account out everywhere."""
    ROLE = "role"
    DISABLED = "disabled"
    PASSWORD = "password"  # noqa: S105 - a reason, no password
    SECOND_FACTOR = "second_factor"
    IDLE = "idle"
    """Nothing was done for `IDLE`; never stored."""
    EXPIRED = "expired"
    """It is older than `ABSOLUTE`; never stored."""


class LinkPurpose(StrEnum):
    """What a one-time link is for."""

    SETUP = "setup"
    """The first owner chooses a password."""
    INVITATION = "invitation"
    RESET = "reset"


@dataclass(frozen=True)
class Staff:
    """Somebody who is signed in, as one request or event sees them."""

    account_id: int
    email: str
    name: str
    role: Role
    session_id: int
    address: str
    """Where they are, for the audit log."""
    submission: str = ""
    """The key of the form that they submit now (`submissions`); empty: the event submits none."""
    held_back: bool = False
    """The role needs an authenticator, and this account has none yet: until then it reaches its own page only."""

    def has_permission(self, permission: Permission) -> bool:
        """Whether the role has that permission, and nothing holds its holder back."""
        if self.held_back and permission is not Permission.ENTER_ACCOUNT:
            return False
        return permission in PERMISSIONS[self.role]
