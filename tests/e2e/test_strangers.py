"""Strangers can call every event handler over the socket: no arguments may cause an unhandled exception."""

import inspect
import json
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import pytest
import reflex as rx
from reflex.state import BaseState
from simple_websocket import ConnectionClosed

import agency_site.agency_site  # noqa: F401 - registers all states
from agency_site.backoffice.state import StaffState
from agency_site.site.home.hero import Hero
from tests.e2e.conftest import RunningSite
from tests.sockets import Socket

JUNK: tuple[object, ...] = (
    None,
    "",
    "x" * 5000,
    -1,
    10**30,
    1.5,
    True,
    [],
    {"a": {"b": []}},
    "\u0000\ud83d",
    "2026-13-45",
)


def our_states() -> list[type[BaseState]]:
    """Every state class of the site."""

    def below(state: type[BaseState]) -> Iterator[type[BaseState]]:
        for child in state.get_substates():
            yield child
            yield from below(child)

    return sorted(
        {state for state in below(rx.State) if state.__module__.startswith("agency_site")},
        key=lambda s: s.get_full_name(),
    )


def handlers() -> list[tuple[str, str]]:
    """State and name of every event handler that the site itself declares."""
    return [
        (state.get_full_name(), name)
        for state in our_states()
        for name in sorted(state.event_handlers)
        if name not in rx.State.event_handlers and not issubclass(state, StaffState)
    ]


def parameters_of(state: str, handler: str) -> list[str]:
    """Names of what the browser sends with an event."""
    owner = next(result for result in our_states() if result.get_full_name() == state)
    return list(inspect.signature(owner.event_handlers[handler].fn).parameters)[1:]


class Stranger:
    """A raw socket without a browser."""

    def __init__(self, socket: Socket, path: str) -> None:
        self._socket = socket
        self._path = path

    def send(self, state: str, handler: str, payload: dict[str, object], receipt: str = "") -> None:
        """One event, as a browser would send it; `receipt` is a number under which the server says that it has it."""
        event = {
            "name": f"{state}.{handler}",
            "payload": payload,
            "router_data": {"pathname": self._path.partition("?")[0], "asPath": self._path},
        }
        self._socket.send(f'42/_event,{receipt}["event",{json.dumps(event)}]')

    def send_and_wait(self, state: str, handler: str, payload: dict[str, object]) -> None:
        """One event; returns once the server has taken it over, done or not."""
        self.send(state, handler, payload, receipt="7")
        self.wait_for("43/_event,7")

    def wait_for(self, text: str) -> list[str]:
        """All messages up to the first one that contains `text`; answers pings meanwhile."""
        received = []
        while True:
            message = self._socket.receive(timeout=20)
            assert message is not None, f"no message with {text!r}"
            if message == "2":
                self._socket.send("3")
                continue
            received.append(str(message))
            if text in received[-1]:
                return received

    def settle(self) -> list[str]:
        """All messages until every event sent so far is done: events of one visitor run in turn."""
        self.send(Hero.get_full_name(), "choose", {"slide": 1})
        received = self.wait_for('"slide_rx_state_":1')
        self.send(Hero.get_full_name(), "choose", {"slide": 0})
        return received + self.wait_for('"slide_rx_state_":0')


@contextmanager
def stranger(
    site: RunningSite, path: str = "/book", cookie: str = "", token: str = "", name: str = ""
) -> Iterator[Stranger]:
    """Connect with a token of one's own choosing, as from the page at `path`; `name` is what a proxy calls the socket."""
    query = f"EIO=4&transport=websocket&token={token or uuid.uuid4()}"
    said = {"Cookie": cookie, "X-Request-ID": name}
    socket = Socket.connect(
        site.url.replace("http", "ws") + f"/_event/?{query}",
        headers={header: value for header, value in said.items() if value},
    )
    try:
        # Not after the server's first message: what comes in one packet with the handshake is read with the next one only.
        socket.send("40/_event,")
        result = Stranger(socket, path)
        result.wait_for("40/_event")
        yield result
    finally:
        with suppress(ConnectionClosed):
            socket.close()


def test_there_are_handlers_to_try() -> None:
    assert len(handlers()) > 20


@pytest.mark.parametrize(("state", "handler"), handlers(), ids=lambda value: value.rpartition(".")[2])
def test_no_argument_breaks_a_handler(site: RunningSite, state: str, handler: str) -> None:
    before = site.log.stat().st_size
    names = parameters_of(state, handler)
    with stranger(site) as visitor:
        for junk in JUNK if names else (None,):
            visitor.send(state, handler, dict.fromkeys(names, junk))
        visitor.settle()
    with site.log.open() as log:
        log.seek(before)
        assert "Traceback" not in log.read()
