"""Signing in and out, and changing the own password.

Functions that check a password take a scope instead of a session, so that no transaction stays open while Argon2 works.
"""

from dataclasses import dataclass

from sqlalchemy import update
from sqlmodel import col, select
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.auth import attempts, audit, one_time_codes, passwords, sessions
from agency_site.auth.accounts import lock_account
from agency_site.auth.attempts import Attempt, Kind, Scope
from agency_site.auth.errors import CodeRefused, PendingOver, SignInRefused
from agency_site.auth.one_time_links import withdraw_links
from agency_site.auth.rules import SessionEnd, Staff
from agency_site.auth.sessions import Visit
from agency_site.auth.tables import StaffAccount, StaffRecoveryCode
from agency_site.auth.tokens import open_pending, seal_device, seal_pending
from agency_site.clock import now
from agency_site.email_addresses import stored_address
from agency_site.errors import Conflict, FieldError, InputRejected, TooManyRequests
from agency_site.form_input import full_name
from agency_site.mail.rules import join_lines

UNKNOWN_ACCOUNT = "unknown account"
"""The actor in the audit log for an address without an account: the typed text stays out of the log."""


@dataclass(frozen=True)
class SignedIn:
    """The cookies of a browser that has signed in."""

    token: str
    device: str
    """The note that this browser signed in to this account."""


@dataclass(frozen=True)
class CodeNeeded:
    """The password was right; the code is still missing."""

    pending: str


async def sign_in(scope: Scope, email: str, password: str, visit: Visit) -> SignedIn | CodeNeeded:
    """Sign a member of staff in with e-mail address and password.

    Raises TooManyRequests, and SignInRefused: after the same work and in the same words for an unknown account, a wrong
    password and a disabled account. The audit log gets an entry in each case.
    """
    address = stored_address(join_lines(email))
    async with scope() as session:
        account = (
            await session.exec(select(StaffAccount).where(StaffAccount.email == address))
        ).one_or_none()
    actor = account.email if account else UNKNOWN_ACCOUNT
    attempt = await _begin_attempt(scope, attempts.PASSWORD, address, visit, actor)
    stored_hash = account.password_hash if account else ""
    if not await passwords.verify(stored_hash, password) or account is None or account.disabled_at:
        async with scope() as session:
            await audit.record_refusal(session, actor, visit.address, "staff.sign_in_refused", actor)
        raise SignInRefused
    password_hash = await passwords.rehash_if_outdated(stored_hash, password)
    async with scope() as session:
        account = await _lock_unchanged(session, account)
        account.password_hash = password_hash
        await attempts.clear_attempts(session, attempt)
        if account.totp_seed:
            return CodeNeeded(seal_pending(account.id or 0, password_hash, now()))
        return await start_session(session, account, visit)


async def enter_code(scope: Scope, pending: str, code: str, visit: Visit) -> SignedIn:
    """Check the second factor: a code of the authenticator, or a recovery code. Either works once.

    Raises PendingOver if the password was entered too long ago or has changed, CodeRefused, and TooManyRequests.
    """
    async with scope() as session:
        account = await _pending_account(session, pending)
    attempt = await _begin_attempt(scope, attempts.CODE, account.email, visit, account.email)
    async with scope() as session:
        account = await _lock_unchanged(session, account)
        if await _spend_code(session, account, code, visit):
            await attempts.clear_attempts(session, attempt)
            return await start_session(session, account, visit)
        # Committed, because the refusal is raised outside of the transaction.
        await _record_refusal(session, account, visit, "staff.code_refused")
    raise CodeRefused


async def start_session(session: AsyncSession, account: StaffAccount, visit: Visit) -> SignedIn:
    """Start a session for an account whose holder has proved who they are."""
    token = await sessions.start(session, account, visit)
    await _record_sign_in(session, account, visit, "staff.signed_in")
    return SignedIn(token, seal_device(account.email))


async def sign_out(session: AsyncSession, token: str, address: str) -> None:
    """End the session of that token, if it is open."""
    who = await sessions.find(session, token, address)
    if who:
        await sessions.end(session, who.session_id, SessionEnd.SIGNED_OUT)
        await audit.record(session, who, "staff.signed_out", "staff", who.email)


async def sign_out_everywhere(session: AsyncSession, who: Staff) -> int:
    """End all sessions of `who`, including this one; return how many there were."""
    await sessions.end(session, who.session_id, SessionEnd.SIGNED_OUT)
    ended = 1 + await sessions.end_all(session, who.account_id, SessionEnd.ELSEWHERE)
    await audit.record(session, who, "staff.signed_out_everywhere", "staff", who.email, f"{ended} sessions")
    return ended


async def end_own_session(session: AsyncSession, who: Staff, session_id: int) -> None:
    """End one session of `who`, such as one on a lost phone; ignore sessions of other accounts."""
    if session_id in {own.id for own in await sessions.list_sessions(session, who.account_id)}:
        await sessions.end(session, session_id, SessionEnd.ELSEWHERE)
        await audit.record(session, who, "staff.session_ended", "staff", who.email)


async def change_name(session: AsyncSession, who: Staff, name: str) -> str:
    """Change the name that other staff see; return it as stored. Raises InputRejected with the field `name`."""
    try:
        stored_name = full_name(name)
    except ValueError as wrong:
        raise InputRejected("Please check your name.", (FieldError("name", str(wrong)),)) from None
    account = await lock_account(session, who.account_id)
    if account.name != stored_name:
        account.name, account.updated_at = stored_name, now()
        await audit.record(session, who, "staff.renamed", "staff", who.email)
    return stored_name


async def change_password(scope: Scope, who: Staff, current: str, new: str) -> None:
    """Change the own password and end the other sessions of the account and its calendar link.

    Raises InputRejected with the fields `current` and `new`, and TooManyRequests.
    """
    account = await confirm_password(scope, who, current, "current")
    password_hash = await passwords.hash_password(
        require_good_password(new, account.email, account.name, "new")
    )
    async with scope() as session:
        account = await _lock_unchanged(session, account)
        account.password_hash, account.calendar_token_hash = password_hash, None
        await withdraw_links(session, who.account_id)
        await sessions.end_all(session, who.account_id, SessionEnd.PASSWORD, except_session=who.session_id)
        await audit.record(session, who, "staff.password_changed", "staff", who.email)


def require_good_password(password: str, email: str, name: str, field: str) -> str:
    """Return the password. Raises InputRejected for `field` unless it is good enough."""
    try:
        return passwords.require_good_password(password, email, name)
    except ValueError as wrong:
        raise InputRejected("Please choose another password.", (FieldError(field, str(wrong)),)) from None


async def confirm_password(scope: Scope, who: Staff, password: str, field: str) -> StaffAccount:
    """Return the account of `who` after checking its password again.

    Raises InputRejected for `field`, and TooManyRequests after too many attempts in one session.
    """
    here = Visit(who.address, session_id=who.session_id)
    attempt: Attempt = await attempts.begin(scope, attempts.CONFIRMATION, who.email, here)
    async with scope() as session:
        account = await session.get_one(StaffAccount, who.account_id)
    if not await passwords.verify(account.password_hash, password):
        async with scope() as session:
            await _record_refusal(session, account, Visit(who.address), "staff.password_refused")
        problem = "The password is incorrect." if password else "Please enter your password."
        raise InputRejected("Please check your password.", (FieldError(field, problem),))
    async with scope() as session:
        await attempts.clear_attempts(session, attempt)
    return account


async def confirm_password_and_code(scope: Scope, who: Staff, password: str, code: str) -> StaffAccount:
    """Return the account of `who` after checking its password and, if it has an authenticator, a code or a recovery code.

    Either code works once. Raises InputRejected for the fields `password` and `code`, and TooManyRequests.
    """
    account = await confirm_password(scope, who, password, "password")
    if not account.totp_seed:
        return account
    here = Visit(who.address, session_id=who.session_id)
    attempt = await attempts.begin(scope, attempts.CODE, who.email, here)
    async with scope() as session:
        account = await _lock_unchanged(session, account)
        if await _spend_code(session, account, code, Visit(who.address)):
            await attempts.clear_attempts(session, attempt)
            return account
        await _record_refusal(session, account, Visit(who.address), "staff.code_refused")
    problem = "This code is incorrect or was already used." if code else "Please enter the code."
    raise InputRejected("Please check the code.", (FieldError("code", problem),))


async def _begin_attempt(scope: Scope, kind: Kind, email: str, visit: Visit, actor: str) -> Attempt:
    try:
        return await attempts.begin(scope, kind, email, visit)
    except TooManyRequests:
        async with scope() as session:
            await audit.record_refusal(session, actor, visit.address, "staff.sign_in_blocked", actor)
        raise


async def _record_refusal(session: AsyncSession, account: StaffAccount, visit: Visit, action: str) -> None:
    await audit.record_refusal(session, account.email, visit.address, action, account.email)


async def _lock_unchanged(session: AsyncSession, seen: StaffAccount) -> StaffAccount:
    """Lock and return the account. Raises Conflict if its access has changed since it was read."""
    account = await lock_account(session, seen.id)
    if account.disabled_at or account.password_hash != seen.password_hash:
        raise Conflict("This account was just changed. Please try again.")
    return account


async def _pending_account(session: AsyncSession, pending: str) -> StaffAccount:
    note = open_pending(pending)
    account = await session.get(StaffAccount, note.account_id) if note else None
    if (
        note is None
        or account is None
        or account.disabled_at
        or not note.is_valid(account.password_hash, now())
    ):
        raise PendingOver
    return account


async def _spend_code(session: AsyncSession, account: StaffAccount, code: str, visit: Visit) -> bool:
    return await _spend_totp(session, account, code) or await _spend_recovery(session, account, code, visit)


async def _spend_totp(session: AsyncSession, account: StaffAccount, code: str) -> bool:
    step = one_time_codes.matching_step(account.totp_seed, code, now(), account.totp_step)
    if step is None:
        return False
    statement = (
        update(StaffAccount)
        .where(col(StaffAccount.id) == account.id, col(StaffAccount.totp_step) < step)
        .values(totp_step=step)
        .execution_options(synchronize_session=False)
    )
    return (await session.exec(statement)).rowcount == 1


async def _spend_recovery(session: AsyncSession, account: StaffAccount, code: str, visit: Visit) -> bool:
    statement = (
        update(StaffRecoveryCode)
        .where(
            col(StaffRecoveryCode.account_id) == account.id,
            col(StaffRecoveryCode.code_hash).in_(one_time_codes.recovery_hashes(account.id or 0, code)),
            col(StaffRecoveryCode.used_at).is_(None),
        )
        .values(used_at=now())
        .execution_options(synchronize_session=False)
    )
    if (await session.exec(statement)).rowcount != 1:
        return False
    await _record_sign_in(session, account, visit, "staff.recovery_code_used")
    return True


async def _record_sign_in(session: AsyncSession, account: StaffAccount, visit: Visit, action: str) -> None:
    await audit.record_as(session, account.email, visit.address, action, "staff", account.email)
