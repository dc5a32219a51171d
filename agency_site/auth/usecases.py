"""Signing in and out, and changing the own password.

Verbs that check a password take a scope instead of a session: Argon2 takes long, and no transaction stays open
for it.
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

NOBODY = "unknown account"
"""Who the audit log says failed to sign in with an address that no account has: what was typed stays out of it."""


@dataclass(frozen=True)
class SignedIn:
    """What the browser has to keep from now on."""

    token: str
    device: str
    """The note that it signed in to this account."""


@dataclass(frozen=True)
class CodeNeeded:
    """The password was right; the code is owed."""

    pending: str


async def sign_in(scope: Scope, email: str, password: str, visit: Visit) -> SignedIn | CodeNeeded:
    """Sign somebody in with e-mail address and password.

    Raises SignInRefused, after the same work and in the same words for an unknown account, a wrong password and a
    disabled account, and TooManyRequests. The audit log gets a line either way.
    """
    typed = stored_address(join_lines(email))
    async with scope() as session:
        account = (await session.exec(select(StaffAccount).where(StaffAccount.email == typed))).one_or_none()
    named = account.email if account else NOBODY
    attempt = await _begin_attempt(scope, attempts.PASSWORD, typed, visit, named)
    stored = account.password_hash if account else ""
    if not await passwords.verify(stored, password) or account is None or account.disabled_at:
        async with scope() as session:
            await audit.record_refusal(session, named, visit.address, "staff.sign_in_refused", named)
        raise SignInRefused
    fresh = await passwords.renewed(stored, password)
    async with scope() as session:
        account = await _unchanged(session, account)
        account.password_hash = fresh
        await attempts.forgive(session, attempt)
        if account.totp_seed:
            return CodeNeeded(seal_pending(account.id or 0, fresh, now()))
        return await let_in(session, account, visit)


async def enter_code(scope: Scope, pending: str, code: str, visit: Visit) -> SignedIn:
    """Check the second factor: a code of the authenticator, or a recovery code. Either works once.

    Raises PendingOver when the password was given too long ago or has changed, CodeRefused, and TooManyRequests.
    """
    async with scope() as session:
        account = await _owing(session, pending)
    attempt = await _begin_attempt(scope, attempts.CODE, account.email, visit, account.email)
    async with scope() as session:
        account = await _unchanged(session, account)
        if await _spend_code(session, account, code, visit):
            await attempts.forgive(session, attempt)
            return await let_in(session, account, visit)
        # Committed, because the refusal is raised outside of the transaction.
        await _refused(session, account, visit, "staff.code_refused")
    raise CodeRefused


async def let_in(session: AsyncSession, account: StaffAccount, visit: Visit) -> SignedIn:
    """Start a session for somebody who has proved who they are."""
    token = await sessions.start(session, account, visit)
    await _record_sign_in(session, account, visit, "staff.signed_in")
    return SignedIn(token, seal_device(account.email))


async def sign_out(session: AsyncSession, token: str, address: str) -> None:
    """End the session of that token; nothing when it is over already."""
    who = await sessions.find(session, token, address)
    if who:
        await sessions.end(session, who.session_id, SessionEnd.SIGNED_OUT)
        await audit.record(session, who, "staff.signed_out", "staff", who.email)


async def sign_out_everywhere(session: AsyncSession, who: Staff) -> int:
    """End all sessions of `who`, this one too; returns how many there were."""
    await sessions.end(session, who.session_id, SessionEnd.SIGNED_OUT)
    ended = 1 + await sessions.end_all(session, who.account_id, SessionEnd.ELSEWHERE)
    await audit.record(session, who, "staff.signed_out_everywhere", "staff", who.email, f"{ended} sessions")
    return ended


async def end_own_session(session: AsyncSession, who: Staff, session_id: int) -> None:
    """End one session of `who`, such as one on a lost phone; nothing for anybody else's."""
    if session_id in {found.id for found in await sessions.list_sessions(session, who.account_id)}:
        await sessions.end(session, session_id, SessionEnd.ELSEWHERE)
        await audit.record(session, who, "staff.session_ended", "staff", who.email)


async def change_name(session: AsyncSession, who: Staff, name: str) -> str:
    """Change the name that other staff see; returns the name as it is kept. Raises InputRejected with the field `name`."""
    try:
        called = full_name(name)
    except ValueError as wrong:
        raise InputRejected("Please check your name.", (FieldError("name", str(wrong)),)) from None
    account = await lock_account(session, who.account_id)
    if account.name != called:
        account.name, account.updated_at = called, now()
        await audit.record(session, who, "staff.renamed", "staff", who.email)
    return called


async def change_password(scope: Scope, who: Staff, current: str, new: str) -> None:
    """Change the own password and end the other sessions of the account and its calendar link.

    Raises InputRejected with the fields `current` and `new`, and TooManyRequests.
    """
    account = await confirmed(scope, who, current, "current")
    fresh = await passwords.hashed(chosen(new, account.email, account.name, "new"))
    async with scope() as session:
        account = await _unchanged(session, account)
        account.password_hash, account.calendar_token_hash = fresh, None
        await withdraw_links(session, who.account_id)
        await sessions.end_all(session, who.account_id, SessionEnd.PASSWORD, except_session=who.session_id)
        await audit.record(session, who, "staff.password_changed", "staff", who.email)


def chosen(password: str, email: str, name: str, field: str) -> str:
    """A password that somebody chose, if it is good enough. Raises InputRejected for `field`."""
    try:
        return passwords.judged(password, email, name)
    except ValueError as wrong:
        raise InputRejected("Please choose another password.", (FieldError(field, str(wrong)),)) from None


async def confirmed(scope: Scope, who: Staff, password: str, field: str) -> StaffAccount:
    """The account of `who`, once they have given its password again.

    Raises InputRejected for `field` and, for too many attempts in one session, TooManyRequests.
    """
    here = Visit(f"session:{who.session_id}")
    attempt: Attempt = await attempts.begin(scope, attempts.CONFIRMATION, who.email, here)
    async with scope() as session:
        account = await session.get_one(StaffAccount, who.account_id)
    if not await passwords.verify(account.password_hash, password):
        async with scope() as session:
            await _refused(session, account, Visit(who.address), "staff.password_refused")
        problem = "The password is incorrect." if password else "Please enter your password."
        raise InputRejected("Please check your password.", (FieldError(field, problem),))
    async with scope() as session:
        await attempts.forgive(session, attempt)
    return account


async def confirmed_twice(scope: Scope, who: Staff, password: str, code: str) -> StaffAccount:
    """The account of `who`, once they have given password and, with an authenticator, a code of it or a recovery code.

    Either code works once. Raises InputRejected for the fields `password` and `code`, and TooManyRequests.
    """
    account = await confirmed(scope, who, password, "password")
    if not account.totp_seed:
        return account
    attempt = await attempts.begin(scope, attempts.CODE, who.email, Visit(f"session:{who.session_id}"))
    async with scope() as session:
        account = await _unchanged(session, account)
        if await _spend_code(session, account, code, Visit(who.address)):
            await attempts.forgive(session, attempt)
            return account
        await _refused(session, account, Visit(who.address), "staff.code_refused")
    problem = "This code is incorrect or was already used." if code else "Please enter the code."
    raise InputRejected("Please check the code.", (FieldError("code", problem),))


async def _begin_attempt(scope: Scope, kind: Kind, typed: str, visit: Visit, named: str) -> Attempt:
    try:
        return await attempts.begin(scope, kind, typed, visit)
    except TooManyRequests:
        async with scope() as session:
            await audit.record_refusal(session, named, visit.address, "staff.sign_in_blocked", named)
        raise


async def _refused(session: AsyncSession, account: StaffAccount, visit: Visit, action: str) -> None:
    await audit.record_refusal(session, account.email, visit.address, action, account.email)


async def _unchanged(session: AsyncSession, seen: StaffAccount) -> StaffAccount:
    """The account, locked until the transaction ends, if nobody has changed its access since."""
    account = await lock_account(session, seen.id)
    if account.disabled_at or account.password_hash != seen.password_hash:
        raise Conflict("This account was just changed. Please try again.")
    return account


async def _owing(session: AsyncSession, pending: str) -> StaffAccount:
    note = open_pending(pending)
    account = await session.get(StaffAccount, note.account_id) if note else None
    if note is None or account is None or account.disabled_at or not note.holds(account.password_hash, now()):
        raise PendingOver
    return account


async def _spend_code(session: AsyncSession, account: StaffAccount, code: str, visit: Visit) -> bool:
    return await _spend_totp(session, account, code) or await _spend_recovery(session, account, code, visit)


async def _spend_totp(session: AsyncSession, account: StaffAccount, code: str) -> bool:
    step = one_time_codes.matching_step(account.totp_seed, code, now(), account.totp_step)
    if step is None:
        return False
    spent = (
        update(StaffAccount)
        .where(col(StaffAccount.id) == account.id, col(StaffAccount.totp_step) < step)
        .values(totp_step=step)
        .execution_options(synchronize_session=False)
    )
    return (await session.exec(spent)).rowcount == 1


async def _spend_recovery(session: AsyncSession, account: StaffAccount, code: str, visit: Visit) -> bool:
    spent = (
        update(StaffRecoveryCode)
        .where(
            col(StaffRecoveryCode.account_id) == account.id,
            col(StaffRecoveryCode.code_hash).in_(one_time_codes.recovery_hashes(account.id or 0, code)),
            col(StaffRecoveryCode.used_at).is_(None),
        )
        .values(used_at=now())
        .execution_options(synchronize_session=False)
    )
    if (await session.exec(spent)).rowcount != 1:
        return False
    await _record_sign_in(session, account, visit, "staff.recovery_code_used")
    return True


async def _record_sign_in(session: AsyncSession, account: StaffAccount, visit: Visit, action: str) -> None:
    await audit.record_as(session, account.email, visit.address, action, "staff", account.email)
