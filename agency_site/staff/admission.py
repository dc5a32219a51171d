"""The gate in front of staff's HTTP routes: exports, files, printed pages."""

from fastapi import HTTPException, Request

from agency_site.db.engine import read_scope
from agency_site.proxies import sender
from agency_site.settings import settings
from agency_site.staff.cookies import token_of
from agency_site.staff.rules import Right, Staff
from agency_site.staff.two_step import find_staff


async def require_staff(request: Request, right: Right) -> Staff:
    """Who asks. Raises HTTPException: 401 when nobody is signed in, 403 when the role lacks the right."""
    peer = request.client.host if request.client else None
    forwarded = request.headers.get("x-forwarded-for", "")
    address = sender(peer, forwarded, settings().trusted_proxy_hops) or "unknown"
    token = token_of(request.headers.get("cookie", ""))
    async with read_scope() as session:
        who = await find_staff(session, token, address) if token else None
    if who is None:
        raise HTTPException(401, "Please sign in to the back office first.")
    if who.held_back:
        raise HTTPException(403, "Please set up two-step verification in your account first.")
    if not who.may(right):
        raise HTTPException(403, "Your role does not cover this.")
    return who
