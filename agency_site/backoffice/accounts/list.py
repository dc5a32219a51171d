"""The list of staff accounts, and all screens of accounts."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from sqlalchemy import ColumnElement, func, or_
from sqlmodel import col

from agency_site.auth.accounts import SEEN_AT, Account, account_of, account_rows
from agency_site.auth.rules import ROLE_NAMES, Permission, Role
from agency_site.auth.tables import StaffAccount
from agency_site.backoffice.accounts.detail_view import ACCOUNT_PATH, STAFF_ACCOUNT_SCREEN
from agency_site.backoffice.accounts.invitations import STATES, InvitationState, state_of
from agency_site.backoffice.accounts.invitations_view import staff_panels
from agency_site.backoffice.accounts.own_account import ACCOUNT_SCREEN
from agency_site.backoffice.lists.definition import (
    Cell,
    Choice,
    Column,
    ListDefinition,
    each,
    moment_cell,
    when,
)
from agency_site.backoffice.lists.view import list_screen
from agency_site.backoffice.screens import Screen
from agency_site.form_input import fold


def _account_cell(show: Callable[[Account], Cell]) -> Callable[[Any], Cell]:
    return lambda row: show(account_of(*row))


def _matches_account(word: str) -> ColumnElement[bool]:
    return or_(
        # The words of a search have no apostrophes.
        func.replace(func.lower(StaffAccount.name), "'", "").contains(fold(word), autoescape=True),
        col(StaffAccount.email).contains(word, autoescape=True),
    )


def _in_state(state: str) -> ColumnElement[bool]:
    disabled = col(StaffAccount.disabled_at).is_not(None)
    if state == "disabled":
        return disabled
    has_password = col(StaffAccount.password_hash) != ""
    return ~disabled & (~has_password if state == "invited" else has_password)


def _has_second_factor(answer: str) -> ColumnElement[bool]:
    is_on = col(StaffAccount.totp_seed) != ""
    return is_on if answer == "on" else ~is_on


def _roles() -> Sequence[tuple[str, str]]:
    return [(role.value, ROLE_NAMES[role]) for role in Role]


STAFF_ACCOUNTS = ListDefinition(
    name="staff",
    title="Staff",
    noun=("account", "accounts"),
    path="/admin/staff",
    permission=Permission.MANAGE_STAFF,
    rows=account_rows,
    identity=col(StaffAccount.id),
    reference=lambda row: account_of(*row).email,
    columns=(
        Column("name", "Name", _account_cell(lambda a: Cell(a.name)), sort=func.lower(StaffAccount.name)),
        Column("email", "E-mail", _account_cell(lambda a: Cell(a.email)), sort=col(StaffAccount.email)),
        Column(
            "role", "Role", _account_cell(lambda a: Cell(ROLE_NAMES[a.role])), sort=col(StaffAccount.role)
        ),
        Column("state", "State", _account_cell(lambda a: Cell(*STATES[state_of(a)]))),
        Column(
            "two-step",
            "Second factor",
            _account_cell(lambda a: Cell("On", "good") if a.has_second_factor else Cell("Off")),
            caption=True,
        ),
        Column(
            "seen",
            "Last seen",
            _account_cell(lambda a: Cell(when(a.seen_at) or "Never", raw=a.seen_at)),
            sort=SEEN_AT,
            unit="Nairobi",
            caption=True,
        ),
        Column(
            "made",
            "Since",
            _account_cell(lambda a: moment_cell(a.created_at)),
            sort=col(StaffAccount.created_at),
            unit="Nairobi",
            is_shown=False,
        ),
    ),
    order="name",
    href=lambda row: f"{ACCOUNT_PATH}?id={account_of(*row).id}",
    filters=(
        Choice("role", "Role", _roles, lambda value: col(StaffAccount.role) == Role(value)),
        Choice("state", "State", lambda: [(key, name) for key, (name, _) in STATES.items()], _in_state),
        Choice("two-step", "Second factor", lambda: [("on", "On"), ("off", "Off")], _has_second_factor),
    ),
    search=each(_matches_account),
    search_hint="Name or e-mail",
)


def _screen() -> Screen:
    screen = list_screen(STAFF_ACCOUNTS, staff_panels(), icon="users")
    return replace(screen, on_load=(*screen.on_load, InvitationState.open_rule))


SCREENS = (_screen(), STAFF_ACCOUNT_SCREEN, ACCOUNT_SCREEN)
