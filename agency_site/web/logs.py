"""How log lines look: JSON for machines that collect them, plain text on a laptop."""

import json
import logging
import re
from datetime import UTC, datetime
from typing import Any

from agency_site.settings import Settings, settings
from agency_site.web.request_ids import event_id, request_id

_EVENT = re.compile(r"(event data: ?|event argument '[^']*' with value ).*", re.IGNORECASE | re.DOTALL)
"""Reflex quotes an event that it does not understand. What somebody typed stands in it."""


def _told(text: str) -> str:
    """The text without what visitors sent, and in characters that every output takes."""
    return _EVENT.sub(r"\1(left out)", text).encode("utf-8", "backslashreplace").decode()


class JsonLines(logging.Formatter):
    """One JSON object per line."""

    def format(self, record: logging.LogRecord) -> str:
        """The line of a record; its `fields` stand beside the message."""
        line: dict[str, object] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": _told(record.getMessage()),
        }
        if name := request_id():
            line["request_id"] = name
        if name := event_id():
            line["event"] = name
        line |= getattr(record, "fields", {})
        if record.exc_info:
            line["error"] = _told(self.formatException(record.exc_info))
        return json.dumps(line, default=str)


class TextLines(logging.Formatter):
    """Level, message, and the fields behind it."""

    def format(self, record: logging.LogRecord) -> str:
        """The line of a record."""
        fields = getattr(record, "fields", {})
        shown = " ".join(f"{name}={value}" for name, value in fields.items())
        parts = [f"[{record.levelname}]", _told(record.getMessage()), shown, request_id(), event_id()]
        line = " ".join(part for part in parts if part)
        return f"{line}\n{_told(self.formatException(record.exc_info))}" if record.exc_info else line


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
