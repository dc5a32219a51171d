"""No staff handler works for, or discloses anything to, a browser that is not signed in or lacks the permission."""

import json
import sqlite3
import uuid
from collections.abc import Iterator, Sequence
from contextlib import closing
from typing import Any

import httpx
import pytest
from reflex.state import BaseState
from reflex.utils.format import json_dumps

from agency_site.auth.rules import PERMISSIONS, Permission, Role
from agency_site.backoffice.access_control import permission_of
from agency_site.backoffice.records import find_record_at
from agency_site.backoffice.screens import Screen, screens
from agency_site.backoffice.state import StaffState
from agency_site.backoffice.texts.dialog import MessageDialog
from agency_site.web.reflex_internals.states import compiled_defaults
from tests.e2e.back_office.conftest import COOKIE, Member, dismiss, employ, require_second_factor_of_all
from tests.e2e.conftest import RunningSite
from tests.e2e.test_strangers import JUNK, our_states, parameters_of, stranger

SAID = {"away_rx_state_", "refusal_rx_state_", "way_out_rx_state_"}
"""The content of a refused page: the address of the sign-in page, or the reason with a helpful page."""


Place = tuple[Screen, type[BaseState]]


def places() -> Sequence[Place]:
    """Return each back-office state with each screen that uses it."""
    targets = []
    for state in (state_class for state_class in our_states() if issubclass(state_class, StaffState)):
        homes = [screen for screen in screens() if state.__name__ in _states_of(screen)]
        # A dialog that several screens have opens when staff click its button.
        is_opened_later = state is StaffState or issubclass(state, MessageDialog)
        assert homes or is_opened_later, f"no screen opens {state.__name__}"
        targets += [(home, state) for home in homes or screens()[:1]]
    return targets


def _states_of(screen: Screen) -> set[str]:
    """Return the names of the states that a screen opens, also with a form of its record."""
    record = find_record_at(screen.path)
    forms = [action.on_open for action in record.actions if action.on_open] if record else []
    return {event.fn.__qualname__.partition(".")[0] for event in (*screen.on_load, *forms)}


def handlers_of(state: type[BaseState]) -> list[str]:
    """Return the handlers of a state itself, without those of its parent."""
    return sorted(
        name for name, handler in state.event_handlers.items() if permission_of(handler.fn) is not None
    )


ALL = pytest.mark.parametrize("place", places(), ids=lambda place: f"{place[0].path}-{place[1].__name__}")


_CHANGING = {"staff_sessions", "server_processes", "sqlite_sequence", "mpesa_tokens", "mpesa_query_slots"}
"""Tables that change without an event: reports of servers, activity of sessions, M-Pesa's transactions."""


def everything(site: RunningSite) -> dict[str, list[Any]]:
    """Return all rows, except those that any check of a session may write, SQLite's own figures, and the log of refusals."""
    with closing(site.connect()) as connection:
        names = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
        tables = sorted(name for (name,) in names if name not in _CHANGING and not name.startswith("sqlite_"))
        held = {table: _rows(connection, table) for table in tables}
        columns = [name for _, name, *_ in connection.execute("PRAGMA table_info(audit_entries)")]
        action = columns.index("action")
        held["audit_entries"] = [row for row in held["audit_entries"] if row[action] != "staff.right_refused"]
        return held


def _rows(connection: sqlite3.Connection, table: str) -> list[Any]:
    return connection.execute(f'SELECT * FROM "{table}" ORDER BY 1').fetchall()


def updates(messages: list[str]) -> Iterator[tuple[str, str, Any]]:
    """Yield state, variable and value of each update of back-office states in the messages."""
    for message in messages:
        _, _, body = message.partition("42/_event,")
        update = json.loads(body)[1] if body else {}
        for state, values in (update.get("delta") or {}).items():
            if ".agency_site___backoffice___state____staff_state" in state:
                yield from ((state, name, value) for name, value in values.items())


def blank() -> dict[str, Any]:
    """Return the variables of all back-office states on an emptied page."""
    return json.loads(json_dumps(compiled_defaults(StaffState)))  # type: ignore[no-any-return]


def refused(site: RunningSite, place: Place, names: Sequence[str], cookie: str) -> None:
    """Check that these events change nothing, and that the answers only say that they were refused."""
    screen, state = place
    before, empty = everything(site), blank()
    with stranger(site, screen.path, cookie) as visitor:
        for name in names:
            arguments = parameters_of(state.get_full_name(), name)
            visitor.send(state.get_full_name(), name, dict.fromkeys(arguments, "1"))
            messages_back = list(updates(visitor.settle()))
            assert {said for _, said, value in messages_back if value} & SAID, name
            leaked = [(s, n, v) for s, n, v in messages_back if n not in SAID and v != empty[s][n]]
            assert (name, leaked) == (name, [])
    assert everything(site) == before


def cookie_of(member: Member) -> str:
    """Return the Cookie header of a member's browser."""
    return f"{COOKIE}={member.token}"


@ALL
def test_a_stranger_is_refused(site: RunningSite, place: Place) -> None:
    refused(site, place, handlers_of(place[1]), "")


@pytest.mark.thorough
@ALL
def test_a_signed_out_session_is_refused(site: RunningSite, place: Place) -> None:
    member = employ(site, Role.OWNER)
    dismiss(site, member)
    refused(site, place, handlers_of(place[1]), cookie_of(member))


@pytest.mark.thorough
@ALL
def test_every_role_is_refused_what_it_has_no_permission_for(site: RunningSite, place: Place) -> None:
    screen, state = place
    for role in Role:
        wanted = {name: permission_of(state.event_handlers[name].fn) for name in handlers_of(state)}
        # A list requires the permission of its screen.
        rights = {
            n: right if isinstance(right, Permission) else screen.permission for n, right in wanted.items()
        }
        closed = [name for name, right in rights.items() if right not in PERMISSIONS[role]]
        refused(site, place, closed, cookie_of(employ(site, role)))


@pytest.fixture
def second_factor_for_all(site: RunningSite) -> Iterator[None]:
    """Make owners require an authenticator of all staff."""
    with require_second_factor_of_all(site):
        yield


@pytest.mark.thorough
@ALL
@pytest.mark.usefixtures("second_factor_for_all")
def test_staff_without_a_required_second_factor_are_refused_all_but_their_own_account(
    site: RunningSite, place: Place
) -> None:
    wanted = {name: permission_of(place[1].event_handlers[name].fn) for name in handlers_of(place[1])}
    closed = [
        name
        for name, right in wanted.items()
        if (right if isinstance(right, Permission) else place[0].permission) is not Permission.ENTER_ACCOUNT
    ]
    for role in Role:
        refused(site, place, closed, cookie_of(employ(site, role)))


@pytest.mark.usefixtures("second_factor_for_all")
def test_staff_without_a_required_second_factor_export_nothing(site: RunningSite) -> None:
    def answered(member: Member) -> int:
        headers = {"Cookie": cookie_of(member)}
        return httpx.get(f"{site.url}/admin/export/audit-log.csv", headers=headers).status_code

    assert answered(employ(site, Role.OWNER)) == 403
    assert answered(employ(site, Role.OWNER, seed="somebody's seed")) == 200


@pytest.mark.thorough
@ALL
def test_no_argument_breaks_a_handler(site: RunningSite, place: Place) -> None:
    screen, state = place
    member, before = employ(site, Role.OWNER), site.log.stat().st_size
    with stranger(site, screen.path, cookie_of(member)) as visitor:
        for name in handlers_of(state):
            arguments = parameters_of(state.get_full_name(), name)
            for junk in JUNK if arguments else (None,):
                visitor.send(state.get_full_name(), name, dict.fromkeys(arguments, junk))
        visitor.settle()
    with site.log.open() as log:
        log.seek(before)
        assert "Traceback" not in log.read()


def test_a_browser_that_connects_with_another_ones_tab_token_gets_no_data(site: RunningSite) -> None:
    member = employ(site, Role.OWNER, name="Zawadi Of The Snapshot")
    dashboard = next(
        state_class for state_class in our_states() if state_class.__name__ == "Dashboard"
    ).get_full_name()
    tab = str(uuid.uuid4())
    with stranger(site, "/admin", cookie_of(member), token=tab) as staff:
        staff.send(dashboard, "open_dashboard", {})
        assert any("Zawadi Of The Snapshot" in message for message in staff.settle())
    with stranger(site, "/admin", token=tab) as thief:
        thief.send("reflex___state____state", "hydrate_and_load", {})
        messages_back = thief.settle()
    assert not any("Zawadi Of The Snapshot" in message for message in messages_back)
    empty = blank()
    assert [(n, v) for s, n, v in updates(messages_back) if n not in SAID and v != empty[s][n]] == []


def test_a_state_with_an_undeclared_handler_raises() -> None:
    with pytest.raises(TypeError, match="has to be declared"):
        type("Careless", (StaffState,), {"__module__": __name__, "open_all": lambda self: None})
