"""How log lines look: JSON for machines that collect them, plain text on a laptop."""

import json
import logging
import re
import traceback
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from agency_site.settings import ROOT, Settings, settings
from agency_site.web.middleware.request_ids import event_id, request_id

_LINE_BYTES = 4096
"""The longest line, with its trace. Collectors split longer ones, and one message cannot fill a disk."""
_HEAD_SHARE = 3
"""One part in so many of a text that is cut is its beginning; the rest is its end, where a trace names the error."""

_EVENT = re.compile(
    r"(event data: ?|event argument '[^']{0,200}' with value |but got ).*", re.IGNORECASE | re.DOTALL
)
"""Reflex quotes an event that it does not understand, or a value of another type. It may contain what a visitor typed."""
_QUOTED_INPUT = re.compile(r"input_value=.{0,300}?, input_type=", re.DOTALL)
"""pydantic quotes what it could not read."""
_TAB = re.compile(r"\b[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b")
"""A client that knows the name of a tab can take over its state."""


_PACKAGE = f"{ROOT / 'agency_site'}/"
_MINUTE = 60.0
_MOST_LINES = 10
"""Lines that one place in the code writes in a minute, warnings and errors; the first has the traceback."""


def _redact(text: str) -> str:
    """The text without what visitors sent, and in characters that every output takes."""
    shown = _EVENT.sub(r"\1(left out)", text)
    shown = _QUOTED_INPUT.sub("input_value=(left out), input_type=", shown)
    return _TAB.sub("(tab)", shown).encode("utf-8", "backslashreplace").decode()


def _cut(text: str, length: int) -> str:
    """The beginning and the end of a text that is longer than `length` characters."""
    if len(text) <= length:
        return text
    mark = " (cut) "
    head = max(0, length - len(mark)) // _HEAD_SHARE
    tail = max(0, length - len(mark) - head)
    return text[:head] + mark + text[len(text) - tail :]


@dataclass
class _Repeats:
    """What one kind of warning or error has written since the beginning of its minute."""

    begun: float
    lines: int = 0
    left_out: int = 0


class LimitRepeats(logging.Filter):
    """Keeps a flood of the same warning or error, which any visitor might cause, from filling disks and hiding others.

    The first of a minute is written with its traceback, some more without, and the others are counted: the next line has
    their number.
    """

    def __init__(self) -> None:
        super().__init__()
        self._kinds: dict[tuple[object, ...], _Repeats] = {}
        """Their number is bounded by the places in the code."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether the record is written; decides about its traceback too."""
        if record.levelno < logging.WARNING:
            return True
        kind = _kind_of(record)
        seen = self._kinds.get(kind)
        if seen is None or record.created - seen.begun >= _MINUTE:
            left_out = seen.left_out if seen else 0
            self._kinds[kind] = seen = _Repeats(record.created)
            if left_out:
                record.fields = getattr(record, "fields", {}) | {"left_out": left_out}
        record.has_trace = bool(record.exc_info) and not seen.lines
        if seen.lines < _MOST_LINES:
            seen.lines += 1
            return True
        seen.left_out += 1
        return False


def _kind_of(record: logging.LogRecord) -> tuple[object, ...]:
    """Where the record was written and, for an error, its type and the last place of the site that it passed."""
    kind, _, trace = record.exc_info if record.exc_info else (None, None, None)
    places = [(frame.f_code.co_filename, line) for frame, line in traceback.walk_tb(trace)]
    own = [place for place in places if _PACKAGE in place[0]] or places
    return record.name, record.pathname, record.lineno, kind, *own[-1:]


class JsonLines(logging.Formatter):
    """One JSON object per line."""

    def format(self, record: logging.LogRecord) -> str:
        """The line of a record; its `fields` are added to the message."""
        line: dict[str, object] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": _redact(record.getMessage()),
        }
        if name := request_id():
            line["request_id"] = name
        if name := event_id():
            line["event"] = name
        line |= getattr(record, "fields", {})
        if record.exc_info and getattr(record, "has_trace", True):
            line["error"] = _redact(self.formatException(record.exc_info))
        return _fit(line)


def _fit(line: dict[str, object]) -> str:
    """The line as JSON; its longest texts are cut until it fits."""
    written = json.dumps(line, default=str)
    while len(written) > _LINE_BYTES:
        texts = {name: value if isinstance(value, str) else str(value) for name, value in line.items()}
        longest = max(texts, key=lambda name: len(texts[name]))
        line |= {longest: _cut(texts[longest], len(texts[longest]) * 2 // 3)}
        written = json.dumps(line, default=str)
    return written


class TextLines(logging.Formatter):
    """Level, message, and the fields behind it."""

    def format(self, record: logging.LogRecord) -> str:
        """The line of a record."""
        fields = getattr(record, "fields", {})
        shown = " ".join(f"{name}={value}" for name, value in fields.items())
        parts = [f"[{record.levelname}]", _redact(record.getMessage()), shown, request_id(), event_id()]
        line = " ".join(part for part in parts if part)
        whole = line
        if record.exc_info and getattr(record, "has_trace", True):
            whole = f"{line}\n{_redact(self.formatException(record.exc_info))}"
        length = _LINE_BYTES
        while len(cut := _cut(whole, length).encode()) > _LINE_BYTES:
            length = length * 3 // 4
        return cut.decode()


def _json(now: Settings) -> bool:
    return now.log_format == "json" or (not now.log_format and now.production)


def _requests(now: Settings) -> bool:
    return now.access_log == "on" or (not now.access_log and now.production)


def logging_setup() -> dict[str, Any]:
    """What `logging.config.dictConfig` takes. The server applies it in its own process and in every worker."""
    now = settings()
    level = now.log_level.upper()
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {"line": {"()": JsonLines if _json(now) else TextLines}},
        "filters": {"repeats": {"()": LimitRepeats}},
        "handlers": {
            "out": {
                "class": "logging.StreamHandler",
                "formatter": "line",
                "filters": ["repeats"],
                "stream": "ext://sys.stdout",
            }
        },
        # Libraries write addresses of requests at the level below: some of them are secret.
        "root": {"handlers": ["out"], "level": "ERROR" if level == "ERROR" else "WARNING"},
        "loggers": {
            "agency_site": {"level": level},
            "agency_site.access": {"level": "INFO" if _requests(now) else "CRITICAL"},
            "_granian": {"level": level},
            "granian.access": {"level": "CRITICAL"},
        },
    }
