"""`python -m agency_site.auth.command`: create a staff account from the shell, or reset one. `make staff` calls it."""

import argparse
import asyncio
import getpass
import re
import sys
from dataclasses import dataclass

from sqlalchemy import delete
from sqlalchemy.exc import DBAPIError
from sqlmodel import col, select
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.auth import audit, one_time_links, passwords, sessions
from agency_site.auth.accounts import WITHOUT_TOTP, require_another_owner
from agency_site.auth.attempts import clear_all_attempts
from agency_site.auth.rules import ROLE_NAMES, Role, SessionEnd
from agency_site.auth.set_password import new_account, parse_person
from agency_site.auth.tables import StaffAccount, StaffRecoveryCode
from agency_site.clock import now
from agency_site.db.engine import dispose_engine, session_scope
from agency_site.db.outages import describe_outage, is_outage
from agency_site.errors import InputRejected, SiteError
from agency_site.settings import SettingsRefused, load_settings, settings

_ACTOR = "shell"


@dataclass(frozen=True)
class Arguments:
    """The account that the command line asks for."""

    email: str
    role: Role | None
    name: str
    password: str
    repeated: str


class _Refused(Exception):
    """The reason why nothing was done, in one line."""


def main(arguments: list[str] | None = None) -> int:
    """Create or reset the account; return the exit code."""
    try:
        print(asyncio.run(_run(_parse_arguments(arguments))))
    except (_Refused, SiteError) as wrong:
        print(_describe(wrong), file=sys.stderr)
        return 1
    except DBAPIError as wrong:
        advice = describe_outage(wrong) if is_outage(wrong) else "Start the site once to create its tables."
        print(f"The database cannot be used. {advice}", file=sys.stderr)
        return 1
    except SettingsRefused as wrong:
        print(wrong, file=sys.stderr)
        return 1
    return 0


def _parse_arguments(arguments: list[str] | None) -> Arguments:
    parser = argparse.ArgumentParser(prog="make staff", description="Create a staff account, or reset one.")
    parser.add_argument("--email", default="", help="e-mail address of the account")
    parser.add_argument("--role", default="", help=f"one of {_roles()}")
    parser.add_argument("--name", default="", help="the name that other staff see; default: taken from EMAIL")
    options = parser.parse_args(arguments)
    if not options.email:
        raise _Refused(f"Name the account: make staff EMAIL=amina@example.com ROLE=owner. Roles: {_roles()}.")
    role = options.role.strip().lower().replace("-", "_").replace(" ", "_")
    if role and role not in set(Role):
        raise _Refused(f"There is no role {options.role}. Roles: {_roles()}.")
    first, second = _read_password()
    return Arguments(options.email, Role(role) if role else None, options.name, first, second)


def _roles() -> str:
    return ", ".join(role.value for role in Role)


def _read_password() -> tuple[str, str]:
    configured = load_settings().staff_password.get_secret_value()
    if configured:
        return configured, configured
    if not sys.stdin.isatty():
        raise _Refused("There is no terminal to ask for the password. Set STAFF_PASSWORD.")
    try:
        return getpass.getpass("Password: "), getpass.getpass("Once more: ")
    except (EOFError, KeyboardInterrupt):
        raise _Refused("Nothing was changed.") from None


def _describe(wrong: Exception) -> str:
    if isinstance(wrong, InputRejected) and wrong.errors:
        return " ".join(error.message for error in wrong.errors)
    return str(wrong)


async def _run(wanted: Arguments) -> str:
    try:
        name = wanted.name or _derive_name(wanted.email)
        email, name = parse_person(wanted.email, name, wanted.password, wanted.repeated)
        password_hash = await passwords.hash_password(wanted.password)
        async with session_scope() as session:
            query = select(StaffAccount).where(StaffAccount.email == email).with_for_update()
            account = (await session.exec(query)).one_or_none()
            if account is None:
                return await _create(session, email, name, wanted.role, password_hash)
            return await _reset(session, account, wanted, password_hash)
    finally:
        await dispose_engine()


def _derive_name(email: str) -> str:
    """Return the words before the @. Digits are left out: a name cannot contain a phone number."""
    return " ".join(re.findall(r"[^\W\d_]+", email.partition("@")[0])) or "Staff"


async def _create(session: AsyncSession, email: str, name: str, role: Role | None, password_hash: str) -> str:
    if role is None:
        raise _Refused(f"There is no account {email}. To create one, add ROLE=: {_roles()}.")
    session.add(new_account(email, name, role, password_hash))
    await audit.record_as(session, _ACTOR, "", "staff.made", "staff", email, ROLE_NAMES[role])
    return f"Created {email}, {ROLE_NAMES[role]}. Sign in at {settings().site_url}/admin"


async def _reset(session: AsyncSession, account: StaffAccount, wanted: Arguments, password_hash: str) -> str:
    assert account.id is not None
    role = wanted.role or account.role
    if role is not Role.OWNER:
        await require_another_owner(session, account.id)
    values = {
        "role": role,
        "password_hash": password_hash,
        "calendar_token_hash": None,
        "disabled_at": None,
        "updated_at": now(),
        **WITHOUT_TOTP,
    }
    if wanted.name:
        values["name"] = " ".join(wanted.name.split())
    account.sqlmodel_update(values)
    await session.exec(delete(StaffRecoveryCode).where(col(StaffRecoveryCode.account_id) == account.id))
    await one_time_links.withdraw_links(session, account.id)
    await sessions.end_all(session, account.id, SessionEnd.PASSWORD)
    await clear_all_attempts(session, account.email)
    await audit.record_as(session, _ACTOR, "", "staff.reset", "staff", account.email, ROLE_NAMES[role])
    return (
        f"Reset {account.email}, {ROLE_NAMES[role]}: new password, no authenticator, no calendar link, signed out everywhere. "
        f"Sign in at {settings().site_url}/admin"
    )


if __name__ == "__main__":
    sys.exit(main())
