"""Access control of the HTTP routes of staff: exports, files, printed pages."""

from fastapi import HTTPException, Request

from agency_site.auth import audit
from agency_site.auth.cookies import token_of
from agency_site.auth.rules import Permission, Staff
from agency_site.auth.second_factor import find_staff
from agency_site.client_address import address_of
from agency_site.db.engine import read_scope, session_scope


async def require_permission(request: Request, *permissions: Permission) -> Staff:
    """Return the member of staff who sent the request.

    Raises HTTPException: 401 without a session, 403 if the role lacks one of the permissions.
    """
    token = token_of(request.headers.get("cookie", ""))
    async with read_scope() as session:
        who = await find_staff(session, token, address_of(request)) if token else None
    if who is None:
        raise HTTPException(401, "Please sign in to the back office first.")
    if who.held_back:
        raise HTTPException(403, "Please set up a second factor in your account first.")
    for permission in permissions:
        if not who.has_permission(permission):
            async with session_scope() as session:
                await audit.record_refused_permission(session, who, permission)
            raise HTTPException(403, "You don't have access.")
    return who
