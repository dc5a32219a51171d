"""The state of the page of the own account."""

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
    """The browser that shows this page."""


@dataclass
class AuthenticatorOffer:
    """An authenticator that waits for its first code; empty if none is offered."""

    picture: str = ""
    """The QR code as an SVG element."""
    secret: str = ""
    """In groups of four characters, for typing."""
    uri: str = ""


class OwnAccountState(StaffState):
    """Name, password, second factor and sessions of the reader's account."""

    email: rx.Field[str] = rx.field("")
    own_name: rx.Field[str] = rx.field("")
    since: rx.Field[str] = rx.field("")
    """When the authenticator was confirmed; empty if the account has none."""
    codes_left: rx.Field[int] = rx.field(0)
    required: rx.Field[bool] = rx.field(False)
    """The role needs an authenticator, or all staff do."""
    offered: rx.Field[AuthenticatorOffer] = rx.field(default_factory=AuthenticatorOffer)
    fresh_codes: rx.Field[list[str]] = rx.field(default_factory=list)
    """Recovery codes, shown until the page is left or they are hidden."""
    browsers: rx.Field[list[Browser]] = rx.field(default_factory=list)
    ending: rx.Field[int] = rx.field(0)
    """The session to be signed out once the password is confirmed; 0 for none."""
    ending_name: rx.Field[str] = rx.field("")
    submitted_form: rx.Field[str] = rx.field("")
    """The form that was submitted last; messages are shown only in it."""
    round: rx.Field[int] = rx.field(0)
    """Incremented to empty and close the forms."""

    @staff_page(Permission.ENTER_ACCOUNT)
    async def open_account(self, who: Staff) -> None:
        await self._show(who)

    @staff_watch(Permission.ENTER_ACCOUNT)
    async def refresh(self, who: Staff) -> None:
        """Show changes from elsewhere: a browser that signed in, or another tab that turned something on."""
        await self._show(who)

    @staff_event(Permission.ENTER_ACCOUNT)
    async def rename(self, who: Staff, form: dict[str, Any]) -> None:
        self.submitted_form = "name"
        async with session_scope() as session:
            self.own_name = await usecases.change_name(session, who, submitted(form).get("name", ""))
        self.name = self.own_name
        self._say("Name changed.")

    @staff_event(Permission.ENTER_ACCOUNT)
    async def change_password(self, who: Staff, form: dict[str, Any]) -> None:
        self.submitted_form = "password"
        fields = submitted(form)
        current, new = fields.get("current", ""), fields.get("new", "")
        _require_repeated(current, new, fields.get("again", ""))
        await usecases.change_password(session_scope, who, current, new)
        await self._show(who)
        self._finish("Password changed. Other sessions were signed out and the calendar link was revoked.")

    @staff_event(Permission.ENTER_ACCOUNT)
    async def begin_second_factor(self, who: Staff, form: dict[str, Any]) -> None:
        """Offer an authenticator, or one that replaces the present one."""
        self.submitted_form, self.fresh_codes = "begin", []
        self.offered = _authenticator_offer(
            await second_factor.begin_totp(session_scope, who, *_read_credentials(form))
        )
        self._finish("")

    @staff_event(Permission.ENTER_ACCOUNT)
    async def confirm_second_factor(self, who: Staff, form: dict[str, Any]) -> None:
        """Store the offered authenticator."""
        self.submitted_form = "confirm"
        async with session_scope() as session:
            codes = await second_factor.confirm_totp(session, who, submitted(form).get("code", ""))
        self.offered, self.fresh_codes = AuthenticatorOffer(), list(codes)
        await self._show(who)
        await self._welcome(replace(who, held_back=False))
        self._finish("The second factor is on. Other sessions were signed out.")

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
        """Hide the recovery codes, which the reader has saved."""
        self.fresh_codes = []
        self._say("")

    @staff_event(Permission.ENTER_ACCOUNT)
    async def switch_off(self, who: Staff, form: dict[str, Any]) -> None:
        """Remove the authenticator."""
        self.submitted_form = "off"
        await second_factor.disable_totp(session_scope, who, *_read_credentials(form))
        self.fresh_codes = []
        await self._show(who)
        self._finish("The second factor is off. Other sessions were signed out.")

    @staff_event(Permission.ENTER_ACCOUNT)
    async def ask_to_end(self, _who: Staff, identity: int) -> None:
        """Ask for the password before another browser is signed out."""
        chosen = next(
            (browser for browser in self.browsers if browser.id == identity and not browser.here), None
        )
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
        """Sign the chosen browser out, after checking the password."""
        self.submitted_form = "ending"
        await usecases.confirm_password(session_scope, who, submitted(form).get("password", ""), "password")
        ending, self.ending, self.ending_name = self.ending, 0, ""
        async with session_scope() as session:
            await usecases.end_own_session(session, who, ending)
        await self._show(who)
        self._finish("Session signed out.")

    async def _show(self, who: Staff) -> None:
        async with read_scope() as session:
            second = await second_factor.find_second_factor(session, who.account_id)
            open_sessions = await sessions.list_sessions(session, who.account_id)
        values = {
            "browsers": browsers_of(open_sessions, who.session_id),
            "email": who.email,
            "own_name": who.name,
            "since": when(second.since),
            "codes_left": second.codes_left,
            "required": second.required,
        }
        for name, value in values.items():
            if getattr(self, name) != value:
                setattr(self, name, value)

    def _finish(self, message: str) -> None:
        self.round += 1
        self._say(message)


def browsers_of(open_sessions: Sequence[OpenSession], here: int) -> list[Browser]:
    """Convert open sessions for the screen; `here` is the session of the reader's browser."""
    return [
        Browser(
            open_session.id,
            open_session.browser or "Unknown browser",
            open_session.address or "unknown address",
            when(open_session.created_at),
            when(open_session.seen_at),
            open_session.id == here,
        )
        for open_session in open_sessions
    ]


def _read_credentials(form: object) -> tuple[str, str]:
    """Return password and code from a form that changes the second factor."""
    fields = submitted(form)
    return fields.get("password", ""), fields.get("code", "")


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


def _authenticator_offer(offer: TotpOffer) -> AuthenticatorOffer:
    grouped = " ".join(offer.secret[at : at + 4] for at in range(0, len(offer.secret), 4))
    return AuthenticatorOffer(offer.picture, grouped, offer.uri)
