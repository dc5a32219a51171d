"""Members of staff over HTTP: a session's cookie as their browser would send it."""

import secrets

from agency_site.auth.rules import Role, Staff
from agency_site.auth.sessions import Visit, start
from agency_site.auth.set_password import new_account
from agency_site.db.engine import session_scope

OWNER = Staff(1, "wanjiku@mwanga.example", "Wanjiku Kamau", Role.OWNER, 1, "203.0.113.9")
"""A member of staff with all permissions."""


async def session_header(role: Role = Role.OWNER) -> dict[str, str]:
    """The header of a new account of that role, signed in."""
    visit = Visit("203.0.113.9", "Mozilla/5.0")
    async with session_scope() as session:
        account = new_account(f"{role}-{secrets.token_hex(4)}@mwanga.example", "Amina Odhiambo", role, "")
        session.add(account)
        await session.flush()
        return {"Cookie": f"staff={await start(session, account, visit)}"}
