"""The authenticator of an account: set up, confirm, replace, remove; its recovery codes; and the rule who needs one.

An authenticator is required for the roles that the settings name, and for all staff once an owner decides so.
"""

from dataclasses import dataclass, replace
from datetime import datetime

from sqlalchemy import Delete, delete, func
from sqlmodel import col, select
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.auth import audit, one_time_codes, sessions
from agency_site.auth.accounts import WITHOUT_TOTP, lock_account
from agency_site.auth.attempts import Scope
from agency_site.auth.rules import Role, SessionEnd, Staff
from agency_site.auth.tables import BackOfficeSetting, StaffAccount, StaffRecoveryCode
from agency_site.auth.usecases import confirm_password_and_code
from agency_site.clock import now
from agency_site.errors import Conflict, FieldError, InputRejected
from agency_site.settings import settings

REQUIRED = "require_totp"
"""The name of the owners' choice that all staff need an authenticator."""


@dataclass(frozen=True)
class TotpOffer:
    """The data for a new authenticator; shown once, to the account's holder only."""

    secret: str
    uri: str
    picture: str
    """The QR code of `uri` as an SVG element."""


@dataclass(frozen=True)
class SecondFactor:
    """The second factor of an account."""

    since: datetime | None
    """When the authenticator was confirmed; None if the account has none."""
    codes_left: int
    required: bool
    """The role needs one, or all staff do."""


async def begin_totp(scope: Scope, who: Staff, password: str, code: str = "") -> TotpOffer:
    """Offer a new authenticator; the present one works until `confirm_totp` gets a code of the new one.

    `code` comes from the present authenticator, if there is one, or is a recovery code. Raises as `confirm_password_and_code`.
    """
    await confirm_password_and_code(scope, who, password, code)
    seed = one_time_codes.new_seed()
    async with scope() as session:
        account = await lock_account(session, who.account_id)
        account.totp_next_seed = seed
    uri = one_time_codes.totp_uri(seed, who.email)
    return TotpOffer(one_time_codes.totp_secret(seed), uri, one_time_codes.qr_picture(uri))


async def confirm_totp(session: AsyncSession, who: Staff, code: str) -> tuple[str, ...]:
    """Store the offered authenticator if `code` is its code, and end the account's other sessions.

    Returns recovery codes, which are not shown again.

    Raises InputRejected for the field `code`, and Conflict if nothing was offered.
    """
    account = await lock_account(session, who.account_id)
    if not account.totp_next_seed:
        raise Conflict("Please start again: the authenticator was set up in another window.")
    step = one_time_codes.matching_step(account.totp_next_seed, code, now(), used=0)
    if step is None:
        wrong = FieldError("code", "This is not the current code of the authenticator.")
        raise InputRejected("Please check the code.", (wrong,))
    action = "staff.two_step_replaced" if account.totp_seed else "staff.two_step_on"
    account.totp_seed, account.totp_next_seed = account.totp_next_seed, ""
    account.totp_step, account.totp_confirmed_at = step, now()
    await sessions.end_all(session, who.account_id, SessionEnd.SECOND_FACTOR, except_session=who.session_id)
    await audit.record(session, who, action, "staff", who.email)
    return await _replace_codes(session, who)


async def disable_totp(scope: Scope, who: Staff, password: str, code: str) -> None:
    """Remove the own authenticator, so that the password alone signs in; the account's other sessions end.

    Raises Conflict if the role needs an authenticator, otherwise as `confirm_password_and_code`.
    """
    async with scope() as session:
        await _require_choice(session, who)
    await confirm_password_and_code(scope, who, password, code)
    async with scope() as session:
        await _require_choice(session, who)
        account = await lock_account(session, who.account_id)
        account.sqlmodel_update(WITHOUT_TOTP)
        await session.exec(_codes_of(who))
        await sessions.end_all(
            session, who.account_id, SessionEnd.SECOND_FACTOR, except_session=who.session_id
        )
        await audit.record(session, who, "staff.two_step_off", "staff", who.email)


async def new_recovery_codes(scope: Scope, who: Staff, password: str, code: str) -> tuple[str, ...]:
    """Replace all recovery codes by new ones, which are not shown again.

    Raises Conflict without an authenticator, otherwise as `confirm_password_and_code`.
    """
    account = await confirm_password_and_code(scope, who, password, code)
    if not account.totp_seed:
        raise Conflict("Set up an authenticator before creating recovery codes.")
    async with scope() as session:
        await audit.record(session, who, "staff.recovery_codes_renewed", "staff", who.email)
        return await _replace_codes(session, who)


async def find_second_factor(session: AsyncSession, account_id: int) -> SecondFactor:
    account = await session.get_one(StaffAccount, account_id)
    unused_codes = select(func.count()).where(
        col(StaffRecoveryCode.account_id) == account_id, col(StaffRecoveryCode.used_at).is_(None)
    )
    since = account.totp_confirmed_at if account.totp_seed else None
    return SecondFactor(
        since, (await session.exec(unused_codes)).one(), await _is_required_of(session, account.role)
    )


async def is_required(session: AsyncSession) -> bool:
    """Return whether owners have decided that all staff need an authenticator."""
    values = await session.exec(select(BackOfficeSetting.value).where(BackOfficeSetting.name == REQUIRED))
    return values.one_or_none() is True


async def _is_required_of(session: AsyncSession, role: Role) -> bool:
    return role in settings().second_factor_roles or await is_required(session)


async def must_set_up_totp(session: AsyncSession, account_id: int) -> bool:
    """Return whether the account may see only its own page until it has an authenticator."""
    account = await session.get_one(StaffAccount, account_id)
    return not account.totp_seed and await _is_required_of(session, account.role)


async def find_staff(session: AsyncSession, token: str, address: str) -> Staff | None:
    """Return the signed-in member of staff, as `sessions.find` does; held back while a required authenticator is missing."""
    who = await sessions.find(session, token, address)
    if who and await must_set_up_totp(session, who.account_id):
        return replace(who, held_back=True)
    return who


async def require_totp(session: AsyncSession, who: Staff, required: bool) -> None:  # noqa: FBT001 - it is the value
    """Decide whether all staff need an authenticator. Accounts without one can then only set it up."""
    choice = await session.get(BackOfficeSetting, REQUIRED, with_for_update=True)
    choice = choice or BackOfficeSetting(name=REQUIRED, value=False, updated_at=now())
    choice.value, choice.updated_at = required, now()
    session.add(choice)
    await audit.record(
        session, who, "office.two_step_required", "office", REQUIRED, "on" if required else "off"
    )


async def _require_choice(session: AsyncSession, who: Staff) -> None:
    if await _is_required_of(session, who.role):
        raise Conflict("Your role requires an authenticator. You can replace it with another one.")


async def _replace_codes(session: AsyncSession, who: Staff) -> tuple[str, ...]:
    codes = one_time_codes.new_recovery_codes()
    await session.exec(_codes_of(who))
    session.add_all(
        StaffRecoveryCode(
            account_id=who.account_id, code_hash=one_time_codes.recovery_hash(who.account_id, code)
        )
        for code in codes
    )
    await session.flush()
    return codes


def _codes_of(who: Staff) -> Delete:
    return delete(StaffRecoveryCode).where(col(StaffRecoveryCode.account_id) == who.account_id)
