"""The own account: the state of its screen."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import reflex as rx

from agency_site.auth import second_factor, sessions, usecases
from agency_site.auth.rules import Permission, Staff
from agency_site.auth.second_factor import TotpOffer
from agency_site.auth.sessions import OpenSession
from agency_site.backoffice.access_control import staff_event, staff_page, staff_watch
from agency_site.backoffice.lists.definition import when
from agency_site.backoffice.state import StaffState
from agency_site.db.engine import read_scope, session_scope
from agency_site.errors import FieldError, InputRejected
from agency_site.ui.forms import submitted


@dataclass
class Browser:
    """One signed-in browser."""

    id: int
    name: str
    address: str
    since: str
    seen: str
    here: bool
    """It is the one that shows this."""


@dataclass
class AuthenticatorOffer:
    """An authenticator that waits for its first code; empty when there is none."""

    picture: str = ""
    """The QR code as an SVG element."""
    secret: str = ""
    """In groups of four, as it is typed."""
    uri: str = ""


class OwnAccountState(StaffState):
    """Name, password, second factor and sessions of whoever is signed in."""

    email: rx.Field[str] = rx.field("")
    own_name: rx.Field[str] = rx.field("")
    since: rx.Field[str] = rx.field("")
    """When the authenticator was confirmed; empty: there is none."""
    codes_left: rx.Field[int] = rx.field(0)
    required: rx.Field[bool] = rx.field(False)
    """The role needs an authenticator, or everybody does."""
    offered: rx.Field[AuthenticatorOffer] = rx.field(default_factory=AuthenticatorOffer)
    fresh_codes: rx.Field[list[str]] = rx.field(default_factory=list)
    """Recovery codes, shown until the page is left or they are hidden."""
    browsers: rx.Field[list[Browser]] = rx.field(default_factory=list)
    ending: rx.Field[int] = rx.field(0)
    """The session that is to be signed out once the password is given; 0 if there is none."""
    ending_name: rx.Field[str] = rx.field("")
    submitted_form: rx.Field[str] = rx.field("")
    """The form that was submitted last: its messages are shown there only."""
    round: rx.Field[int] = rx.field(0)
    """Counts up to empty and fold the forms."""

    @staff_page(Permission.ENTER_ACCOUNT)
    async def open_account(self, who: Staff) -> None:
        """Show the account."""
        await self._show(who)

    @staff_watch(Permission.ENTER_ACCOUNT)
    async def refresh(self, who: Staff) -> None:
        """Show what changed elsewhere: a browser that signed in, another tab that switched something on."""
        await self._show(who)

    @staff_event(Permission.ENTER_ACCOUNT)
    async def rename(self, who: Staff, form: dict[str, Any]) -> None:
        """Change the own name."""
        self.submitted_form = "name"
        async with session_scope() as session:
            self.own_name = await usecases.change_name(session, who, submitted(form).get("name", ""))
        self.name = self.own_name
        self._say("Name changed.")

    @staff_event(Permission.ENTER_ACCOUNT)
    async def change_password(self, who: Staff, form: dict[str, Any]) -> None:
        """Choose a new password."""
        self.submitted_form = "password"
        given = submitted(form)
        current, new = given.get("current", ""), given.get("new", "")
        _require_repeated(current, new, given.get("again", ""))
        await usecases.change_password(session_scope, who, current, new)
        await self._show(who)
        self._finish("Password changed. Other sessions were signed out and the calendar link was revoked.")

    @staff_event(Permission.ENTER_ACCOUNT)
    async def begin_two_step(self, who: Staff, form: dict[str, Any]) -> None:
        """Offer an authenticator, also in place of the present one."""
        self.submitted_form, self.fresh_codes = "begin", []
        self.offered = _read_offer(
            await second_factor.begin_totp(session_scope, who, *_read_credentials(form))
        )
        self._finish("")

    @staff_event(Permission.ENTER_ACCOUNT)
    async def confirm_two_step(self, who: Staff, form: dict[str, Any]) -> None:
        """Store the authenticator of this code."""
        self.submitted_form = "confirm"
        async with session_scope() as session:
            fresh = await second_factor.confirm_totp(session, who, submitted(form).get("code", ""))
        self.offered, self.fresh_codes = AuthenticatorOffer(), list(fresh)
        await self._show(who)
        await self._welcome(replace(who, held_back=False))
        self._finish("Two-step verification is on. Other sessions were signed out.")

    @staff_event(Permission.ENTER_ACCOUNT)
    async def cancel_offer(self, _who: Staff) -> None:
        """Cancel setting up the authenticator."""
        self.offered = AuthenticatorOffer()
        self._say("")

    @staff_event(Permission.ENTER_ACCOUNT)
    async def renew_codes(self, who: Staff, form: dict[str, Any]) -> None:
        """Replace all recovery codes."""
        self.submitted_form = "renew"
        self.fresh_codes = list(
            await second_factor.new_recovery_codes(session_scope, who, *_read_credentials(form))
        )
        await self._show(who)
        self._finish("New recovery codes created. The previous codes no longer work.")

    @staff_event(Permission.ENTER_ACCOUNT)
    async def hide_codes(self, _who: Staff) -> None:
        """The reader has saved them."""
        self.fresh_codes = []
        self._say("")

    @staff_event(Permission.ENTER_ACCOUNT)
    async def switch_off(self, who: Staff, form: dict[str, Any]) -> None:
        """Sign in with the password alone again."""
        self.submitted_form = "off"
        await second_factor.disable_totp(session_scope, who, *_read_credentials(form))
        self.fresh_codes = []
        await self._show(who)
        self._finish("Two-step verification is off. Other sessions were signed out.")

    @staff_event(Permission.ENTER_ACCOUNT)
    async def ask_to_end(self, _who: Staff, identity: int) -> None:
        """Ask for the password before one of the own browsers is signed out."""
        chosen = next((one for one in self.browsers if one.id == identity and not one.here), None)
        self.ending, self.ending_name = (
            (chosen.id, f"{chosen.name} at {chosen.address}") if chosen else (0, "")
        )
        self.submitted_form = ""

    @staff_event(Permission.ENTER_ACCOUNT)
    async def keep_session(self, _who: Staff) -> None:
        """Cancel signing out another browser."""
        self.ending, self.ending_name = 0, ""

    @staff_event(Permission.ENTER_ACCOUNT)
    async def end_session(self, who: Staff, form: dict[str, Any]) -> None:
        """Sign the chosen browser out, once the password is given again."""
        self.submitted_form = "ending"
        await usecases.confirmed(session_scope, who, submitted(form).get("password", ""), "password")
        ending, self.ending, self.ending_name = self.ending, 0, ""
        async with session_scope() as session:
            await usecases.end_own_session(session, who, ending)
        await self._show(who)
        self._finish("Session signed out.")

    async def _show(self, who: Staff) -> None:
        async with read_scope() as session:
            second = await second_factor.two_step_of(session, who.account_id)
            found = await sessions.list_sessions(session, who.account_id)
        shown = {
            "browsers": browsers_of(found, who.session_id),
            "email": who.email,
            "own_name": who.name,
            "since": when(second.since),
            "codes_left": second.codes_left,
            "required": second.required,
        }
        for name, value in shown.items():
            if getattr(self, name) != value:
                setattr(self, name, value)

    def _finish(self, message: str) -> None:
        self.round += 1
        self._say(message)


def browsers_of(found: Sequence[OpenSession], here: int) -> list[Browser]:
    """Open sessions as screens show them; `here` is the session of the one that shows them."""
    return [
        Browser(
            one.id,
            one.browser or "Unknown browser",
            one.address or "unknown address",
            when(one.created_at),
            when(one.seen_at),
            one.id == here,
        )
        for one in found
    ]


def _read_credentials(form: object) -> tuple[str, str]:
    """Password and code, as a form that changes the second factor sends them."""
    given = submitted(form)
    return given.get("password", ""), given.get("code", "")


def _require_repeated(current: str, new: str, again: str) -> None:
    faults = []
    if not current:
        faults.append(FieldError("current", "Please enter your current password."))
    if not new:
        faults.append(FieldError("new", "Please choose a password."))
    elif new != again:
        faults.append(FieldError("again", "The passwords do not match."))
    if faults:
        raise InputRejected("Please check the marked fields.", tuple(faults))


def _read_offer(offer: TotpOffer) -> AuthenticatorOffer:
    grouped = " ".join(offer.secret[at : at + 4] for at in range(0, len(offer.secret), 4))
    return AuthenticatorOffer(offer.picture, grouped, offer.uri)
