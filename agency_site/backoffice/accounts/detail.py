"""The detail page of a staff account: its state."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import reflex as rx
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.auth import accounts, audit, sessions
from agency_site.auth.accounts import Account
from agency_site.auth.rules import ROLE_NAMES, Permission, Role, Staff
from agency_site.auth.tables import AuditEntry
from agency_site.backoffice.access_control import staff_event
from agency_site.backoffice.accounts.invitations import STATES, describe_link_delivery, parse_role, state_of
from agency_site.backoffice.accounts.own_account_state import Browser, browsers_of
from agency_site.backoffice.audit_labels import action_label
from agency_site.backoffice.detail_page import DetailPage, Edit
from agency_site.backoffice.lists.definition import when
from agency_site.backoffice.records import HistoryLine
from agency_site.backoffice.state import StaffState
from agency_site.db.engine import session_scope
from agency_site.ids import parse_id

RECENT_ENTRIES = 8
"""Entries of the audit log that are shown."""
ROLE = "role"
END_SESSIONS = "sessions"


@dataclass(frozen=True)
class Action:
    """An action on an account: its use case, the fields that it sets, and the message afterwards."""

    use_case: Callable[[AsyncSession, int, int, Staff], Awaitable[Account]]
    fields: Mapping[str, str]
    message: str


ACTIONS: Mapping[str, Action] = {
    "disable": Action(accounts.disable, {"state": "Disabled"}, "Account disabled and signed out everywhere."),
    "enable": Action(accounts.enable, {"state": "Active"}, "Account enabled."),
    "remove": Action(accounts.remove_second_factor, {"second_factor": "Off"}, "Authenticator removed."),
}
QUESTIONS: Mapping[str, tuple[str, str, str]] = {
    "disable": (
        "Disable this account?",
        "Disable account",
        "They'll be signed out immediately and can't sign in until the account is enabled again.",
    ),
    "remove": (
        "Remove the authenticator?",
        "Remove authenticator",
        "Use this for a lost phone. They can sign in with only their password until they set up a new authenticator.",
    ),
    END_SESSIONS: (
        "Sign out everywhere?",
        "Sign out everywhere",
        "They'll be signed out of every browser and can sign in again.",
    ),
}
"""Title, button and text of the dialog before an action; its key is then the open panel."""


class StaffAccountPage(DetailPage, StaffState):
    """The staff account that is open."""

    VIEW: ClassVar = Permission.MANAGE_STAFF
    EDIT: ClassVar = Permission.MANAGE_STAFF
    PARAMETER: ClassVar = "id"
    FIELDS: ClassVar = {"role": "Role", "state": "State", "second_factor": "Second factor"}

    own: rx.Field[bool] = rx.field(False)
    """The account is the reader's."""
    chosen_role: rx.Field[str] = rx.field("")
    """The role that the form begins with."""
    browsers: rx.Field[list[Browser]] = rx.field(default_factory=list)

    @staff_event(Permission.MANAGE_STAFF)
    async def save_role(self, who: Staff, form: dict[str, Any]) -> None:
        role = parse_role(form)
        edit = Edit(ROLE, {"role": ROLE_NAMES[role]}, options={"role": role})
        await self._store(who, edit, self._draft_version or self.version)

    @staff_event(Permission.MANAGE_STAFF)
    async def enable(self, who: Staff) -> None:
        await self._act(who, "enable")

    @staff_event(Permission.MANAGE_STAFF)
    async def send_link(self, who: Staff) -> None:
        """Mail the holder a link for choosing a password."""
        async with session_scope() as session:
            await accounts.send_link(session, parse_id(self.reference), who)
        await self._load(who, self.reference)
        self._say(describe_link_delivery())

    @staff_event(Permission.MANAGE_STAFF)
    async def ask(self, _who: Staff, action: str) -> None:
        """Ask before an action that the holder will notice."""
        if isinstance(action, str) and action in QUESTIONS:
            self.panel = action

    @staff_event(Permission.MANAGE_STAFF)
    async def confirm(self, who: Staff) -> None:
        """Run the action of the open dialog."""
        action, self.panel = self.panel, ""
        if action == END_SESSIONS:
            await self._end_sessions(who)
        elif action:
            await self._act(who, action)

    async def _act(self, who: Staff, action: str) -> None:
        await self._store(who, Edit(action, ACTIONS[action].fields), self.version)

    async def _end_sessions(self, who: Staff) -> None:
        async with session_scope() as session:
            ended = await accounts.end_sessions(session, parse_id(self.reference), who)
        await self._load(who, self.reference)
        self._say(f"Signed out of {ended} browser{'' if ended == 1 else 's'}.")

    async def _opened(self, _who: Staff) -> None:
        if self.reference and not self.conflicts:
            self._begin_form()

    async def _apply(self, session: AsyncSession, who: Staff, edit: Edit, version: int) -> str:
        account = parse_id(self.reference)
        if edit.verb == ROLE:
            role = Role(edit.options["role"])
            await accounts.change_role(session, account, role, version, who)
            return f"The role is {ROLE_NAMES[role]} now. Open sessions were signed out."
        action = ACTIONS[edit.verb]
        await action.use_case(session, account, version, who)
        return action.message

    def _fields_of(self, record: Account) -> dict[str, str]:
        return {
            "role": ROLE_NAMES[record.role],
            "state": STATES[state_of(record)][0],
            "second_factor": "On" if record.has_second_factor else "Off",
        }

    def _end_edit(self) -> None:
        super()._end_edit()
        self._draft_version = 0

    async def _load(self, who: Staff, reference: str) -> None:
        await super()._load(who, reference)
        if not self._draft_version:
            self._begin_form()

    def _begin_form(self) -> None:
        """Store the version for the role's form, so that it keeps its choice while others change the account."""
        self._draft_version, self.chosen_role = self.version, self.facts["role"]

    async def _read(self, session: AsyncSession, who: Staff, reference: str) -> dict[str, Any]:
        account = await accounts.find_account(session, parse_id(reference))
        open_sessions = await sessions.list_sessions(session, account.id)
        entries = await audit.list_entries(session, "staff", account.email, RECENT_ENTRIES)
        return {
            "reference": str(account.id),
            "version": account.version,
            "facts": _account_facts(account),
            "own": account.id == who.account_id,
            "browsers": browsers_of(open_sessions, who.session_id),
            "lines": [_history_line(entry) for entry in entries],
        }


def _account_facts(account: Account) -> dict[str, str]:
    state = state_of(account)
    name, tone = STATES[state]
    return {
        "name": account.name,
        "email": account.email,
        "role": account.role.value,
        "role_name": ROLE_NAMES[account.role],
        "state": state,
        "state_name": name,
        "tone": tone,
        "second_factor": "On" if account.has_second_factor else "Off",
        "created": when(account.created_at),
        "seen": when(account.seen_at) or "Never",
    }


def _history_line(entry: AuditEntry) -> HistoryLine:
    label = action_label(entry.action)
    what = f"{label}: {entry.detail}" if entry.detail else label
    return HistoryLine(what, "", when(entry.at), entry.actor)
