"""The server keeps the state of an open page for its own session only, no snapshot contains it; the order of warnings."""

from collections.abc import Callable
from typing import Any

import pytest
import reflex as rx

from agency_site.auth.cookies import session_name
from agency_site.auth.rules import Role, Staff
from agency_site.backoffice.record_page import RecordState
from agency_site.backoffice.state import StaffState, due_warnings

MINE, OTHER = "A" * 43, "B" * 43


def _present(root: rx.State, token: str) -> None:
    """Set the router as the event processor does for a socket whose browser has that cookie."""
    headers = {"cookie": f"{session_name()}={token}"} if token else {}
    before = root.router_data
    root.router_data = root._update_router_vars({"headers": headers}, before)


@pytest.fixture
def page() -> tuple[rx.State, Any, Any]:
    """A tab in which a booking is open: its root, the back office's state, and the screen's."""
    root = rx.State(_reflex_internal_init=True)  # type: ignore[call-arg]
    _present(root, MINE)
    back_office: Any = root.substates[StaffState.get_name()]
    screen = back_office.substates[RecordState.get_name()]
    back_office._claim()
    back_office.name, screen.reference, screen.panel = "Amina", "BK-7F3K9Q", "details"
    return root, back_office, screen


def test_a_reconnect_of_the_same_session_keeps_the_page_and_sends_nothing(
    page: tuple[rx.State, Any, Any],
) -> None:
    root, back_office, screen = page
    variables = root.dict()
    assert not [name for name in variables if "office" in name]
    assert not root.get_delta().keys() & {back_office.get_full_name(), screen.get_full_name()}
    assert (back_office.name, screen.reference, screen.panel) == ("Amina", "BK-7F3K9Q", "details")


@pytest.mark.parametrize("token", [OTHER, "", "x"])
def test_a_connection_with_another_cookie_discards_the_stored_page(
    page: tuple[rx.State, Any, Any], token: str
) -> None:
    root, back_office, screen = page
    _present(root, token)
    variables = root.dict()
    assert not [name for name in variables if "office" in name]
    assert (back_office.name, screen.reference, screen.panel) == ("", "", "")


def test_an_event_of_another_session_finds_nothing_of_the_first(page: tuple[rx.State, Any, Any]) -> None:
    root, back_office, screen = page
    _present(root, OTHER)
    back_office._claim()
    assert (back_office.name, screen.reference, screen.panel) == ("", "", "")


def test_a_reloaded_page_gets_all_variables(page: tuple[rx.State, Any, Any]) -> None:
    root, back_office, screen = page
    root.dict()
    root._clean()
    screen._send_all()
    delta = root.get_delta()
    assert delta[screen.get_full_name()]["reference_rx_state_"] == "BK-7F3K9Q"
    assert delta[back_office.get_full_name()]["name_rx_state_"] == "Amina"


def test_a_screen_cannot_hide_what_the_frame_shows() -> None:
    with pytest.raises(TypeError, match=r"HidingPage hides name of StaffState"):
        type(
            "HidingPage",
            (StaffState,),
            {"__module__": __name__, "__annotations__": {"name": str}, "name": ""},
        )


def test_the_warning_that_bars_staff_from_their_work_comes_first_and_mail_last(
    configure: Callable[..., object],
) -> None:
    facts = [
        warning.partition(".")[0]
        for warning in due_warnings(
            Staff(1, "desk@mwanga.example", "Desk", Role.FRONT_DESK, 1, "", held_back=True)
        )
    ]
    assert facts == [
        "Your role requires a second factor", "The M-Pesa simulator is on", "Mail stays in the outbox",
    ]  # fmt: skip
    configure(smtp_host="mail.mwanga.example")
    assert due_warnings(Staff(1, "desk@mwanga.example", "Desk", Role.FRONT_DESK, 1, "")) == [
        "The M-Pesa simulator is on. No real money is moved."
    ]
