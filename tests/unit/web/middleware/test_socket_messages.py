"""The check of socket messages before they reach Reflex."""

import json
from contextlib import suppress
from typing import Any
from urllib.parse import urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agency_site.features.comments.request import COMMENT_LENGTH
from agency_site.features.newsletter.request import TEXT_LENGTH
from agency_site.settings import Settings
from agency_site.web.middleware.socket_messages import (
    ADDRESS_LENGTH,
    PATH_LENGTH,
    Handlers,
    RefusedMessage,
    UnknownEvent,
    check_message,
    router_data,
)


def _choose(self: object, slide: int) -> None: ...


def _hydrate(self: object, vars: object = None, hashes: object = None) -> None: ...  # noqa: A002


def _update_vars(self: object, vars: dict[str, object]) -> None: ...  # noqa: A002


def _submit(self: object, form: object) -> None: ...


def _setvar(self: object, var_name: str, value: object) -> None: ...


HANDLERS = Handlers(
    {
        "state.hero.choose": _choose,
        "state.hydrate": _hydrate,
        "state.update_vars": _update_vars,
        "state.hero.setvar": _setvar,
        "state.set_is_hydrated": _choose,
        "state.submit": _submit,
    },
    {"state.orders_rx_state_"},
)
SECRET = "hunter2-secret"
STORED = {"state.orders_rx_state_": "EN-7F3K9Q"}
"""What the browser stores."""


def event(**changed: object) -> str:
    """A click in the carousel as the page sends it, with changes."""
    event_data: dict[str, object] = {
        "name": "state.hero.choose",
        "payload": {"slide": 1},
        "router_data": {"pathname": "/", "asPath": "/?a=b", "query": {"a": "b"}},
    }
    return f'42/_event,["event",{json.dumps(event_data | changed)}]'


def accepted_data(text: str) -> Any:
    """The JSON behind the head of an accepted packet."""
    return json.loads(check_message(text, HANDLERS).partition(",")[2])


def test_a_click_reaches_reflex_as_it_was_sent() -> None:
    [kind, result] = accepted_data(event())
    size = result.pop("size")
    assert kind == "event"
    assert result == json.loads(event().partition(",")[2])[1]
    assert size == len(event())


def test_answers_to_pings_and_the_end_of_a_connection_pass() -> None:
    for text in ("3", "1", "41/_event,", "40/_event,"):
        assert check_message(text, HANDLERS) == text
    assert check_message("40/_event", HANDLERS) == "40/_event,"
    assert check_message('42/_event,7["ping"]', HANDLERS) == '42/_event,7["ping"]'


def test_a_connect_carries_the_first_event_and_the_schema_of_the_page() -> None:
    first = {"name": "state.hydrate", "payload": {"vars": STORED}, "router_data": {}}
    result = accepted_data(
        "40/_event," + json.dumps({"event": first, "state_schema": "abc", "other": SECRET})
    )
    assert result["state_schema"] == "abc"
    assert result["event"]["payload"] == {"vars": STORED}
    assert set(result) == {"event", "state_schema"}


def test_a_page_of_another_build_connects_without_its_first_event() -> None:
    first = {"name": "state.gone", "payload": {}, "router_data": {}}
    assert accepted_data("40/_event," + json.dumps({"event": first, "state_schema": "old"})) == {
        "state_schema": "old"
    }


@pytest.mark.parametrize(
    "text",
    [
        "",
        "2probe",
        "5",
        "4",
        "b" + "AAAA",
        '42["event",{}]',
        '42/other,["event",{}]',
        '43/_event,7["ack"]',
        '44/_event,{"message":"x"}',
        '451-/_event,["event",{"_placeholder":true,"num":0}]',
        '461-/_event,7[{"_placeholder":true,"num":0}]',
        '42/_event,["connect",{}]',
        '42/_event,["disconnect"]',
        '42/_event,["event"]',
        '42/_event,["event",1]',
        '42/_event,["event",{},{}]',
        '42/_event,[["event"],{}]',
        '42/_event,["client_error"]',
        '42/_event,{"event":1}',
        '42/_event,["event",' + SECRET,
        "42/_event," + "[" * 100_000,
        "42/_event,[" + "1," * 3000 + "1]",
        '42/_event,["event",' + "9" * 5000 + "]",
        "42/_event,1234567890123[]",
        "40/_event,[]",
        '40/_event,7{"event":null}',
        '40/_event,{"event":"x"}',
        "41/_event,{}",
        event(name=None),
        event(name=["x"]),
        event(name="x" * 300),
        event(name=f"state {SECRET}"),
        event(payload=[1]),
        event(payload={"slide": [[[[[[[[[[[[1]]]]]]]]]]]]}),
        event(router_data=[1]),
    ],
    ids=lambda text: text[:40],
)
def test_what_no_page_sends_is_refused_without_repeating_it(text: str) -> None:
    with pytest.raises(RefusedMessage) as refused:
        check_message(text, HANDLERS)
    assert not refused.value.may_come_from_a_page
    assert SECRET not in str(refused.value)


@pytest.mark.parametrize(
    "changed",
    [
        {"name": "state.hero.gone", "payload": {"password": SECRET}},
        {"payload": {"slide": 1, SECRET: 2}},
        {"payload": {}},
        {"payload": {"self": 1, "slide": 2}},
        {"name": "state.hero.setvar", "payload": {"var_name": SECRET, "value": SECRET}},
        {"name": "state.set_is_hydrated", "payload": {"value": SECRET}},
    ],
)
def test_an_event_of_another_build_is_refused_by_its_name_only(changed: dict[str, object]) -> None:
    with pytest.raises(UnknownEvent) as refused:
        check_message(event(**changed), HANDLERS)
    assert str(changed.get("name", "state.hero.choose")) in str(refused.value)
    assert SECRET not in str(refused.value)


@pytest.mark.parametrize(
    "address",
    ["http://[", "", "about", 1, [], {}, None, True, "/\t/[", "/\n/[", "/\x00", "/" + "x" * PATH_LENGTH],
)
@pytest.mark.parametrize("key", ["asPath", "pathname"])
def test_an_address_that_is_no_path_of_the_site_is_refused(key: str, address: object) -> None:
    with pytest.raises(RefusedMessage):
        router_data({"pathname": "/", "asPath": "/"} | {key: address})


def test_what_follows_two_slashes_is_no_host() -> None:
    assert router_data({"pathname": "//[", "asPath": "//[?a#b"}) == {
        "pathname": "/[", "asPath": "/[?a#b", "query": {},
    }  # fmt: skip


def test_only_known_parts_of_an_address_are_kept() -> None:
    data = {
        "pathname": "/a",
        "asPath": "/a",
        "query": {"a": "b", "c": 1},
        "headers": {"raw-headers": "x"},
        "sid": 1,
    }
    assert router_data(data) == {"pathname": "/a", "asPath": "/a", "query": {"a": "b"}}
    assert router_data({}) == {}


def test_an_address_that_is_too_long_loses_its_query_and_the_page_still_works() -> None:
    long = "/book?utm=" + "x" * ADDRESS_LENGTH
    assert router_data({"pathname": "/book", "asPath": long, "query": {"utm": long}}) == {
        "pathname": "/book", "asPath": "/book", "query": {},
    }  # fmt: skip


@pytest.mark.parametrize(
    "query", [[1], "a", {str(number): "" for number in range(31)}, {"a": "x" * ADDRESS_LENGTH}]
)
def test_parameters_that_no_address_carries_are_refused(query: object) -> None:
    with pytest.raises(RefusedMessage):
        router_data({"pathname": "/", "asPath": "/", "query": query})


def test_reports_of_browsers_keep_three_short_texts() -> None:
    report = {"error_type": "x", "message": "m" * 9000, "more": SECRET}
    assert accepted_data(f'42/_event,["client_error",{json.dumps(report)}]') == [
        "client_error", {"error_type": "x", "substate": "", "message": "m" * 2000},
    ]  # fmt: skip


JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


@given(
    st.sampled_from(["40/_event,", "42/_event,", '42/_event,["event",', "4", ""]),
    st.text() | JSON.map(json.dumps),
)
def test_any_text_is_accepted_or_refused(head: str, rest: str) -> None:
    for text in (head + rest, head + rest + "]"):
        with suppress(RefusedMessage):
            assert check_message(text, HANDLERS)


@given(JSON, JSON, JSON)
def test_any_event_is_accepted_or_refused_and_an_accepted_one_has_an_address_that_can_be_read(
    payload: object, address: object, query: object
) -> None:
    try:
        [_, result] = accepted_data(
            event(payload={"slide": payload}, router_data={"asPath": address, "query": query})
        )
    except RefusedMessage:
        return
    if result["router_data"]:
        urlsplit(result["router_data"]["asPath"])
        assert all(isinstance(value, str) for value in result["router_data"]["query"].values())


@pytest.mark.parametrize(("handler", "longest"), [("comment", COMMENT_LENGTH), ("letter", TEXT_LENGTH)])
@pytest.mark.parametrize("char", ["x", "\n", '"', "—", "ह"])
def test_the_longest_text_that_a_form_takes_fits_into_a_message(
    handler: str, longest: int, char: str
) -> None:
    form = {"__reflex_form_data__": [["name", char * 300], [handler, char * longest]]}
    text = json.dumps({"name": "state.hero.choose", "payload": {"slide": form}}, ensure_ascii=False)
    packet = f'42/_event,["event",{text}]'
    assert len(packet.encode()) <= Settings.model_fields["socket_message_kb"].default * 1024
    [_, result] = accepted_data(packet)
    assert result["payload"] == {"slide": form}


def test_half_a_surrogate_pair_is_replaced() -> None:
    assert accepted_data(event(payload={"slide": "tea \ud83d"}))[1]["payload"] == {"slide": "tea ?"}


def stored(values: object) -> str:
    """The event with which a page tells its state what the browser stores."""
    return event(name="state.hydrate", payload={"vars": values, "hashes": ["a", "b"]})


def test_what_the_browser_stores_reaches_the_fields_that_declare_it() -> None:
    [_, result] = accepted_data(stored(STORED))
    assert result["payload"] == {"vars": STORED, "hashes": ["a", "b"]}


def test_a_value_that_another_tab_has_deleted_is_empty() -> None:
    [_, result] = accepted_data(stored(dict.fromkeys(STORED)))
    assert result["payload"]["vars"] == dict.fromkeys(STORED, "")


@pytest.mark.parametrize(
    "name", ["x.y", "", ".", "state.orders", "state.is_hydrated_rx_state_", "state.choose." + "x" * 999]
)
def test_a_field_that_no_browser_stores_is_dropped(name: str) -> None:
    [_, result] = accepted_data(stored({name: "1"} | STORED))
    assert result["payload"]["vars"] == STORED


@pytest.mark.parametrize(
    "values",
    ["text", 7, True, [], ["a"], {"x.y": 1}, {"state.orders_rx_state_": ["EN"]}, {"a": {"b": "c"}}],
    ids=repr,
)
def test_stored_values_that_are_no_texts_are_refused(values: object) -> None:
    with pytest.raises(RefusedMessage) as refused:
        check_message(stored(values), HANDLERS)
    assert not refused.value.may_come_from_a_page


@pytest.mark.parametrize("hashes", ["ab", 7, {"a": "b"}, ["a", 1], [["a"]]], ids=repr)
def test_digests_that_are_no_texts_are_refused(hashes: object) -> None:
    with pytest.raises(RefusedMessage):
        check_message(event(name="state.hydrate", payload={"hashes": hashes}), HANDLERS)


@pytest.mark.parametrize(
    "fields", ["text", 7, None, {"a": "b"}, ["a"], [["a"]], [[["a"], "b"]], [["a", "b", "c"]]], ids=repr
)
def test_a_form_that_is_no_list_of_fields_is_refused(fields: object) -> None:
    form = {"__reflex_form_data__": fields}
    with pytest.raises(RefusedMessage):
        check_message(event(name="state.submit", payload={"form": form}), HANDLERS)


def test_a_submitted_form_reaches_its_handler() -> None:
    form = {"__reflex_form_data__": [["email", "amina@example.com"], ["consent", "on"]]}
    [_, result] = accepted_data(event(name="state.submit", payload={"form": form}))
    assert result["payload"] == {"form": form}


def test_stored_values_are_null_only_for_a_handler_that_can_do_without() -> None:
    hydrated = check_message(event(name="state.hydrate", payload={"vars": None, "hashes": None}), HANDLERS)
    assert '"vars":null' in hydrated
    with pytest.raises(RefusedMessage) as refused:
        check_message(event(name="state.update_vars", payload={"vars": None}), HANDLERS)
    assert not refused.value.may_come_from_a_page
    assert check_message(event(name="state.update_vars", payload={"vars": {}}), HANDLERS)
