"""The pages in front of the back office: signing in and out, and choosing a password through a one-time link.

Plain HTML forms without scripts. The session's cookie is set here and nowhere else.
"""

from collections.abc import Callable, Coroutine, Mapping
from datetime import timedelta
from typing import Any
from urllib.parse import quote

from fastapi import APIRouter, Request, Response
from fastapi.routing import APIRoute

from agency_site.auth import cookies, one_time_links, sessions, set_password, usecases
from agency_site.auth.errors import PendingOver
from agency_site.auth.pages import (
    ACCOUNT,
    HOME,
    at_field,
    form_page,
    go,
    next_path,
    page,
    read_posted_form,
    visit_of,
    with_next,
)
from agency_site.auth.rules import ABSOLUTE, IDLE, LinkPurpose, SessionEnd
from agency_site.auth.second_factor import find_staff
from agency_site.auth.usecases import CodeNeeded, SignedIn
from agency_site.db.engine import read_scope, session_scope
from agency_site.errors import FieldError, InputRejected, SiteError
from agency_site.members import names

_SIGN_IN = "/admin/sign-in"
_CODE = "/admin/sign-in/code"


def hours(span: timedelta) -> str:
    return f"{span // timedelta(hours=1)} hours"


_NOTICES = {
    "signed-out": "You are signed out.",
    "everywhere": "You are signed out everywhere.",
    "password": "Your new password is set. Sign in with it and a code from your authenticator.",
    "late": PendingOver().message,
}
"""Notices of the sign-in page by the word in its address, so that an address cannot put other words there."""


ENDINGS: Mapping[SessionEnd, str] = names(
    {
        SessionEnd.SIGNED_OUT: _NOTICES["signed-out"],
        SessionEnd.ELSEWHERE: (
            "Your session was ended from another browser that is signed in to your account. If that was not you, "
            "contact an owner."
        ),
        SessionEnd.OWNER: "An owner has signed you out. Please sign in again.",
        SessionEnd.ROLE: "Your role has changed. Please sign in again.",
        SessionEnd.DISABLED: "Your account is disabled. Please ask an owner.",
        SessionEnd.PASSWORD: "The password of your account has changed. Please sign in with the new one.",
        SessionEnd.SECOND_FACTOR: "The second factor of your account has changed. Please sign in again.",
        SessionEnd.IDLE: f"Your session ended after {hours(IDLE)} without activity. Please sign in again.",
        SessionEnd.EXPIRED: f"Your session ended {hours(ABSOLUTE)} after you signed in. Please sign in again.",
    }
)
"""Shown only to the browser that still holds the token of the ended session."""


class EntryRoute(APIRoute):
    """A route that shows refusals as pages, not as JSON."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        inner: Callable[[Request], Any] = super().get_route_handler()

        async def respond(request: Request) -> Response:
            try:
                answer: Response = await inner(request)
            except SiteError as wrong:
                return page("refused.html", status=wrong.status, wrong=wrong)
            return answer

        return respond


router = APIRouter(include_in_schema=False, route_class=EntryRoute)


@router.get(_SIGN_IN)
async def show_sign_in(request: Request, next: str = "", said: str = "") -> Response:  # noqa: A002 - its public name
    """Return the sign-in form, or redirect a member of staff who is signed in already."""
    visit = visit_of(request)
    async with read_scope() as session:
        if await sessions.find(session, visit.token, visit.address):
            return go(next_path(next))
        ended = await sessions.why_ended(session, visit.token)
    notice = _NOTICES.get(said) or (ENDINGS[ended] if ended else "")
    return form_page("sign_in.html", None, email="", next=next_path(next), notice=notice)


@router.post(_SIGN_IN)
async def sign_in(request: Request) -> Response:
    """Check e-mail address and password."""
    form = await read_posted_form(request)
    email, target = form.get("email", ""), next_path(form.get("next", ""))
    try:
        _require(
            form, {"email": "Please enter your e-mail address.", "password": "Please enter your password."}
        )
        outcome = await usecases.sign_in(session_scope, email, form["password"], visit_of(request))
    except SiteError as wrong:
        return form_page("sign_in.html", at_field(wrong, "password"), email=email[:254], next=target)
    if isinstance(outcome, CodeNeeded):
        response = go(with_next(_CODE, target))
        cookies.set_pending(response, outcome.pending)
        return response
    return await _sign_in_browser(outcome, target)


@router.get(_CODE)
async def show_code(request: Request, next: str = "") -> Response:  # noqa: A002 - its public name
    if not cookies.pending_of(request.headers.get("cookie", "")):
        return go(with_next(_SIGN_IN, next_path(next)))
    return form_page("code.html", None, next=next_path(next), recovering=False)


@router.post(_CODE)
async def submit_code(request: Request) -> Response:
    """Check a code of the authenticator, or a recovery code."""
    form = await read_posted_form(request)
    target, pending = next_path(form.get("next", "")), cookies.pending_of(request.headers.get("cookie", ""))
    field = "recovery" if "recovery" in form else "code"
    try:
        _require(form, {field: "Please enter the code."})
        outcome = await usecases.enter_code(session_scope, pending, form[field], visit_of(request))
    except PendingOver:
        response = go(f"{_SIGN_IN}?said=late&next={quote(target)}")
        cookies.drop_pending(response)
        return response
    except SiteError as wrong:
        return form_page("code.html", at_field(wrong, field), next=target, recovering=field == "recovery")
    return await _sign_in_browser(outcome, target)


@router.get("/admin/set-up/{token}")
async def show_set_up(token: str) -> Response:
    async with read_scope() as session:
        await one_time_links.read_link(session, LinkPurpose.SETUP, token)
    return form_page("set_up.html", None, email="", name="")


@router.post("/admin/set-up/{token}")
async def set_up(request: Request, token: str) -> Response:
    """Create the first owner's account."""
    form = await read_posted_form(request)
    email, name, password, repeated = (form.get(n, "") for n in ("email", "name", "password", "repeated"))
    try:
        outcome = await set_password.set_up(
            session_scope, token, email, name, password, repeated, visit_of(request)
        )
    except InputRejected as wrong:
        return form_page("set_up.html", wrong, email=email[:254], name=name[:120])
    return await _sign_in_browser(outcome, HOME)


@router.get("/admin/invitation/{token}")
async def show_invitation(token: str) -> Response:
    """Return the form for a new member of staff."""
    return await _password_page(LinkPurpose.INVITATION, token, None)


@router.post("/admin/invitation/{token}")
async def accept_invitation(request: Request, token: str) -> Response:
    """Set the first password."""
    return await _accept_password(LinkPurpose.INVITATION, token, request)


@router.get("/admin/reset/{token}")
async def show_reset(token: str) -> Response:
    """Return the form for a member of staff who needs a new password."""
    return await _password_page(LinkPurpose.RESET, token, None)


@router.post("/admin/reset/{token}")
async def reset(request: Request, token: str) -> Response:
    """Set a new password."""
    return await _accept_password(LinkPurpose.RESET, token, request)


@router.post("/admin/sign-out")
async def sign_out(request: Request) -> Response:
    """End this session."""
    await read_posted_form(request)
    visit = visit_of(request)
    async with session_scope() as session:
        await usecases.sign_out(session, visit.token, visit.address)
    return _sign_out_browser("signed-out")


@router.post("/admin/sign-out-everywhere")
async def sign_out_everywhere(request: Request) -> Response:
    """End all sessions of the signed-in account, after its password was entered again."""
    form = await read_posted_form(request)
    visit = visit_of(request)
    async with read_scope() as session:
        who = await sessions.find(session, visit.token, visit.address)
    if who is None:
        return _sign_out_browser("signed-out")
    try:
        await usecases.confirm_password(session_scope, who, form.get("password", ""), "password")
    except SiteError as wrong:
        return form_page("everywhere.html", wrong, email=who.email)
    async with session_scope() as session:
        await usecases.sign_out_everywhere(session, who)
    return _sign_out_browser("everywhere")


async def _password_page(purpose: LinkPurpose, token: str, wrong: SiteError | None) -> Response:
    async with read_scope() as session:
        offer = await one_time_links.read_link(session, purpose, token)
    return form_page("password.html", wrong, offer=offer, invited=purpose is LinkPurpose.INVITATION)


async def _accept_password(purpose: LinkPurpose, token: str, request: Request) -> Response:
    form = await read_posted_form(request)
    password, repeated = form.get("password", ""), form.get("repeated", "")
    try:
        outcome = await set_password.accept_link(
            session_scope, purpose, token, password, repeated, visit_of(request)
        )
    except InputRejected as wrong:
        return await _password_page(purpose, token, wrong)
    return await _sign_in_browser(outcome, HOME) if outcome else _sign_out_browser("password")


async def _sign_in_browser(outcome: SignedIn, target: str) -> Response:
    async with read_scope() as session:
        who = await find_staff(session, outcome.token, "")
    # Staff who must set up a second factor can open no other page.
    response = go(ACCOUNT if who and who.held_back else target)
    cookies.set_session(response, outcome.token, outcome.device)
    return response


def _sign_out_browser(notice: str) -> Response:
    response = go(f"{_SIGN_IN}?said={notice}")
    cookies.drop_session(response)
    return response


def _require(form: dict[str, str], messages: dict[str, str]) -> None:
    missing = tuple(
        FieldError(name, message) for name, message in messages.items() if not form.get(name, "").strip()
    )
    if missing:
        raise InputRejected("Please fill in the marked fields.", missing)
