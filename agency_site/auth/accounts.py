"""Account management by owners: invite, reset, change roles, disable. Every function writes the audit log.

`version` is the account's as the owner saw it: of two who edit at the same time the second gets StaleRecord, with
the current account. The last owner who can sign in can be neither disabled nor given another role.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import delete, func
from sqlmodel import col, select
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.auth import audit, emails, one_time_links, sessions
from agency_site.auth.attempts import clear_all_attempts
from agency_site.auth.rules import ROLE_NAMES, LinkPurpose, Role, SessionEnd, Staff
from agency_site.auth.tables import StaffAccount, StaffRecoveryCode, StaffSession
from agency_site.clock import now
from agency_site.db.found_rows import find_one
from agency_site.db.inserts import insert_new
from agency_site.db.read_models import ReadModel
from agency_site.db.record_versions import update_record
from agency_site.errors import Conflict, FieldError, InputRejected, StaleRecord
from agency_site.form_input import email_address, full_name
from agency_site.mail.usecases import enqueue


@dataclass(frozen=True)
class Account(ReadModel):
    """A member of staff as owners see them."""

    id: int
    email: str
    name: str
    role: Role
    version: int
    invited: bool
    """The holder has not chosen a password yet."""
    has_second_factor: bool
    """The account signs in with an authenticator."""
    disabled_at: datetime | None
    created_at: datetime
    seen_at: datetime | None
    """The last activity of the account in any browser."""


async def list_accounts(session: AsyncSession) -> list[Account]:
    """Return all accounts by name, disabled ones last."""
    rows = (await session.exec(account_rows())).all()
    return sorted(
        (account_of(*row) for row in rows),
        key=lambda account: (account.disabled_at is not None, account.name.casefold()),
    )


async def find_account(session: AsyncSession, account_id: int) -> Account:
    """Return one account. Raises NotFound."""
    row = await find_one(
        session, account_rows().where(StaffAccount.id == account_id), "This account does not exist."
    )
    return account_of(*row)


async def invite(session: AsyncSession, email: str, name: str, role: Role, by: Staff) -> None:
    """Create an account and mail its holder, and only its holder, a one-time link.

    Raises InputRejected with the fields `email` and `name`, also for an address that has an account.
    """
    address, holder_name = _parse_holder(email, name)
    moment = now()
    account_row = StaffAccount(
        email=address, name=holder_name, role=role, created_at=moment, updated_at=moment
    )
    if not await insert_new(session, StaffAccount, [account_row.model_dump(exclude={"id"})]):
        error = FieldError("email", "An account with this address already exists.")
        raise InputRejected("Please check the marked fields.", (error,))
    account = (await session.exec(select(StaffAccount).where(StaffAccount.email == address))).one()
    link = await one_time_links.make_link(session, LinkPurpose.INVITATION, account.id)
    await enqueue(session, emails.invitation(account, link, by.name))
    await audit.record(session, by, "staff.invited", "staff", address, ROLE_NAMES[role])


async def send_link(session: AsyncSession, account_id: int, by: Staff) -> None:
    """Mail a fresh one-time link to the account's holder; earlier links end.

    The link is an invitation for a holder without a password, otherwise a reset; the old password works until it is used.
    Raises NotFound, and Conflict for a disabled account.
    """
    account = await lock_account(session, account_id)
    if account.disabled_at:
        raise Conflict("This account is disabled. Enable it first.")
    if account.password_hash:
        link = await one_time_links.make_link(session, LinkPurpose.RESET, account_id)
        await enqueue(session, emails.reset(account, link, by.name))
        action = "staff.reset_sent"
    else:
        link = await one_time_links.make_link(session, LinkPurpose.INVITATION, account_id)
        await enqueue(session, emails.invitation(account, link, by.name))
        action = "staff.invited_again"
    await audit.record(session, by, action, "staff", account.email)


async def change_role(session: AsyncSession, account_id: int, role: Role, version: int, by: Staff) -> Account:
    """Give an account another role and end its sessions. Raises NotFound, StaleRecord, Conflict."""
    before = await find_account(session, account_id)
    if role is before.role:
        return before
    if role is not Role.OWNER:
        await require_another_owner(session, account_id)
    await _change(session, account_id, version, SessionEnd.ROLE, role=role)
    detail = f"{ROLE_NAMES[before.role]} → {ROLE_NAMES[role]}"
    await audit.record(session, by, "staff.role_changed", "staff", before.email, detail)
    return await find_account(session, account_id)


async def disable(session: AsyncSession, account_id: int, version: int, by: Staff) -> Account:
    """Disable an account, and end its sessions and links. Raises NotFound, StaleRecord, Conflict."""
    before = await find_account(session, account_id)
    await require_another_owner(session, account_id)
    await _change(
        session, account_id, version, SessionEnd.DISABLED, disabled_at=now(), calendar_token_hash=None
    )
    await one_time_links.withdraw_links(session, account_id)
    await audit.record(session, by, "staff.disabled", "staff", before.email)
    return await find_account(session, account_id)


async def enable(session: AsyncSession, account_id: int, version: int, by: Staff) -> Account:
    """Enable an account again. Raises NotFound, StaleRecord."""
    before = await find_account(session, account_id)
    await _change(session, account_id, version, SessionEnd.DISABLED, disabled_at=None)
    await clear_all_attempts(session, before.email)
    await audit.record(session, by, "staff.enabled", "staff", before.email)
    return await find_account(session, account_id)


async def remove_second_factor(session: AsyncSession, account_id: int, version: int, by: Staff) -> Account:
    """Remove the authenticator of an account whose holder lost the phone. Raises NotFound, StaleRecord."""
    before = await find_account(session, account_id)
    await _change(session, account_id, version, SessionEnd.SECOND_FACTOR, **WITHOUT_TOTP)
    await session.exec(delete(StaffRecoveryCode).where(col(StaffRecoveryCode.account_id) == account_id))
    await audit.record(session, by, "staff.two_step_dropped", "staff", before.email)
    return await find_account(session, account_id)


async def end_sessions(session: AsyncSession, account_id: int, by: Staff) -> int:
    """End all sessions of the account; return how many there were. Raises NotFound."""
    account = await find_account(session, account_id)
    ended = await sessions.end_all(session, account_id, SessionEnd.OWNER)
    await audit.record(session, by, "staff.sessions_ended", "staff", account.email, f"{ended} sessions")
    return ended


WITHOUT_TOTP: dict[str, Any] = {"totp_seed": "", "totp_next_seed": "", "totp_confirmed_at": None}
"""The columns of an account without an authenticator. `totp_step` is left out: a code that was used must not work again."""


async def require_another_owner(session: AsyncSession, account_id: int) -> None:
    """Raise Conflict if no other account can sign in as an owner.

    All owners' rows stay locked until the transaction ends, so two owners who disable each other take turns.
    """
    active = select(StaffAccount.id).where(
        StaffAccount.role == Role.OWNER,
        col(StaffAccount.disabled_at).is_(None),
        StaffAccount.password_hash != "",
    )
    owners = (await session.exec(active.order_by(col(StaffAccount.id)).with_for_update())).all()
    if list(owners) == [account_id]:
        raise Conflict("This is the only owner who can sign in. Give another account the owner role first.")


async def _change(
    session: AsyncSession, account_id: int, version: int, reason: SessionEnd, **values: Any
) -> None:
    if not await update_record(session, StaffAccount, account_id, version, updated_at=now(), **values):
        raise StaleRecord("this account", await find_account(session, account_id))
    await sessions.end_all(session, account_id, reason)


async def lock_account(session: AsyncSession, account_id: int | None) -> StaffAccount:
    """Return the account as it is stored now, locked until the transaction ends. Raises NotFound."""
    query = select(StaffAccount).where(StaffAccount.id == account_id).with_for_update()
    return await find_one(session, query, "This account does not exist.", fresh=True)


_seen = (
    select(StaffSession.account_id, func.max(StaffSession.seen_at).label("seen_at"))
    .group_by(col(StaffSession.account_id))
    .subquery()
)
SEEN_AT = _seen.c.seen_at
"""The column of `account_rows` for the last activity of the account in any browser."""


def account_rows() -> Any:
    """Return the statement of all accounts, each with SEEN_AT; `account_of` reads its rows."""
    statement = select(StaffAccount, SEEN_AT).join(_seen, _seen.c.account_id == StaffAccount.id, isouter=True)
    return statement.execution_options(populate_existing=True)


def account_of(row: StaffAccount, seen_at: datetime | None) -> Account:
    """Convert one row of `account_rows`."""
    return Account.of(
        row, invited=not row.password_hash, has_second_factor=bool(row.totp_seed), seen_at=seen_at
    )


def _parse_holder(email: str, name: str) -> tuple[str, str]:
    faults = []
    for field, parse, text in (("email", email_address, email), ("name", full_name, name)):
        try:
            parse(text)
        except ValueError as wrong:
            faults.append(FieldError(field, str(wrong).replace("your", "their")))
    if faults:
        raise InputRejected("Please check the marked fields.", tuple(faults))
    return email_address(email).lower(), full_name(name)
