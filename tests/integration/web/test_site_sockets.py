"""Attacks on the whole site with one socket: raw clients against a real server process."""

import inspect
import json
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest
from reflex_base.registry import RegistrationContext
from simple_websocket import ConnectionClosed

import agency_site.agency_site  # noqa: F401 - registers all handlers
from agency_site.features.booking.booking_page.state import BookingForm
from agency_site.ui.error_reports import ErrorReport
from tests.api_servers import api_server
from tests.servers import fresh_sqlite
from tests.sockets import Socket

SITE = "tests.integration.web.site_sockets:create"
ROOT_STATE = "reflex___state____state"
HYDRATE = f"{ROOT_STATE}.hydrate"
UPDATE = f"{ROOT_STATE}.reflex___state____update_vars_internal_state.update_vars_internal"
SHOW_ERROR = f"{ErrorReport.get_full_name()}.show"
SECRET = "hunter2-secret"


@dataclass(frozen=True)
class Site:
    """A running site."""

    url: str
    process_id: int
    log: Path

    @contextmanager
    def socket(self, headers: dict[str, str] | None = None) -> Iterator[Socket]:
        """A connected socket of one tab."""
        tab = str(uuid.uuid4())
        query = f"EIO=4&transport=websocket&token={tab}"
        client = Socket.connect(f"{self.url.replace('http', 'ws')}/_event/?{query}", headers=headers)
        client.tab = tab
        try:
            client.send("40/_event,")
            receive(client, "40/_event")
            yield client
        finally:
            with suppress(ConnectionClosed):
                client.close()


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """A server for the tests of this module."""
    folder = tmp_path_factory.mktemp("site")
    log = folder / "server.log"
    url = fresh_sqlite(folder / "site.sqlite3")
    with api_server(SITE, url, log, {"log_level": "info", "access_log": "on"}) as server:
        yield Site(server.url, server.process.pid, log)


def event(name: str = HYDRATE, **more: object) -> str:
    """An event packet."""
    return f'42/_event,["event",{json.dumps({"name": name} | more)}]'


def receive(client: Socket, text: str) -> str:
    """The first message that contains `text`."""
    while True:
        message = client.receive(timeout=20)
        assert message is not None, f"no message with {text!r}"
        if text in str(message):
            return str(message)


def closed(client: Socket) -> int:
    """The reason for which the server closes the socket."""
    try:
        while client.receive(timeout=20) is not None:
            pass
    except ConnectionClosed as end:
        return int(end.reason)
    raise AssertionError("the socket stays open")


def hydrates(site: Site) -> None:
    """Check that a new page gets its state."""
    with site.socket() as client:
        client.send(event(router_data={"pathname": "/", "asPath": "/"}))
        receive(client, '"delta"')


@pytest.mark.parametrize(
    "router_data",
    [
        {"asPath": "http://[", "pathname": "/"},
        {"asPath": "/\t/[", "pathname": "/"},
        {"asPath": 7, "pathname": "/"},
        {"asPath": ["/"], "pathname": "/"},
        {"asPath": "/", "pathname": {"a": 1}},
        {"asPath": "/", "pathname": "/", "query": [1]},
    ],
    ids=json.dumps,
)
def test_an_address_that_cannot_be_read_ends_its_socket_and_nothing_follows(
    site: Site, router_data: dict[str, object]
) -> None:
    before = site.log.stat().st_size
    with site.socket() as client:
        client.send(event(router_data=router_data))
        assert closed(client) == 1008
    hydrates(site)
    lines = site.log.read_text()[before:].splitlines()
    assert sum("a socket message was refused" in line for line in lines) == 1
    assert not any("Traceback" in line for line in lines)


def test_two_slashes_and_headers_named_like_fields_of_reflex_break_no_event(site: Site) -> None:
    before = site.log.stat().st_size
    with site.socket({"raw-headers": "x", "X-Junk": "y" * 3000, "self": "z"}) as client:
        client.send(event(router_data={"pathname": "//[", "asPath": "//["}))
        delta = receive(client, '"delta"')
    assert "yyy" not in delta
    assert "Traceback" not in site.log.read_text()[before:]


def test_a_bad_setvar_leaves_one_line_in_the_log(site: Site) -> None:
    before = site.log.stat().st_size
    name = f"{ROOT_STATE}.setvar"
    with site.socket() as client:
        client.send(event(name, payload={"var_name": "is_hydrated", "value": SECRET}))
        client.send('42/_event,9["ping"]')
        receive(client, "43/_event,9")
    lines = [line for line in site.log.read_text()[before:].splitlines() if name in line]
    assert len(lines) == 1
    assert "Traceback" not in site.log.read_text()[before:]


def handlers() -> dict[str, list[str]]:
    """Every registered handler and its arguments."""
    return {
        name: list(inspect.signature(handler.handler.fn).parameters)[1:]
        for name, handler in sorted(RegistrationContext.get().event_handlers.items())
    }


def malformed() -> Iterator[str]:
    """Packets of every kind that no page sends, with a secret in each."""
    handler = f"{BookingForm.get_full_name()}.choose_date"
    path = {"pathname": "/", "asPath": f"/?q={SECRET}", "query": {"q": SECRET}}
    yield from (
        SECRET,
        f"4{SECRET}",
        f"45{SECRET}",
        f'42["{SECRET}"]',
        f"42/_event,{SECRET}",
        f'43/_event,1["{SECRET}"]',
    )
    yield from (f'40/_event,["{SECRET}"]', f'40/{SECRET},{{"a":1}}', f'44/_event,{{"message":"{SECRET}"}}')
    yield f'451-/_event,["event",{{"a":"{SECRET}","_placeholder":true,"num":0}}]'
    for name in ("event", SECRET, "connect", "disconnect", "client_error"):
        yield f'42/_event,["{name}","{SECRET}"]'
    yield event(f"{ROOT_STATE}.gone", payload={"password": SECRET}, router_data=path)
    yield event(f"{ROOT_STATE}.setvar", payload={"var_name": SECRET, "value": SECRET}, router_data=path)
    yield event(f"state with {SECRET}", router_data=path)
    yield event(handler, payload={"chosen": "", SECRET: SECRET}, router_data=path)
    yield event(handler, payload=[SECRET])
    yield event(handler, payload={"chosen": ""}, router_data={"pathname": SECRET})
    yield event(
        handler, payload={"chosen": ""}, router_data={"pathname": "/", "asPath": "/", "query": [SECRET]}
    )
    yield event(HYDRATE, router_data=SECRET)
    yield f'42/_event,["client_error",{{"message":"no \'{SECRET}\'","error_type":"\'{SECRET}\'","substate":"{SECRET}"}}]'


def odd_arguments(names: list[str]) -> Iterator[dict[str, object]]:
    """Arguments for a handler, none of the kind that it expects."""
    form = {"__reflex_form_data__": [["email", SECRET], ["password", SECRET], [SECRET, [SECRET]]]}
    for value in (
        SECRET,
        [SECRET],
        {SECRET: SECRET},
        form,
        {"__reflex_form_data__": SECRET},
        None,
        True,
        -1.5,
        [[[SECRET]]],
    ):
        yield dict.fromkeys(names, value)


def test_no_malformed_event_brings_a_secret_into_the_log(site: Site) -> None:
    before = site.log.stat().st_size
    headers = {"Cookie": f"staff={SECRET}", "X-Forwarded-For": "203.0.113.77", "Authorization": SECRET}
    tabs = []
    for packet in malformed():
        with site.socket(headers) as client:
            tabs.append(client.tab)
            client.send(packet)
            with suppress(ConnectionClosed):
                client.send('42/_event,9["ping"]')
                receive(client, "pong")
    for name, names in handlers().items():
        with site.socket(headers) as client:
            tabs.append(client.tab)
            for arguments in odd_arguments(names):
                with suppress(ConnectionClosed):
                    client.send(event(name, payload=arguments, router_data={"pathname": "/", "asPath": "/"}))
            with suppress(ConnectionClosed):
                client.send(event(SHOW_ERROR))
                receive(client, '"is_shown_rx_state_":true')
    lines = site.log.read_text()[before:].splitlines()
    assert any("a socket message was refused" in line for line in lines)
    assert [line for line in lines if "Traceback" in line] == []
    for secret in (SECRET, "203.0.113.77", *tabs):
        assert [line for line in lines if secret in line] == []
    assert max(len(line.encode()) for line in lines) <= 4096


def test_a_page_that_sends_unknown_events_keeps_its_socket_for_twenty_of_them(site: Site) -> None:
    with site.socket() as client:
        for _ in range(20):
            client.send(event(f"{ROOT_STATE}.gone"))
        client.send('42/_event,9["ping"]')
        receive(client, "43/_event,9")
        client.send(event(f"{ROOT_STATE}.gone"))
        assert closed(client) == 1008


def test_a_tab_without_a_proper_name_is_refused(site: Site) -> None:
    wish = {
        "Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Version": "13",
        "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
    }  # fmt: skip
    for token in ("", "t", "x" * 5000, str(uuid.uuid4()) + "0"):
        query = {"EIO": "4", "transport": "websocket", "token": token}
        with httpx.stream("GET", f"{site.url}/_event/", params=query, headers=wish, timeout=15) as answer:
            assert answer.status_code == 403


@pytest.mark.parametrize("name", [f"{ROOT_STATE}.hydrate_and_load", UPDATE])
@pytest.mark.parametrize("values", [{"x.y": 1}, "text"], ids=repr)
def test_made_up_stored_values_end_their_socket_without_a_traceback(
    site: Site, name: str, values: object
) -> None:
    before = site.log.stat().st_size
    with site.socket() as client:
        client.send(event(name, payload={"vars": values}))
        assert closed(client) == 1008
    hydrates(site)
    assert "event handler raised" not in site.log.read_text()[before:]


@pytest.mark.parametrize("name", [f"{ROOT_STATE}.hydrate_and_load", UPDATE])
def test_unknown_stored_values_change_nothing(site: Site, name: str) -> None:
    before = site.log.stat().st_size
    with site.socket() as client:
        for values in ({"x.y": "1"}, {"": ""}, {f"{ROOT_STATE}.is_hydrated_rx_state_": "1"}):
            client.send(event(name, payload={"vars": values}, router_data={"pathname": "/", "asPath": "/"}))
        client.send('42/_event,9["ping"]')
        receive(client, "pong")
    hydrates(site)
    assert "event handler raised" not in site.log.read_text()[before:]
