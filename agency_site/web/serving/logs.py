"""Formats of log lines: JSON for log collectors, plain text on a laptop."""

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
"""Maximum of a line with its traceback. Collectors split longer lines, and one message must not fill a disk."""
_HEAD_SHARE = 3
"""A third of a cut text is its beginning; the rest is its end, where a traceback has the error."""

_EVENT = re.compile(
    r"(event data: ?|event argument '[^']{0,200}' with value |but got ).*", re.IGNORECASE | re.DOTALL
)
"""Reflex quotes events that it does not understand and values of the wrong type, which may contain a visitor's input."""
_QUOTED_INPUT = re.compile(r"input_value=.{0,300}?, input_type=", re.DOTALL)
"""pydantic quotes input that it could not parse."""
_TAB = re.compile(r"\b[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b")
"""Ids of tabs are secret: a client that knows one can take over the tab's state."""


_PACKAGE = f"{ROOT / 'agency_site'}/"
_MINUTE = 60.0
_MOST_LINES = 10
"""Maximum of warnings and errors that one place in the code writes in a minute; the first has the traceback."""


def _redact(text: str) -> str:
    """Return the text without input of visitors, in characters that every output supports."""
    redacted = _EVENT.sub(r"\1(left out)", text)
    redacted = _QUOTED_INPUT.sub("input_value=(left out), input_type=", redacted)
    return _TAB.sub("(tab)", redacted).encode("utf-8", "backslashreplace").decode()


def _cut(text: str, length: int) -> str:
    """Return the text, shortened in the middle if it is longer than `length` characters."""
    if len(text) <= length:
        return text
    mark = " (cut) "
    head = max(0, length - len(mark)) // _HEAD_SHARE
    tail = max(0, length - len(mark) - head)
    return text[:head] + mark + text[len(text) - tail :]


@dataclass
class _Repetitions:
    """Lines of one kind of warning or error since the beginning of its minute."""

    started_at: float
    lines: int = 0
    left_out: int = 0


class LimitRepetitions(logging.Filter):
    """Limits equal warnings and errors, so that a flood, which any visitor might cause, does not fill disks or hide others.

    The first in a minute is written with its traceback, some more without it, and the others are counted: the next line has
    their number.
    """

    def __init__(self) -> None:
        super().__init__()
        self._kinds: dict[tuple[object, ...], _Repetitions] = {}
        """Limited by the number of places in the code."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Return whether the record is written; also decide whether it has its traceback."""
        if record.levelno < logging.WARNING:
            return True
        kind = _kind_of(record)
        repetitions = self._kinds.get(kind)
        if repetitions is None or record.created - repetitions.started_at >= _MINUTE:
            left_out = repetitions.left_out if repetitions else 0
            self._kinds[kind] = repetitions = _Repetitions(record.created)
            if left_out:
                record.fields = getattr(record, "fields", {}) | {"left_out": left_out}
        record.has_trace = bool(record.exc_info) and not repetitions.lines
        if repetitions.lines < _MOST_LINES:
            repetitions.lines += 1
            return True
        repetitions.left_out += 1
        return False


def _kind_of(record: logging.LogRecord) -> tuple[object, ...]:
    """Return the place that wrote the record and, for an exception, its type and the last place in the site's own code."""
    kind, _, trace = record.exc_info if record.exc_info else (None, None, None)
    places = [(frame.f_code.co_filename, line) for frame, line in traceback.walk_tb(trace)]
    own = [place for place in places if _PACKAGE in place[0]] or places
    return record.name, record.pathname, record.lineno, kind, *own[-1:]


class JsonLines(logging.Formatter):
    """Formatter: one JSON object per line."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line of a record, with its `fields`."""
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
    """Return the line as JSON; cut its longest texts until it fits."""
    text = json.dumps(line, default=str)
    while len(text) > _LINE_BYTES:
        texts = {name: value if isinstance(value, str) else str(value) for name, value in line.items()}
        longest = max(texts, key=lambda name: len(texts[name]))
        line |= {longest: _cut(texts[longest], len(texts[longest]) * 2 // 3)}
        text = json.dumps(line, default=str)
    return text


class TextLines(logging.Formatter):
    """Formatter: level, message, then the fields."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line of a record."""
        fields = getattr(record, "fields", {})
        pairs = " ".join(f"{name}={value}" for name, value in fields.items())
        parts = [f"[{record.levelname}]", _redact(record.getMessage()), pairs, request_id(), event_id()]
        line = " ".join(part for part in parts if part)
        text = line
        if record.exc_info and getattr(record, "has_trace", True):
            text = f"{line}\n{_redact(self.formatException(record.exc_info))}"
        length = _LINE_BYTES
        while len(cut := _cut(text, length).encode()) > _LINE_BYTES:
            length = length * 3 // 4
        return cut.decode()


def _uses_json(now: Settings) -> bool:
    return now.log_format == "json" or (not now.log_format and not now.is_local)


def _logs_requests(now: Settings) -> bool:
    return now.access_log == "on" or (not now.access_log and not now.is_local)


def logging_setup() -> dict[str, Any]:
    """Return the configuration for `logging.config.dictConfig`, which the server applies in every process."""
    now = settings()
    level = now.log_level.upper()
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {"line": {"()": JsonLines if _uses_json(now) else TextLines}},
        "filters": {"repeats": {"()": LimitRepetitions}},
        "handlers": {
            "out": {
                "class": "logging.StreamHandler",
                "formatter": "line",
                "filters": ["repeats"],
                "stream": "ext://sys.stdout",
            }
        },
        # Below this level libraries log addresses of requests, some of which are secret.
        "root": {"handlers": ["out"], "level": "ERROR" if level == "ERROR" else "WARNING"},
        "loggers": {
            "agency_site": {"level": level},
            "agency_site.access": {"level": "INFO" if _logs_requests(now) else "CRITICAL"},
            "_granian": {"level": level},
            "granian.access": {"level": "CRITICAL"},
        },
    }
