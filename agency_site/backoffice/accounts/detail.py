"""One member of staff as owners see and change them."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

import reflex as rx
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.auth import accounts, audit, sessions
from agency_site.auth.accounts import Account
from agency_site.auth.rules import ROLE_NAMES, Permission, Role, Staff
from agency_site.auth.tables import AuditEntry
from agency_site.backoffice.access_control import staff_event, staff_page, staff_watch
from agency_site.backoffice.accounts.invitations import STATES, link_sent, role_of, state_of
from agency_site.backoffice.accounts.own_account_state import Browser, browsers_of
from agency_site.backoffice.audit_labels import action_label
from agency_site.backoffice.edit_conflicts import Difference, differences
from agency_site.backoffice.lists.definition import when
from agency_site.backoffice.state import StaffState
from agency_site.db.engine import read_scope, session_scope
from agency_site.errors import NotFound, StaleRecord

TRAIL = 8
"""Entries of the audit log that are shown."""
LABELS = {"role": "Role", "state": "State", "two_step": "Two-step verification"}
Verb = Callable[[AsyncSession, int, int, Staff], Awaitable[Account]]
VERBS: Mapping[str, tuple[Verb, str]] = {
    "disable": (accounts.disable, "Account disabled and signed out everywhere."),
    "enable": (accounts.enable, "Account enabled."),
    "drop": (accounts.drop_two_step, "Authenticator removed."),
}
"""What can be done to an account as it is shown, and what is said then."""
QUESTIONS = {
    "disable": "They'll be signed out immediately and can't sign in until the account is enabled again.",
    "drop": "Use this for a lost phone. They can sign in with only their password until they set up a new authenticator.",
    "sessions": "They'll be signed out of every browser and can sign in again.",
}


@dataclass
class Shown:
    """An account in words."""

    id: int = 0
    version: int = 0
    name: str = ""
    email: str = ""
    role: str = ""
    state: str = ""
    """A key of STATES."""
    two_step: bool = False
    made: str = ""
    seen: str = ""


@dataclass
class Done:
    """One entry of the audit log."""

    id: int
    what: str
    line: str


class StaffAccountState(StaffState):
    """The account that the address names."""

    person: rx.Field[Shown] = rx.field(default_factory=Shown)
    own: rx.Field[bool] = rx.field(False)
    """It is the reader's."""
    chosen: rx.Field[str] = rx.field("")
    """The role that the form begins with."""
    browsers: rx.Field[list[Browser]] = rx.field(default_factory=list)
    trail: rx.Field[list[Done]] = rx.field(default_factory=list)
    question: rx.Field[str] = rx.field("")
    """What is asked first; empty: nothing."""
    clash: list[Difference] = []
    """What somebody else saved, beside what was about to be saved."""
    _pending_action: str = ""
    _conflict_action: str = ""
    """What waits for a choice between the two."""
    _version: int = 0
    """Of the account as the role's form shows it."""

    @staff_page(Permission.MANAGE_STAFF)
    async def open_person(self, who: Staff) -> None:
        """Show the account."""
        given = str(self.router.url.query_parameters.get("id", ""))
        identity = int(given) if given.isascii() and given.isdecimal() and len(given) < 10 else 0
        self.reset()
        await self._fill(identity, who)
        self._begin_form()

    @staff_watch(Permission.MANAGE_STAFF)
    async def refresh(self, who: Staff) -> None:
        """Show news; a form that is being filled in stays as it is."""
        await self._fill(self.person.id, who)

    @staff_event(Permission.MANAGE_STAFF)
    async def save_role(self, who: Staff, form: dict[str, Any]) -> None:
        """Give them another role."""
        await self._do(who, f"role:{role_of(form)}", self._version)

    @staff_event(Permission.MANAGE_STAFF)
    async def enable(self, who: Staff) -> None:
        """Let them sign in again."""
        await self._do(who, "enable", self.person.version)

    @staff_event(Permission.MANAGE_STAFF)
    async def send_link(self, who: Staff) -> None:
        """Mail them a link with which they choose a password."""
        async with session_scope() as session:
            await accounts.send_link(session, self.person.id, who)
        await self._fill(self.person.id, who)
        self._say(link_sent())

    @staff_event(Permission.MANAGE_STAFF)
    async def ask(self, _who: Staff, action: str) -> None:
        """Ask before a step that somebody feels."""
        if isinstance(action, str) and action in QUESTIONS:
            self._pending_action, self.question = action, QUESTIONS[action]

    @staff_event(Permission.MANAGE_STAFF)
    async def dismiss(self, _who: Staff) -> None:
        """Leave it as it is."""
        self._pending_action = self.question = ""

    @staff_event(Permission.MANAGE_STAFF)
    async def go_on(self, who: Staff) -> None:
        """Do what was asked about."""
        action, self._pending_action, self.question = self._pending_action, "", ""
        if action == "sessions":
            await self._sign_out(who)
        elif action:
            await self._do(who, action, self.person.version)

    @staff_event(Permission.MANAGE_STAFF)
    async def keep_theirs(self, who: Staff) -> None:
        """Let go of what was about to be saved."""
        self._conflict_action, self.clash = "", []
        await self._fill(self.person.id, who)
        self._begin_form()

    @staff_event(Permission.MANAGE_STAFF)
    async def save_over(self, who: Staff, _form: dict[str, Any]) -> None:
        """Save it over what somebody else saved, which is on the screen."""
        action, self._conflict_action, self.clash = self._conflict_action, "", []
        if action:
            await self._do(who, action, self._version)

    async def _do(self, who: Staff, action: str, version: int) -> None:
        try:
            said = await _done(action, self.person.id, version, who)
        except StaleRecord as changed:
            await self._compare(who, action, changed.current)
            return
        await self._fill(self.person.id, who)
        self._begin_form()
        self._say(said)

    async def _compare(self, who: Staff, action: str, now: Account) -> None:
        theirs = _in_words(now)
        self.clash = differences(LABELS, theirs, theirs | _wanted(action))
        await self._fill(now.id, who)
        self._version = now.version
        if not self.clash:
            self._begin_form()
            self._say("Somebody else has just done the same.")
            return
        self._conflict_action = action

    async def _sign_out(self, who: Staff) -> None:
        async with session_scope() as session:
            ended = await accounts.end_sessions(session, self.person.id, who)
        await self._fill(self.person.id, who)
        self._say(f"Signed out of {ended} browser{'' if ended == 1 else 's'}.")

    async def _fill(self, identity: int, who: Staff) -> None:
        async with read_scope() as session:
            account = await accounts.find_account(session, identity)
            browsers = browsers_of(await sessions.list_sessions(session, identity), who.session_id)
            entries = await audit.trail(session, "staff", account.email, TRAIL)
        trail = [Done(entry.id or 0, _spoken(entry), f"{entry.actor}, {when(entry.at)}") for entry in entries]
        own = account.id == who.account_id
        news = {"person": _shown(account), "own": own, "browsers": browsers, "trail": trail}
        for name, value in news.items():
            if getattr(self, name) != value:
                setattr(self, name, value)

    def _begin_form(self) -> None:
        self._version, self.chosen = self.person.version, self.person.role


async def _done(action: str, identity: int, version: int, who: Staff) -> str:
    if not identity:
        raise NotFound("This account does not exist.")
    verb, _, role = action.partition(":")
    async with session_scope() as session:
        if verb == "role":
            await accounts.change_role(session, identity, Role(role), version, who)
            return f"The role is {ROLE_NAMES[Role(role)]} now. Open sessions were signed out."
        change, said = VERBS[verb]
        await change(session, identity, version, who)
        return said


def _in_words(account: Account) -> dict[str, str]:
    return {
        "role": ROLE_NAMES[account.role],
        "state": STATES[state_of(account)][0],
        "two_step": "On" if account.two_step else "Off",
    }


def _wanted(action: str) -> dict[str, str]:
    verb, _, role = action.partition(":")
    if verb == "role":
        return {"role": ROLE_NAMES[Role(role)]}
    return {"disable": {"state": "Disabled"}, "enable": {"state": "Active"}, "drop": {"two_step": "Off"}}[
        verb
    ]


def _shown(account: Account) -> Shown:
    return Shown(
        id=account.id,
        version=account.version,
        name=account.name,
        email=account.email,
        role=account.role.value,
        state=state_of(account),
        two_step=account.two_step,
        made=when(account.created_at),
        seen=when(account.seen_at) or "Never",
    )


def _spoken(entry: AuditEntry) -> str:
    done = action_label(entry.action)
    return f"{done}: {entry.detail}" if entry.detail else done
