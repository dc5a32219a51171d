"""Choosing a password through a one-time link: set-up, invitation, reset."""

from collections.abc import Callable

from agency_site.auth import audit, one_time_links, passwords, sessions
from agency_site.auth.accounts import lock_account
from agency_site.auth.attempts import Scope, clear_all_attempts
from agency_site.auth.errors import LinkGone
from agency_site.auth.rules import LinkPurpose, Role, SessionEnd
from agency_site.auth.sessions import Visit
from agency_site.auth.tables import StaffAccount
from agency_site.auth.usecases import SignedIn, start_session
from agency_site.clock import now
from agency_site.errors import FieldError, InputRejected
from agency_site.form_input import email_address, full_name

_AUDIT_ACTIONS = {LinkPurpose.INVITATION: "staff.joined", LinkPurpose.RESET: "staff.password_reset"}


async def set_up(
    scope: Scope, token: str, email: str, name: str, password: str, repeated: str, visit: Visit
) -> SignedIn:
    """Create the first account, an owner's, and sign it in.

    Raises LinkGone, and InputRejected with the fields `email`, `name`, `password` and `repeated`.
    """
    async with scope() as session:
        await one_time_links.read_link(session, LinkPurpose.SETUP, token)
    address, owner_name = parse_person(email, name, password, repeated)
    password_hash = await passwords.hash_password(password)
    async with scope() as session:
        await one_time_links.use_link(session, LinkPurpose.SETUP, token)
        if await one_time_links.has_account(session):
            raise LinkGone
        account = new_account(address, owner_name, Role.OWNER, password_hash)
        session.add(account)
        await session.flush()
        await audit.record_as(session, address, visit.address, "staff.set_up", "staff", address)
        return await start_session(session, account, visit)


async def accept_link(
    scope: Scope, purpose: LinkPurpose, token: str, password: str, repeated: str, visit: Visit
) -> SignedIn | None:
    """Set the password of the link's account, and end its sessions and its calendar link.

    Signs the account in; returns None if it has an authenticator and must sign in with a code. Raises LinkGone, and
    InputRejected with the fields `password` and `repeated`.
    """
    async with scope() as session:
        offer = await one_time_links.read_link(session, purpose, token)
    _reject_faults(_password_faults(password, repeated, offer.email, offer.name))
    password_hash = await passwords.hash_password(password)
    async with scope() as session:
        await one_time_links.use_link(session, purpose, token)
        account = await lock_account(session, offer.account_id)
        if account.disabled_at:
            raise LinkGone
        account.password_hash, account.calendar_token_hash, account.updated_at = password_hash, None, now()
        await one_time_links.withdraw_links(session, account.id or 0)
        await sessions.end_all(session, account.id or 0, SessionEnd.PASSWORD)
        await clear_all_attempts(session, account.email)
        await audit.record_as(
            session, account.email, visit.address, _AUDIT_ACTIONS[purpose], "staff", account.email
        )
        return None if account.totp_seed else await start_session(session, account, visit)


def new_account(email: str, name: str, role: Role, password_hash: str) -> StaffAccount:
    moment = now()
    return StaffAccount(
        email=email, name=name, role=role, password_hash=password_hash, created_at=moment, updated_at=moment
    )


def parse_person(email: str, name: str, password: str, repeated: str) -> tuple[str, str]:
    """Return the e-mail address and name of a new member of staff, all four fields checked at once. Raises InputRejected."""
    faults = [
        *_faults("email", lambda: email_address(email)),
        *_faults("name", lambda: full_name(name)),
        *_password_faults(password, repeated, email, name),
    ]
    _reject_faults(faults)
    return email_address(email).lower(), full_name(name)


def _password_faults(password: str, repeated: str, email: str, name: str) -> list[FieldError]:
    faults = _faults("password", lambda: passwords.require_good_password(password, email, name))
    if not faults and repeated != password:
        faults = [FieldError("repeated", "The passwords do not match.")]
    return faults


def _faults(field: str, parse: Callable[[], object]) -> list[FieldError]:
    try:
        parse()
    except ValueError as wrong:
        return [FieldError(field, str(wrong))]
    return []


def _reject_faults(faults: list[FieldError]) -> None:
    if faults:
        raise InputRejected("Please check the marked fields.", tuple(faults))
