"""Access control in front of submitted forms: each is applied once, acknowledged, and shown to its own session only."""

from typing import Any

import pytest
import reflex as rx

from agency_site.auth import audit, usecases
from agency_site.auth.cookies import session_name
from agency_site.backoffice.accounts.own_account_state import OwnAccountState
from agency_site.backoffice.record_page import RecordState
from agency_site.backoffice.state import StaffState
from agency_site.db.engine import read_scope, session_scope
from tests.integration.backoffice.conftest import HERE, enter, find_signed_in, hire

pytestmark = pytest.mark.usefixtures("database")
KEY = "0123456789abcdef" * 2


def _tab(token: str, path: str) -> tuple[Any, Any]:
    root = rx.State(_reflex_internal_init=True)  # type: ignore[call-arg]
    router = {"headers": {"cookie": f"{session_name()}={token}"}, "asPath": path, "pathname": path}
    root.router_data = root._update_router_vars(router, {})
    back_office: Any = root.substates[StaffState.get_name()]
    return back_office, back_office.substates[RecordState.get_name()]


async def _rename(state: Any, name: str) -> None:
    account = state.substates[OwnAccountState.get_name()]
    await OwnAccountState.event_handlers["rename"].fn(account, form={"name": name, "submission": KEY})


async def _renamed() -> int:
    async with read_scope() as session:
        entries = await audit.list_entries(session, "staff", "amina@mwanga.example", 50)
    return len([entry for entry in entries if entry.action == "staff.renamed"])


async def test_a_form_that_arrives_twice_is_applied_once_and_acknowledged_twice() -> None:
    await hire()
    back_office, _ = _tab((await enter()).token, "/admin/account")
    back_office._begin()
    await _rename(back_office, "Amina the First")
    assert back_office.answer == {"key": KEY, "outcome": "saved"}
    back_office.answer, back_office.done = {}, ""
    await _rename(back_office, "Amina the Second")
    assert back_office.answer == {"key": KEY, "outcome": "saved"}
    assert back_office.done == "Already saved."
    assert await _renamed() == 1


async def test_what_is_refused_can_be_submitted_again_under_the_same_key() -> None:
    await hire()
    back_office, _ = _tab((await enter()).token, "/admin/account")
    back_office._begin()
    await _rename(back_office, "")
    assert back_office.answer == {"key": KEY, "outcome": "refused"}
    assert back_office.errors
    await _rename(back_office, "Amina the First")
    assert back_office.answer == {"key": KEY, "outcome": "saved"}
    assert await _renamed() == 1


async def test_a_form_that_arrives_before_its_page_is_filled_is_left_for_the_next_try() -> None:
    await hire()
    back_office, _ = _tab((await enter()).token, "/admin/account")
    await _rename(back_office, "Amina the First")
    assert (back_office.answer, back_office.problem, back_office.done) == ({}, "", "")
    assert await _renamed() == 0


async def test_an_ended_session_applies_nothing_and_empties_its_page() -> None:
    await hire()
    token = (await enter()).token
    back_office, screen = _tab(token, "/admin/account")
    back_office._begin()
    back_office._claim()
    back_office.name, screen.reference = "Amina", "EQ-7F3K9Q"
    async with session_scope() as session:
        await usecases.sign_out(session, token, HERE.address)
    assert await find_signed_in(token) is None
    await _rename(back_office, "Amina the First")
    assert await _renamed() == 0
    assert (back_office.name, screen.reference, back_office.answer) == ("", "", {})
    assert back_office.away.endswith("&said=signed-out")
