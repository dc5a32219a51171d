"""Access control: the check before every staff handler.

Every handler of a state below `StaffState` is declared with one of the three decorators here; a class with an undeclared
handler raises when it is defined (`StaffState.__init_subclass__`). The declared handler reads the cookie of the socket's
handshake and asks the database for its session each time, so that a revocation takes effect at the next event of an open
page, and passes on a `Staff` who has the permission. Anyone else gets an emptied page and no data. Staff who must set up a
second factor can open only the page of their own account.
"""

import inspect
from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import wraps
from typing import Any, Concatenate, ParamSpec, Protocol

import reflex as rx

from agency_site.auth import audit, sessions
from agency_site.auth.cookies import token_of
from agency_site.auth.pages import ACCOUNT
from agency_site.auth.rules import ABSOLUTE, Permission, SessionEnd, Staff
from agency_site.auth.second_factor import find_staff
from agency_site.auth.submissions import is_applied, split_key
from agency_site.clock import now
from agency_site.db.engine import read_scope, session_scope
from agency_site.errors import InputRejected, SiteError

Arguments = ParamSpec("Arguments")
MARK = "staff_right"


class Guarded(Protocol):
    """The methods of a state that access control needs; with underscores, because browsers could call any other method."""

    router: Any

    def _empty(self) -> None:
        """Clear everything that the page shows, in the browser too."""

    def _begin(self) -> None:
        """Forget the screen that was open before; the same screen keeps its content until its new rows have arrived."""

    def _claim(self) -> None:
        """Forget content of another session than the one whose cookie the browser presents."""

    def _send_all(self) -> None:
        """Send every variable with the answer, because the browser may have been reloaded and hold nothing."""

    def _is_filled(self) -> bool:
        """Return whether the screen in the browser is the one that was opened last."""

    def _acknowledge(self, key: str, applied: bool, again: bool) -> None:  # noqa: FBT001
        """Acknowledge the form that the browser submitted under `key`."""

    def _acknowledge_nothing(self) -> None:
        """Forget which form was submitted last."""

    def _leave(self, *, signed_out: bool) -> None:
        """Leave for the sign-in page, which gives the reason; `signed_out` if the same browser has signed out."""

    async def _welcome(self, who: Staff) -> None:
        """Fill the frame around the page."""

    async def _recount(self, who: Staff) -> None:
        """Update the attention counts after something was done."""

    def _refuse(self, message: str, way_out: str) -> None:
        """Show why access is refused, and link to the page `way_out` if it helps."""

    def _fail(self, message: str, fields: dict[str, str]) -> None:
        """Show what is wrong with the request."""


_STORE_ACTIVITY_EVERY = timedelta(minutes=1)
"""The last activity of a session is stored at most this often: SQLite has one writer, and visitors need it."""
_LONG_AGO = datetime.min.replace(tzinfo=UTC)

RequiredPermission = Permission | Callable[..., Permission | None]
"""A permission, or a function that returns the one that a state requires now for the arguments of an event; None if no role has
access."""
Handler = Callable[Concatenate[Any, Staff, Arguments], Awaitable[Any]]


def staff_event(permission: RequiredPermission) -> Callable[[Handler[Arguments]], Any]:
    """Declare a handler that staff with `permission` can reach; its second parameter is the `Staff` who acts.

    A SiteError that it raises is shown on the page; messages for fields next to them.
    """
    return _declare(permission, _act)


def staff_page(permission: RequiredPermission) -> Callable[[Handler[Arguments]], Any]:
    """Declare the handler that fills a screen when it is opened."""
    return _declare(permission, _open)


def staff_watch(permission: RequiredPermission) -> Callable[[Handler[Arguments]], Any]:
    """Declare a handler that refreshes by itself: it does not extend the session."""
    return _declare(permission, _refresh)


def permission_of(handler: Callable[..., Any]) -> RequiredPermission | None:
    """Return the permission that a declared handler requires; None for an undeclared one."""
    return getattr(handler, MARK, None)


def _declare(
    permission: RequiredPermission, run_handler: Callable[..., Awaitable[Any]]
) -> Callable[[Handler[Arguments]], Any]:
    def decorate(handler: Handler[Arguments]) -> Any:
        @wraps(handler)
        async def guarded(self: Any, *args: Any, **kwargs: Any) -> Any:
            submission, arguments = split_key(kwargs)
            needed = (
                permission if isinstance(permission, Permission) else permission(self, *args, **arguments)
            )
            return await run_handler(
                self, needed, lambda who: handler(self, who, *args, **arguments), submission
            )

        # Reflex derives from the signature what the browser may send, and a browser must not send a `Staff`.
        signature = inspect.signature(handler)
        own, who, *sent_parameters = signature.parameters.values()
        guarded.__signature__ = signature.replace(parameters=[own, *sent_parameters])  # type: ignore[attr-defined]
        guarded.__annotations__ = {k: v for k, v in handler.__annotations__.items() if k != who.name}
        del guarded.__wrapped__
        setattr(guarded, MARK, permission)
        return rx.event(guarded)

    return decorate


Work = Callable[[Staff], Awaitable[Any]]


async def _act(state: Guarded, wanted: Permission | None, work: Work, submission: str = "") -> Any:
    who = await _authorize(state, wanted)
    if who is None:
        return None
    await _extend_session(who)
    if submission:
        answer = await _submit(state, work, who, submission)
    else:
        state._acknowledge_nothing()
        answer = await _run(state, work, who)
    await state._recount(who)
    return answer


async def _submit(state: Guarded, work: Work, who: Staff, key: str) -> Any:
    """Apply a submitted form at most once, and acknowledge it to the browser that keeps its draft."""
    if not state._is_filled():
        # Sent before a reconnect whose state is lost: the page is filled next, and the browser sends it again.
        return None
    was_applied = await _is_applied(who, key)
    answer = None if was_applied else await _run(state, work, replace(who, submission=key))
    applied = was_applied or await _is_applied(who, key)
    state._acknowledge(key, applied, was_applied)
    return answer


async def _is_applied(who: Staff, key: str) -> bool:
    async with read_scope() as session:
        return await is_applied(session, who.account_id, key)


_touched: dict[int, datetime] = {}
"""When this process last stored the activity of each session."""


async def _extend_session(who: Staff) -> None:
    moment = now()
    if moment - _touched.get(who.session_id, _LONG_AGO) < _STORE_ACTIVITY_EVERY:
        return
    async with session_scope() as session:
        await sessions.touch(session, who.session_id)
    for old in [key for key, at in _touched.items() if moment - at > ABSOLUTE]:
        del _touched[old]
    _touched[who.session_id] = moment


async def _open(state: Guarded, wanted: Permission | None, work: Work, _submission: str = "") -> Any:
    state._begin()
    who = await _authorize(state, wanted)
    if who is None:
        return None
    await _extend_session(who)

    async def fill(who: Staff) -> Any:
        await state._welcome(who)
        # With the outcome of the last submit: its answer may have been lost with the connection.
        state._send_all()
        return await work(who)

    return await _run(state, fill, who)


async def _refresh(state: Guarded, wanted: Permission | None, work: Work, _submission: str = "") -> Any:
    who = await _authorize(state, wanted)
    return await _run(state, work, who) if who else None


async def _run(state: Guarded, work: Work, who: Staff) -> Any:
    try:
        return await work(who)
    except InputRejected as wrong:
        state._fail(wrong.message, wrong.by_field())
    except SiteError as wrong:
        state._fail(wrong.message, {})


async def _authorize(state: Guarded, wanted: Permission | None) -> Staff | None:
    who = await signed_in(state.router)
    if who is None:
        state._empty()
        state._leave(signed_out=await _has_signed_out(state.router))
        return None
    state._claim()
    if wanted is None or not who.has_permission(wanted):
        if wanted and not who.held_back:
            async with session_scope() as session:
                await audit.record_refused_permission(session, who, wanted)
        state._empty()
        state._refuse(*_explain_refusal(who))
        return None
    return who


def _explain_refusal(who: Staff) -> tuple[str, str]:
    """Return the reason for a refusal, and the path of a page that helps, or an empty path."""
    if who.held_back:
        return "Your role requires a second factor. Set it up first.", ACCOUNT
    return "You don't have access. Ask an owner if you need it.", ""


async def _has_signed_out(router: Any) -> bool:
    async with read_scope() as session:
        ended = await sessions.why_ended(session, token_of(str(router.headers.cookie)))
    return ended is SessionEnd.SIGNED_OUT


async def signed_in(router: Any) -> Staff | None:
    """Return the member of staff behind an event; None if the session has ended."""
    token = token_of(str(router.headers.cookie))
    if not token:
        return None
    async with read_scope() as session:
        return await find_staff(session, token, router.session.client_ip)
