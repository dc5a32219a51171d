"""Invitations, and whether all staff need a second factor."""

from typing import Any

import reflex as rx

from agency_site.auth import accounts, second_factor
from agency_site.auth.accounts import Account
from agency_site.auth.pages import ACCOUNT
from agency_site.auth.rules import ROLE_NAMES, Permission, Role, Staff
from agency_site.backoffice.access_control import staff_event, staff_page, staff_watch
from agency_site.backoffice.lists.definition import Tone
from agency_site.backoffice.state import StaffState
from agency_site.db.engine import read_scope, session_scope
from agency_site.errors import FieldError, InputRejected
from agency_site.settings import settings
from agency_site.ui.forms import submitted

STATES: dict[str, tuple[str, Tone]] = {
    "active": ("Active", "good"),
    "invited": ("Invited", "busy"),
    "disabled": ("Disabled", "bad"),
}
"""Labels and tones of an account's states."""


def state_of(account: Account) -> str:
    """The account's key in STATES."""
    if account.disabled_at:
        return "disabled"
    return "invited" if account.invited else "active"


def describe_link_delivery() -> str:
    """Where the one-time link was sent. Nobody but its holder sees it: it opens their account."""
    if settings().smtp_host:
        return "The link was sent by e-mail."
    if not settings().production:
        return "No e-mail is being sent. The link is in the development outbox at /outbox."
    return "No mail server is configured, so the link was not sent. Set a password with `make staff`."


def parse_role(form: dict[str, Any]) -> Role:
    """The role that a form names. Raises InputRejected for `role`."""
    given = submitted(form).get("role", "")
    if given not in set(Role):
        raise InputRejected("Please choose a role.", (FieldError("role", "Please choose a role."),))
    return Role(given)


class InvitationState(StaffState):
    """The invitation form and the second-factor rule above the list of staff accounts."""

    required: rx.Field[bool] = rx.field(False)
    """All staff need a second factor."""
    by_role: rx.Field[str] = rx.field("")
    """The roles that need one whatever owners decide, in words; empty if none or all do."""
    is_fixed: rx.Field[bool] = rx.field(False)
    """All roles need one whatever owners decide."""
    without: rx.Field[int] = rx.field(0)
    """How many of those who can sign in have none."""
    asking: rx.Field[bool] = rx.field(False)
    round: rx.Field[int] = rx.field(0)
    """Counts up to empty and fold the form."""

    @staff_page(Permission.MANAGE_STAFF)
    async def open_rule(self, _who: Staff) -> None:
        """Show the rule for all staff."""
        await self._count()

    @staff_watch(Permission.MANAGE_STAFF)
    async def refresh_rule(self, _who: Staff) -> None:
        """Show what another owner has decided, and who has set up a second factor."""
        await self._count()

    @staff_event(Permission.MANAGE_STAFF)
    async def invite(self, who: Staff, form: dict[str, Any]) -> None:
        """Make an account and mail its one-time link."""
        given, role = submitted(form), parse_role(form)
        async with session_scope() as session:
            await accounts.invite(session, given.get("email", ""), given.get("name", ""), role, who)
        self.round += 1
        self._say(f"{given['name'].strip()} is invited. {describe_link_delivery()}")

    @staff_event(Permission.MANAGE_STAFF)
    async def ask(self, _who: Staff) -> None:
        """Ask before all staff have to set up a second factor."""
        self.asking = True

    @staff_event(Permission.MANAGE_STAFF)
    async def dismiss(self, _who: Staff) -> None:
        """Cancel."""
        self.asking = False

    @staff_event(Permission.MANAGE_STAFF)
    async def require(self, who: Staff) -> Any:
        """Require a second factor of all staff, if that was asked before."""
        asked, self.asking = self.asking, False
        if not asked:
            return None
        async with session_scope() as session:
            await second_factor.require_totp(session, who, required=True)
            owing = await second_factor.must_set_up_totp(session, who.account_id)
        await self._count()
        self._say("Two-step verification is now required for all staff.")
        return rx.redirect(ACCOUNT) if owing else None

    @staff_event(Permission.MANAGE_STAFF)
    async def release(self, who: Staff) -> None:
        """Make the second factor optional again."""
        async with session_scope() as session:
            await second_factor.require_totp(session, who, required=False)
        await self._count()
        self._say("Two-step verification is now optional for staff.")

    async def _count(self) -> None:
        async with read_scope() as session:
            required = await second_factor.is_required(session)
            staff = await accounts.list_accounts(session)
        needing = settings().second_factor_roles
        self.is_fixed = needing.issuperset(Role)
        self.by_role = (
            "" if self.is_fixed else ", ".join(ROLE_NAMES[role].lower() for role in Role if role in needing)
        )
        without = sum(1 for one in staff if not one.two_step and state_of(one) == "active")
        if (required, without) != (self.required, self.without):
            self.required, self.without = required, without
