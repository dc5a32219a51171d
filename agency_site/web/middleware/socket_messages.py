"""Checks every message of a page's socket before it is queued for Reflex.

A page sends Engine.IO text packets with Socket.IO packets inside: a connect with the page's first event, events, and
answers to pings. Everything else is refused: other packet types, binary attachments, events without a registered
handler, arguments that the handler does not have, forms that are not a list of fields, values of the browser's storage
that are not texts, and router data that is not an address of this site. Accepted messages are rebuilt from the parts
that were checked, so that Reflex reads exactly these.

Protocols: Engine.IO 4 and Socket.IO 5 (https://socket.io/docs/v4/socket-io-protocol/).
"""

import inspect
import json
import re
from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from typing import Any

from agency_site.web.reflex_internals import wire_names

_NAMESPACE = "/_event"
_BARE_PACKETS = frozenset({"1", "3"})
"""Engine.IO packets without content: close and pong."""
_CONNECT, _EVENT = "0", "2"

_NAME_LENGTH, PATH_LENGTH, ADDRESS_LENGTH, _REPORT_LENGTH = 200, 512, 2048, 2000
_MOST_PARAMETERS, _MOST_VALUES, _DEEPEST = 30, 2000, 12
"""Limits of query parameters, of values in a message, and of nested levels. A form of the site has at most a few hundred
values in four levels."""

_PACKET = re.compile(r"4([0-2])/_event(?:,([0-9]{0,9})(.*))?", re.DOTALL)
_NAME = re.compile(r"[A-Za-z0-9_.]{1,200}")
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
"""`urlsplit` drops some of these characters, which could turn a path into a host."""
_AFTER_PATH = re.compile(r"[?#]")


class RefusedMessage(Exception):
    """The message must not reach Reflex. The reason contains no text of the client."""

    may_come_from_a_page = False
    """True for messages that a page of an earlier build may send; no page of ours sends the others."""


_REFLEXES_OWN = (wire_names.STORED, wire_names.HASHES)


class UnknownEvent(RefusedMessage):
    """No handler has this name, or its arguments are different: the page belongs to another build."""

    may_come_from_a_page = True


class Handlers:
    """The event handlers that a page may call, with their arguments."""

    def __init__(self, functions: Mapping[str, Any], stored_fields: Collection[str] = ()) -> None:
        """`stored_fields` are the pages' names for fields of states that the browser stores."""
        self._stored_fields = frozenset(stored_fields)
        self._signatures = {
            name: inspect.signature(function)
            for name, function in functions.items()
            if not name.endswith(wire_names.INTERNAL_ENDS)
        }

    def check(self, name: object, payload: Mapping[str, object]) -> tuple[str, dict[str, object]]:
        """Return the name of a handler and its checked arguments. Raises UnknownEvent and RefusedMessage."""
        if not isinstance(name, str) or not _NAME.fullmatch(name):
            raise RefusedMessage("an event without a proper name")
        signature = self._signatures.get(name)
        if signature is None:
            raise UnknownEvent(f"no event is called {name}")
        try:
            signature.bind(None, **payload)
        except TypeError:
            raise UnknownEvent(f"the arguments do not match those of {name}") from None
        if any(payload.get(key) is None for key in _REFLEXES_OWN if _is_required(signature, key)):
            raise RefusedMessage("no value of an argument that has one")
        return name, {key: self._checked_argument(key, value) for key, value in payload.items()}

    def _checked_argument(self, key: str, value: object) -> object:
        if key == wire_names.STORED and value is not None:
            return self._checked_storage(value)
        if key == wire_names.HASHES and value is not None and not _is_texts(value):
            raise RefusedMessage("digests that are no texts")
        if (
            isinstance(value, dict)
            and wire_names.FORM_FIELDS in value
            and not _is_fields(value[wire_names.FORM_FIELDS])
        ):
            raise RefusedMessage("a form that is no list of fields")
        return value

    def _checked_storage(self, value: object) -> dict[str, str]:
        """Return the texts that the browser stores; a page of an earlier build may store more, which is dropped."""
        if not isinstance(value, dict) or not all(isinstance(text, str | None) for text in value.values()):
            raise RefusedMessage("stored values that are no texts")
        # The value is null if another tab has just deleted it.
        return {name: text or "" for name, text in value.items() if name in self._stored_fields}


def _is_required(signature: inspect.Signature, key: str) -> bool:
    parameter = signature.parameters.get(key)
    return parameter is not None and parameter.default is inspect.Parameter.empty


def _is_texts(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(text, str) for text in value)


def _is_fields(value: object) -> bool:
    return isinstance(value, list) and all(
        isinstance(field, list) and len(field) == 2 and isinstance(field[0], str) for field in value
    )


def check_message(text: str, handlers: Handlers) -> str:
    """Return the message for Reflex. Raises RefusedMessage."""
    if text in _BARE_PACKETS:
        return text
    packet = _PACKET.fullmatch(text)
    if packet is None:
        raise RefusedMessage("a packet of another kind")
    kind, receipt, body = packet[1], packet[2] or "", packet[3] or ""
    head = f"4{kind}{_NAMESPACE},{receipt}"
    if kind == _EVENT:
        return head + _serialize(_event_packet(_parse(body), handlers, len(text)))
    if receipt:
        raise RefusedMessage("a number on a packet that takes none")
    if kind == _CONNECT and body:
        return head + _serialize(_connect_packet(_parse(body), handlers, len(text)))
    if body:
        raise RefusedMessage("data on a packet that takes none")
    return head


def _serialize(value: object) -> str:
    # Length limits in the browser can cut an emoji into half of a surrogate pair, which can be neither stored nor sent back.
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode(errors="replace").decode()


def _parse(body: str) -> object:
    try:
        value = json.loads(body)
    except (ValueError, RecursionError):
        raise RefusedMessage("no JSON") from None
    for number, depth in enumerate(_depths(value)):
        if number >= _MOST_VALUES or depth > _DEEPEST:
            raise RefusedMessage("too many values")
    return value


def _depths(value: object) -> Iterator[int]:
    """Return the level of every value, the outermost first."""
    waiting = [(value, 0)]
    while waiting:
        item, depth = waiting.pop()
        yield depth
        if isinstance(item, dict):
            waiting.extend((part, depth + 1) for part in item.values())
        elif isinstance(item, list):
            waiting.extend((part, depth + 1) for part in item)


def _connect_packet(auth: object, handlers: Handlers, size: int) -> dict[str, object]:
    if not isinstance(auth, dict):
        raise RefusedMessage("a connect packet without an object")
    checked: dict[str, object] = {}
    if isinstance(schema := auth.get("state_schema"), str):
        checked["state_schema"] = schema[:_NAME_LENGTH]
    if auth.get("event") is not None:
        # A page of another build must be able to connect: Reflex then makes it reload.
        with suppress(UnknownEvent):
            checked["event"] = _event(auth["event"], handlers, size)
    return checked


def _event_packet(packet: object, handlers: Handlers, size: int) -> list[object]:
    match packet:
        case ["ping"]:
            return ["ping"]
        case ["event", event]:
            return ["event", _event(event, handlers, size)]
        case ["client_error", dict() as report]:
            return [
                "client_error",
                {key: str(report.get(key, ""))[:_REPORT_LENGTH] for key in wire_names.REPORT_KEYS},
            ]
    raise RefusedMessage("an event packet of another kind")


def _event(event: object, handlers: Handlers, size: int) -> dict[str, object]:
    if not isinstance(event, dict):
        raise RefusedMessage("an event that is no object")
    payload = event.get("payload") or {}
    if not isinstance(payload, dict):
        raise RefusedMessage("arguments that are no object")
    name, payload = handlers.check(event.get("name"), payload)
    if name.endswith(wire_names.REPORT_EVENT):
        payload = {key: str(value)[:_REPORT_LENGTH] for key, value in payload.items()}
    return {
        "name": name,
        "payload": payload,
        "router_data": router_data(event.get("router_data") or {}),
        # Ignored by Reflex, used by `web/reflex_internals/event_queue.py`.
        "size": size,
    }


def router_data(data: object) -> dict[str, object]:
    """Return path, address and parameters of the page, of limited length. Raises RefusedMessage.

    An address of more than `ADDRESS_LENGTH` characters loses its query, which pages can do without.
    """
    if not isinstance(data, dict):
        raise RefusedMessage("router data that is no object")
    if not data:
        return {}
    path = _path(data.get("pathname", "/"))
    address = _path(data.get("asPath", path))
    if len(address) > ADDRESS_LENGTH:
        return {"pathname": path, "asPath": path, "query": {}}
    return {"pathname": path, "asPath": address, "query": _parameters(data.get("query") or {})}


def _path(data: object) -> str:
    if not isinstance(data, str) or not data.startswith("/") or _CONTROL.search(data):
        raise RefusedMessage("an address that is no path")
    # After two slashes, the next part would be read as a host.
    address = "/" + data.lstrip("/")
    if len(_AFTER_PATH.split(address, maxsplit=1)[0]) > PATH_LENGTH:
        raise RefusedMessage("a path that is too long")
    return address


def _parameters(data: object) -> dict[str, str]:
    if not isinstance(data, dict) or len(data) > _MOST_PARAMETERS:
        raise RefusedMessage("parameters that are no short object")
    checked = {key: value for key, value in data.items() if isinstance(value, str)}
    if sum(len(key) + len(value) for key, value in checked.items()) > ADDRESS_LENGTH:
        raise RefusedMessage("parameters that are too long")
    return checked
