"""Access control: the check before every staff handler.

A handler of a state below `StaffState` is declared with one of the three decorators here, and a class with an undeclared
one cannot be made (`StaffState.__init_subclass__`). It reads the cookie of the socket's handshake, asks the database
for its session each time, so that a revocation holds at the next event of an open page, and hands the handler a
`Staff` who has the permission. Whoever does not pass gets an emptied page and no data; so does whoever has to set up a
second factor, everywhere but on the page of the own account.
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
    """What access control needs of a state; with underscores, because any other method of a state could be called by anyone."""

    router: Any

    def _empty(self) -> None:
        """Clear everything that the page shows, in the browser too."""

    def _begin(self) -> None:
        """Forget the screen that was open before; the same one keeps what it shows until its new rows are there."""

    def _claim(self) -> None:
        """Forget what the page showed in another session than the one whose cookie the browser presents."""

    def _send_all(self) -> None:
        """Send every variable with the answer: the browser may have been reloaded and hold nothing."""

    def _is_filled(self) -> bool:
        """Whether the screen in the browser is the one that was opened last."""

    def _acknowledge(self, key: str, applied: bool, again: bool) -> None:  # noqa: FBT001
        """Acknowledge the form that the browser submitted under `key`."""

    def _acknowledge_nothing(self) -> None:
        """Forget which form was submitted last."""

    def _leave(self, *, signed_out: bool) -> None:
        """Leave for the sign-in page, which says why; `signed_out`: the same browser has signed out."""

    async def _welcome(self, who: Staff) -> None:
        """Fill the frame around the page."""

    async def _recount(self, who: Staff) -> None:
        """Update the attention counts after something was done."""

    def _refuse(self, message: str, way_out: str) -> None:
        """Say why not, and which page helps."""

    def _fail(self, message: str, fields: dict[str, str]) -> None:
        """Say what is wrong with what was asked for."""


NOTED = timedelta(minutes=1)
"""A session that keeps doing things is written down this often: SQLite has one writer, and visitors need it."""
_LONG_AGO = datetime.min.replace(tzinfo=UTC)

RequiredPermission = Permission | Callable[[Any], Permission | None]
"""A permission, or a function that returns the one that a state requires now; none: nobody may."""
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
    """The permission that a declared handler wants; none for an undeclared one."""
    return getattr(handler, MARK, None)


def _declare(
    permission: RequiredPermission, way: Callable[..., Awaitable[Any]]
) -> Callable[[Handler[Arguments]], Any]:
    def decorate(handler: Handler[Arguments]) -> Any:
        @wraps(handler)
        async def guarded(self: Any, *args: Any, **kwargs: Any) -> Any:
            submission, given = split_key(kwargs)
            return await way(self, permission, lambda who: handler(self, who, *args, **given), submission)

        # Reflex reads the signature to learn what the browser may send: nobody sends a `Staff`.
        whole = inspect.signature(handler)
        own, who, *sent = whole.parameters.values()
        guarded.__signature__ = whole.replace(parameters=[own, *sent])  # type: ignore[attr-defined]
        guarded.__annotations__ = {k: v for k, v in handler.__annotations__.items() if k != who.name}
        del guarded.__wrapped__
        setattr(guarded, MARK, permission)
        return rx.event(guarded)

    return decorate


Work = Callable[[Staff], Awaitable[Any]]


async def _act(state: Guarded, permission: RequiredPermission, work: Work, submission: str = "") -> Any:
    who = await _authorize(state, permission)
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
    again = await _is_applied(who, key)
    answer = None if again else await _run(state, work, replace(who, submission=key))
    applied = again or await _is_applied(who, key)
    state._acknowledge(key, applied, again)
    return answer


async def _is_applied(who: Staff, key: str) -> bool:
    async with read_scope() as session:
        return await is_applied(session, who.account_id, key)


_touched: dict[int, datetime] = {}
"""When this process last noted that a session did something."""


async def _extend_session(who: Staff) -> None:
    moment = now()
    if moment - _touched.get(who.session_id, _LONG_AGO) < NOTED:
        return
    async with session_scope() as session:
        await sessions.touch(session, who.session_id)
    for old in [key for key, at in _touched.items() if moment - at > ABSOLUTE]:
        del _touched[old]
    _touched[who.session_id] = moment


async def _open(state: Guarded, permission: RequiredPermission, work: Work, _submission: str = "") -> Any:
    state._begin()
    who = await _authorize(state, permission)
    if who is None:
        return None
    await _extend_session(who)

    async def fill(who: Staff) -> Any:
        await state._welcome(who)
        # With the outcome of the last submit: its answer may have been lost with the connection.
        state._send_all()
        return await work(who)

    return await _run(state, fill, who)


async def _refresh(state: Guarded, permission: RequiredPermission, work: Work, _submission: str = "") -> Any:
    who = await _authorize(state, permission)
    return await _run(state, work, who) if who else None


async def _run(state: Guarded, work: Work, who: Staff) -> Any:
    try:
        return await work(who)
    except InputRejected as wrong:
        state._fail(wrong.message, wrong.by_field())
    except SiteError as wrong:
        state._fail(wrong.message, {})


async def _authorize(state: Guarded, permission: RequiredPermission) -> Staff | None:
    who = await signed_in(state.router)
    if who is None:
        state._empty()
        state._leave(signed_out=await _has_signed_out(state.router))
        return None
    state._claim()
    wanted = permission if isinstance(permission, Permission) else permission(state)
    if wanted is None or not who.has_permission(wanted):
        if wanted and not who.held_back:
            async with session_scope() as session:
                await audit.record_refused_permission(session, who, wanted)
        state._empty()
        state._refuse(*_explain_refusal(who))
        return None
    return who


def _explain_refusal(who: Staff) -> tuple[str, str]:
    """Why somebody is refused, and the path of the page that helps, if one does."""
    if who.held_back:
        return "Your role requires two-step verification. Set it up first.", ACCOUNT
    return "You don't have access. Ask an owner if you need it.", ""


async def _has_signed_out(router: Any) -> bool:
    async with read_scope() as session:
        ended = await sessions.why_ended(session, token_of(str(router.headers.cookie)))
    return ended is SessionEnd.SIGNED_OUT


async def signed_in(router: Any) -> Staff | None:
    """Who is behind an event; none when nobody is signed in, or no more."""
    token = token_of(str(router.headers.cookie))
    if not token:
        return None
    async with read_scope() as session:
        return await find_staff(session, token, router.session.client_ip)
