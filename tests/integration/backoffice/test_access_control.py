"""Access control before every staff handler: sessions, permissions, and the content that a refused browser keeps."""

import inspect
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
import reflex as rx
from sqlmodel import select

from agency_site import clock
from agency_site.auth import usecases
from agency_site.auth.cookies import session_name
from agency_site.auth.rules import ABSOLUTE, Permission, Role, Staff
from agency_site.auth.tables import AuditEntry, StaffSession
from agency_site.backoffice import access_control
from agency_site.backoffice.access_control import permission_of, staff_event, staff_page, staff_watch
from agency_site.backoffice.state import StaffState
from agency_site.db.engine import read_scope, session_scope
from agency_site.errors import Conflict, FieldError, InputRejected
from tests.conftest import FRIDAY_NOON
from tests.integration.backoffice.conftest import enter, hire

pytestmark = pytest.mark.usefixtures("database", "forgotten")
CALLS: list[tuple[str, str]] = []
"""Handler and e-mail address of each admitted call."""
NO_RIGHT = "You don't have access. Ask an owner if you need it."


class Safe(StaffState):
    """A screen whose handlers record their callers."""

    @staff_page(Permission.SEE_PAYMENTS)
    async def open_safe(self, who: Staff) -> None:
        CALLS.append(("open", who.email))

    @staff_event(Permission.WORK_PAYMENTS)
    async def take(self, who: Staff, amount: int = 0) -> int:
        CALLS.append(("take", who.email))
        if amount > 100:
            raise InputRejected("Too much.", (FieldError("amount", "At most 100."),))
        if amount < 0:
            raise Conflict("Nothing is left.")
        return amount

    @staff_watch(Permission.SEE_PAYMENTS)
    async def watch(self, who: Staff) -> None:
        CALLS.append(("watch", who.email))

    @staff_watch(lambda state: Permission.SEE_AUDIT if state.router.url.path == "/admin/audit" else None)
    async def watch_screen(self, who: Staff) -> None:
        CALLS.append(("watch screen", who.email))


@pytest.fixture
def forgotten() -> Iterator[None]:
    """Begin without calls of handlers; no session has been noted as active."""
    access_control._touched.clear()
    CALLS.clear()
    with clock.frozen(FRIDAY_NOON):
        yield


def tab(token: str = "", path: str = "/admin/safe") -> Any:
    """Return the state of a browser tab that sends this session cookie."""
    root = rx.State(_reflex_internal_init=True)  # type: ignore[call-arg]
    back_office: Any = root.substates[StaffState.get_name()]
    present(root, token, path)
    return back_office.substates[Safe.get_name()]


def present(root: Any, token: str, path: str = "/admin/safe") -> None:
    """Let the next events of the tab carry this session cookie."""
    router = {"headers": {"cookie": f"{session_name()}={token}"}, "asPath": path, "pathname": path}
    root.router_data = root._update_router_vars(router, {})


async def call(state: Any, handler: str, **arguments: object) -> Any:
    """Call a handler like an event from the browser."""
    return await Safe.event_handlers[handler].fn(state, **arguments)


async def signed_in(role: Role) -> str:
    """Return the session token of a new account with that role."""
    await hire(role=role)
    return (await enter()).token


async def refusals() -> list[str]:
    async with read_scope() as session:
        entries = (await session.exec(select(AuditEntry))).all()
    return [entry.reference for entry in entries if entry.action == "staff.right_refused"]


async def seen_at() -> Any:
    async with read_scope() as session:
        return (await session.exec(select(StaffSession.seen_at))).one()


@pytest.mark.parametrize("token", ["", "unknown"])
@pytest.mark.parametrize("handler", ["open_safe", "take", "watch"])
async def test_a_stranger_reaches_no_handler_and_is_sent_to_the_sign_in_page(
    handler: str, token: str
) -> None:
    state = tab(token)
    state._root().name = "Shown before"
    assert await call(state, handler) is None
    assert CALLS == []
    assert (state._root().name, state.away) == ("", "/admin/sign-in?next=/admin/safe")
    assert await refusals() == []


async def test_the_sign_in_page_confirms_that_one_has_signed_out() -> None:
    token = await signed_in(Role.OWNER)
    state = tab(token)
    await call(state, "open_safe")
    assert (CALLS, state.opened) == ([("open", "amina@mwanga.example")], True)
    async with session_scope() as session:
        await usecases.sign_out(session, token, "")
    assert await call(state, "take") is None
    assert (len(CALLS), state._root().opened) == (1, False)
    assert state.away == "/admin/sign-in?next=/admin/safe&said=signed-out"


async def test_another_session_in_the_same_browser_finds_nothing_of_the_one_before() -> None:
    state = tab(await signed_in(Role.OWNER))
    await call(state, "open_safe")
    await hire("otieno@mwanga.example", Role.OWNER)
    other = (await enter("otieno@mwanga.example")).token
    root = state._root()
    present(root.parent_state, other)
    root.badges = {"/admin": 3}
    await call(state, "watch")
    assert (CALLS[-1], root.badges, root.opened) == (("watch", "otieno@mwanga.example"), {}, False)


async def test_a_right_opens_its_handlers_and_no_others() -> None:
    token = await signed_in(Role.VIEWER)
    state = tab(token)
    await call(state, "open_safe")
    await call(state, "watch")
    assert CALLS == [("open", "amina@mwanga.example"), ("watch", "amina@mwanga.example")]
    assert (state.opened, state.refusal) == (True, "")
    assert await call(state, "take", amount=5) is None
    assert len(CALLS) == 2
    assert (state._root().opened, state.refusal, state.way_out) == (False, NO_RIGHT, "")
    assert len(await refusals()) == 1


async def test_a_handler_gets_who_acts_and_its_own_arguments_and_answers() -> None:
    state = tab(await signed_in(Role.OWNER))
    assert await call(state, "take", amount=5) == 5
    assert CALLS == [("take", "amina@mwanga.example")]
    assert state.problem == ""


async def test_an_expected_error_is_shown_and_the_page_stays() -> None:
    state = tab(await signed_in(Role.OWNER))
    await call(state, "open_safe")
    await call(state, "take", amount=101)
    assert (state.problem, state.errors) == ("Too much.", {"amount": "At most 100."})
    await call(state, "take", amount=-1)
    assert (state.problem, state.errors, state.opened) == ("Nothing is left.", {}, True)


async def test_a_right_that_the_state_does_not_know_opens_nothing_and_is_no_refusal() -> None:
    token = await signed_in(Role.OWNER)
    state = tab(token)
    await call(state, "watch_screen")
    assert (CALLS, state.refusal, await refusals()) == ([], NO_RIGHT, [])
    await call(tab(token, "/admin/audit"), "watch_screen")
    assert CALLS == [("watch screen", "amina@mwanga.example")]


async def test_events_keep_a_session_active_once_a_minute_and_watching_does_not() -> None:
    state = tab(await signed_in(Role.OWNER))
    began = await seen_at()
    for minutes, handler, later in (
        (0.5, "watch", False),
        (1.5, "take", True),
        (2.0, "take", False),
        (2.5, "watch", False),
        (3.0, "take", True),
        (4.5, "open_safe", True),
    ):
        moment = FRIDAY_NOON + timedelta(minutes=minutes)
        with clock.frozen(moment):
            await call(state, handler)
        assert (await seen_at() == moment) is later, minutes
    assert began == FRIDAY_NOON


async def test_sessions_that_cannot_be_open_any_more_are_not_remembered() -> None:
    state = tab(await signed_in(Role.OWNER))
    access_control._touched.update(
        {
            -1: FRIDAY_NOON - ABSOLUTE - timedelta(seconds=1),
            -2: FRIDAY_NOON - ABSOLUTE,
        }
    )
    await call(state, "take")
    assert -1 not in access_control._touched
    assert -2 in access_control._touched


def test_reflex_sees_only_what_a_browser_sends() -> None:
    handler = Safe.event_handlers["take"]
    assert permission_of(handler.fn) is Permission.WORK_PAYMENTS
    assert permission_of(len) is None
    assert list(inspect.signature(handler.fn).parameters) == ["self", "amount"]
    assert "who" not in handler.fn.__annotations__
