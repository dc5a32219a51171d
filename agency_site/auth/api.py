"""The pages in front of the back office: signing in and out, and choosing a password by a one-time link.

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
    posted,
    visit_of,
    with_next,
)
from agency_site.auth.rules import ABSOLUTE, IDLE, LinkPurpose, SessionEnd
from agency_site.auth.second_factor import find_staff
from agency_site.auth.usecases import CodeNeeded, SignedIn
from agency_site.db.engine import read_scope, session_scope
from agency_site.errors import FieldError, InputRejected, SiteError

_SIGN_IN = "/admin/sign-in"
_CODE = "/admin/sign-in/code"


def hours(span: timedelta) -> str:
    """Such as `2 hours`."""
    return f"{span // timedelta(hours=1)} hours"


_NOTICES = {
    "signed-out": "You are signed out.",
    "everywhere": "You are signed out everywhere.",
    "password": "Your new password is set. Sign in with it and a code of your authenticator.",
    "late": PendingOver().message,
}
"""What can be said on the sign-in page, by the word in its address: nobody can put other words there."""


ENDINGS: Mapping[SessionEnd, str] = {
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
"""What is said to the browser that still holds the token of a session that is over, and to nobody else."""


class EntryRoute(APIRoute):
    """A route whose refusals are pages, not JSON."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """The handler with its refusals shown as a page."""
        inner: Callable[[Request], Any] = super().get_route_handler()

        async def shown(request: Request) -> Response:
            try:
                answer: Response = await inner(request)
            except SiteError as wrong:
                return page("refused.html", status=wrong.status, wrong=wrong)
            return answer

        return shown


router = APIRouter(include_in_schema=False, route_class=EntryRoute)


@router.get(_SIGN_IN)
async def show_sign_in(request: Request, next: str = "", said: str = "") -> Response:  # noqa: A002 - its public name
    """The form; who is signed in already is redirected."""
    visit = visit_of(request)
    async with read_scope() as session:
        if await sessions.find(session, visit.token, visit.address):
            return go(next_path(next))
        ended = await sessions.why_ended(session, visit.token)
    notice = _NOTICES.get(said) or (ENDINGS[ended] if ended else "")
    return form_page("sign_in.html", None, email="", next=next_path(next), notice=notice)


@router.post(_SIGN_IN)
async def sign_in(request: Request) -> Response:
    """E-mail address and password."""
    form = await posted(request)
    email, target = form.get("email", ""), next_path(form.get("next", ""))
    try:
        _require(
            form, {"email": "Please enter your e-mail address.", "password": "Please enter your password."}
        )
        outcome = await usecases.sign_in(session_scope, email, form["password"], visit_of(request))
    except SiteError as wrong:
        return form_page("sign_in.html", at_field(wrong, "password"), email=email[:254], next=target)
    if isinstance(outcome, CodeNeeded):
        onward = go(with_next(_CODE, target))
        cookies.set_pending(onward, outcome.pending)
        return onward
    return await _signed_in(outcome, target)


@router.get(_CODE)
async def show_code(request: Request, next: str = "") -> Response:  # noqa: A002 - its public name
    """The form for the code."""
    if not cookies.pending_of(request.headers.get("cookie", "")):
        return go(with_next(_SIGN_IN, next_path(next)))
    return form_page("code.html", None, next=next_path(next), recovering=False)


@router.post(_CODE)
async def give_code(request: Request) -> Response:
    """A code of the authenticator, or a recovery code."""
    form = await posted(request)
    target, pending = next_path(form.get("next", "")), cookies.pending_of(request.headers.get("cookie", ""))
    field = "recovery" if "recovery" in form else "code"
    try:
        _require(form, {field: "Please enter the code."})
        outcome = await usecases.enter_code(session_scope, pending, form[field], visit_of(request))
    except PendingOver:
        back = go(f"{_SIGN_IN}?said=late&next={quote(target)}")
        cookies.drop_pending(back)
        return back
    except SiteError as wrong:
        return form_page("code.html", at_field(wrong, field), next=target, recovering=field == "recovery")
    return await _signed_in(outcome, target)


@router.get("/admin/set-up/{token}")
async def show_set_up(token: str) -> Response:
    """The first owner's form."""
    async with read_scope() as session:
        await one_time_links.read_link(session, LinkPurpose.SETUP, token)
    return form_page("set_up.html", None, email="", name="")


@router.post("/admin/set-up/{token}")
async def set_up(request: Request, token: str) -> Response:
    """Make the first owner's account."""
    form = await posted(request)
    email, name, password, repeated = (form.get(n, "") for n in ("email", "name", "password", "repeated"))
    try:
        outcome = await set_password.set_up(
            session_scope, token, email, name, password, repeated, visit_of(request)
        )
    except InputRejected as wrong:
        return form_page("set_up.html", wrong, email=email[:254], name=name[:120])
    return await _signed_in(outcome, HOME)


@router.get("/admin/invitation/{token}")
async def show_invitation(token: str) -> Response:
    """The form of somebody new."""
    return await _choose(LinkPurpose.INVITATION, token, None)


@router.post("/admin/invitation/{token}")
async def accept_invitation(request: Request, token: str) -> Response:
    """Choose the first password."""
    return await _chosen(LinkPurpose.INVITATION, token, request)


@router.get("/admin/reset/{token}")
async def show_reset(token: str) -> Response:
    """The form of somebody who needs a new password."""
    return await _choose(LinkPurpose.RESET, token, None)


@router.post("/admin/reset/{token}")
async def reset(request: Request, token: str) -> Response:
    """Choose a new password."""
    return await _chosen(LinkPurpose.RESET, token, request)


@router.post("/admin/sign-out")
async def sign_out(request: Request) -> Response:
    """End this session."""
    await posted(request)
    visit = visit_of(request)
    async with session_scope() as session:
        await usecases.sign_out(session, visit.token, visit.address)
    return _signed_out("signed-out")


@router.post("/admin/sign-out-everywhere")
async def sign_out_everywhere(request: Request) -> Response:
    """End all sessions of the account that is signed in here, once its password was given again."""
    form = await posted(request)
    visit = visit_of(request)
    async with read_scope() as session:
        who = await sessions.find(session, visit.token, visit.address)
    if who is None:
        return _signed_out("signed-out")
    try:
        await usecases.confirmed(session_scope, who, form.get("password", ""), "password")
    except SiteError as wrong:
        return form_page("everywhere.html", wrong, email=who.email)
    async with session_scope() as session:
        await usecases.sign_out_everywhere(session, who)
    return _signed_out("everywhere")


async def _choose(purpose: LinkPurpose, token: str, wrong: SiteError | None) -> Response:
    async with read_scope() as session:
        offer = await one_time_links.read_link(session, purpose, token)
    return form_page("password.html", wrong, offer=offer, invited=purpose is LinkPurpose.INVITATION)


async def _chosen(purpose: LinkPurpose, token: str, request: Request) -> Response:
    form = await posted(request)
    password, repeated = form.get("password", ""), form.get("repeated", "")
    try:
        outcome = await set_password.accept_link(
            session_scope, purpose, token, password, repeated, visit_of(request)
        )
    except InputRejected as wrong:
        return await _choose(purpose, token, wrong)
    return await _signed_in(outcome, HOME) if outcome else _signed_out("password")


async def _signed_in(outcome: SignedIn, target: str) -> Response:
    async with read_scope() as session:
        who = await find_staff(session, outcome.token, "")
    # Nothing else is open to somebody who has to set up a second factor.
    onward = go(ACCOUNT if who and who.held_back else target)
    cookies.set_session(onward, outcome.token, outcome.device)
    return onward


def _signed_out(said: str) -> Response:
    back = go(f"{_SIGN_IN}?said={said}")
    cookies.drop_session(back)
    return back


def _require(form: dict[str, str], asked: dict[str, str]) -> None:
    missing = tuple(FieldError(name, ask) for name, ask in asked.items() if not form.get(name, "").strip())
    if missing:
        raise InputRejected("Please fill in the marked fields.", missing)
