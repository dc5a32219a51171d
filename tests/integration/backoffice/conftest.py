"""Staff accounts, their sessions, and pages that they open."""

from typing import Any

import reflex as rx
from sqlmodel import col, select
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.auth import passwords, sessions, usecases
from agency_site.auth.cookies import session_name
from agency_site.auth.rules import Role, Staff
from agency_site.auth.sessions import Visit
from agency_site.auth.set_password import new_account
from agency_site.auth.tables import AuditEntry, StaffAccount
from agency_site.auth.usecases import SignedIn
from agency_site.backoffice.state import StaffState
from agency_site.db.engine import read_scope, session_scope
from agency_site.mail.usecases import list_newest_messages

PASSWORD = "seven warm mandazi at dawn"
HERE = Visit("203.0.113.9", "Mozilla/5.0 (Linux; Android 15) Chrome/140.0 Mobile Safari/537.36")


async def hire(
    email: str = "amina@mwanga.example",
    role: Role = Role.OWNER,
    *,
    name: str = "Amina Odhiambo",
    password: str = PASSWORD,
) -> StaffAccount:
    """Store an account that can sign in."""
    async with session_scope() as session:
        account = new_account(email, name, role, await passwords.hash_password(password) if password else "")
        session.add(account)
        await session.flush()
    return account


async def enter(
    email: str = "amina@mwanga.example", visit: Visit = HERE, password: str = PASSWORD
) -> SignedIn:
    """Sign in with the password alone."""
    outcome = await usecases.sign_in(session_scope, email, password, visit)
    assert isinstance(outcome, SignedIn)
    return outcome


async def find_signed_in(token: str, address: str = HERE.address) -> Staff | None:
    """Return the member of staff whose session has that token."""
    async with read_scope() as session:
        return await sessions.find(session, token, address)


async def on_duty(email: str = "amina@mwanga.example", role: Role = Role.OWNER) -> Staff:
    """A new member of staff, signed in."""
    await hire(email, role, name=email.partition("@")[0].title())
    who = await find_signed_in((await enter(email)).token)
    assert who is not None
    return who


async def reloaded(account_id: int | None) -> StaffAccount:
    """Return the account as it is stored."""
    async with read_scope() as session:
        return await session.get_one(StaffAccount, account_id)


async def mailed_link(session: AsyncSession) -> str:
    """Return the one-time link in the newest mail."""
    (mail,) = await list_newest_messages(session, 1)
    ((_, link),) = mail.content["actions"]
    return str(link)


async def newest_detail(action: str) -> str:
    """Return what the newest entry of the audit log says about an action."""
    query = select(AuditEntry.detail).where(AuditEntry.action == action).order_by(col(AuditEntry.id).desc())
    async with read_scope() as session:
        return (await session.exec(query.limit(1))).one()


class Tab:
    """One page of the back office in a browser."""

    def __init__(self, page: type[StaffState], token: str, path: str) -> None:
        self.root = rx.State(_reflex_internal_init=True)  # type: ignore[call-arg]
        self.back_office: Any = self.root.substates[StaffState.get_name()]
        self.state: Any = self.back_office.substates[page.get_name()]
        self.token = token
        self.go_to(path)

    def go_to(self, path: str) -> None:
        pathname = path.partition("?")[0]
        router = {
            "headers": {"cookie": f"{session_name()}={self.token}"}, "asPath": path, "pathname": pathname,
        }  # fmt: skip
        self.root.router_data = self.root._update_router_vars(router, {})

    async def run(self, handler: str, **arguments: Any) -> Any:
        return await type(self.state).event_handlers[handler].fn(self.state, **arguments)


async def open_tab(page: type[StaffState], path: str) -> Tab:
    """Open a page as the owner who was hired first."""
    tab = Tab(page, (await enter()).token, path)
    await tab.run("open_record")
    return tab
