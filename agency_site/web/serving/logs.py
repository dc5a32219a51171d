"""How log lines look: JSON for machines that collect them, plain text on a laptop."""

import json
import logging
import re
from datetime import UTC, datetime
from typing import Any

from agency_site.settings import Settings, settings
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
        if record.exc_info:
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
        whole = f"{line}\n{_redact(self.formatException(record.exc_info))}" if record.exc_info else line
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
        "handlers": {
            "out": {"class": "logging.StreamHandler", "formatter": "line", "stream": "ext://sys.stdout"}
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
