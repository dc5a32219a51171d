"""Invitations, and the rule whether all staff need a second factor."""

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
"""Labels and tones of the states of an account."""


def state_of(account: Account) -> str:
    """Return the account's key in STATES."""
    if account.disabled_at:
        return "disabled"
    return "invited" if account.invited else "active"


def describe_link_delivery() -> str:
    """Return how the one-time link was delivered. Only its holder sees the link itself, because it opens their account."""
    if settings().smtp_host:
        return "The link was sent by e-mail."
    if not settings().production:
        return "No e-mail is being sent. The link is in the development outbox: /outbox, on the machine of the server."
    return "No mail server is configured, so the link was not sent. Set a password with `make staff`."


def parse_role(form: dict[str, Any]) -> Role:
    """Return the role that a form names. Raises InputRejected for `role`."""
    value = submitted(form).get("role", "")
    if value not in set(Role):
        raise InputRejected("Please choose a role.", (FieldError("role", "Please choose a role."),))
    return Role(value)


class InvitationState(StaffState):
    """The invitation form and the second-factor rule above the list of staff accounts."""

    required: rx.Field[bool] = rx.field(False)
    """All staff need a second factor."""
    by_role: rx.Field[str] = rx.field("")
    """The roles that always need one, in words; empty if no role or every role does."""
    is_fixed: rx.Field[bool] = rx.field(False)
    """Every role needs one, whatever owners decide."""
    without: rx.Field[int] = rx.field(0)
    """Active accounts without a second factor."""
    asking: rx.Field[bool] = rx.field(False)
    round: rx.Field[int] = rx.field(0)
    """Incremented to empty and close the form."""

    @staff_page(Permission.MANAGE_STAFF)
    async def open_rule(self, _who: Staff) -> None:
        """Show the rule for all staff."""
        await self._count()

    @staff_watch(Permission.MANAGE_STAFF)
    async def refresh_rule(self, _who: Staff) -> None:
        """Show changes by other owners, and accounts that have set up a second factor."""
        await self._count()

    @staff_event(Permission.MANAGE_STAFF)
    async def invite(self, who: Staff, form: dict[str, Any]) -> None:
        """Create an account and mail its one-time link."""
        fields, role = submitted(form), parse_role(form)
        async with session_scope() as session:
            await accounts.invite(session, fields.get("email", ""), fields.get("name", ""), role, who)
        self.round += 1
        self._say(f"{fields['name'].strip()} is invited. {describe_link_delivery()}")

    @staff_event(Permission.MANAGE_STAFF)
    async def ask(self, _who: Staff) -> None:
        """Ask before all staff have to set up a second factor."""
        self.asking = True

    @staff_event(Permission.MANAGE_STAFF)
    async def dismiss(self, _who: Staff) -> None:
        self.asking = False

    @staff_event(Permission.MANAGE_STAFF)
    async def require(self, who: Staff) -> Any:
        """Require a second factor of all staff, if the dialog asked before."""
        was_asked, self.asking = self.asking, False
        if not was_asked:
            return None
        async with session_scope() as session:
            await second_factor.require_totp(session, who, required=True)
            must_set_up = await second_factor.must_set_up_totp(session, who.account_id)
        await self._count()
        self._say("A second factor is now required for all staff.")
        return rx.redirect(ACCOUNT) if must_set_up else None

    @staff_event(Permission.MANAGE_STAFF)
    async def release(self, who: Staff) -> None:
        """Make the second factor optional again."""
        async with session_scope() as session:
            await second_factor.require_totp(session, who, required=False)
        await self._count()
        self._say("A second factor is now optional for staff.")

    async def _count(self) -> None:
        async with read_scope() as session:
            required = await second_factor.is_required(session)
            staff = await accounts.list_accounts(session)
        roles = settings().second_factor_roles
        self.is_fixed = roles.issuperset(Role)
        self.by_role = (
            "" if self.is_fixed else ", ".join(ROLE_NAMES[role].lower() for role in Role if role in roles)
        )
        without = sum(
            1 for account in staff if not account.has_second_factor and state_of(account) == "active"
        )
        if (required, without) != (self.required, self.without):
            self.required, self.without = required, without
