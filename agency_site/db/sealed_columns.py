"""Column types that encrypt addresses: those of this site, because many open private pages, and those of private calendars.
Copies of the database may leak.

The key is derived from the secret key, which is not in the database. The rest of a message is stored in plain text, for
searching and erasing, and code that reads a row gets the addresses decrypted.
"""

import json
import re
from base64 import b64encode
from collections.abc import Callable
from functools import lru_cache
from typing import Any

from sqlalchemy import JSON, Dialect, Text
from sqlalchemy.types import TypeDecorator

from agency_site.settings import settings
from agency_site.signing import seal, unseal

LOST_LINK = "[this link was encrypted with another secret key]"
"""Shown instead of a link if AGENCY_OLD_SECRET_KEYS lacks its key."""
_LOST_CONTENT = b64encode(LOST_LINK.encode()).decode()
_PURPOSE, _CALENDAR_PURPOSE = "outbox", "busy-calendar"
_MARK = "\x1e"
"""Around an encrypted address. `rules.validate_message` removes control characters from the input of people, so that a copied
ciphertext in a form is never decrypted."""
_SEALED = re.compile(rf"{_MARK}([A-Za-z0-9_=-]+){_MARK}")
_CONTENT = "sealed"
"""The only key of a stored message with links. Servers of the release before know no such key: they report the message as
failed instead of sending it without its links."""


class SealedJson(TypeDecorator[Any]):
    """JSON whose texts are stored with the site's own addresses encrypted."""

    impl = JSON
    cache_ok = True

    def process_bind_param(self, value: Any, dialect: Dialect) -> Any:
        if not _own_addresses(settings().site_url).search(json.dumps(value, ensure_ascii=False)):
            return value
        sealed = _map_texts(value, _seal_addresses)
        return {_CONTENT: sealed} if isinstance(value, dict) else sealed

    def process_result_value(self, value: Any, dialect: Dialect) -> Any:
        content = value[_CONTENT] if isinstance(value, dict) and _CONTENT in value else value
        return _map_texts(content, _open_addresses)


class SealedFiles(SealedJson):
    """Attachments: the content of text files, such as invitations with their links, is encrypted as a whole."""

    cache_ok = True

    def process_bind_param(self, value: Any, dialect: Dialect) -> Any:
        return [_seal_file(file) for file in value]

    def process_result_value(self, value: Any, dialect: Dialect) -> Any:
        return [file | {"content": _open_content(file["content"])} for file in value]


class SealedAddress(TypeDecorator[str]):
    """The secret address of a calendar, encrypted as a whole."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str:
        return seal(_CALENDAR_PURPOSE, value or "")

    def process_result_value(self, value: str | None, dialect: Dialect) -> str:
        return unseal(_CALENDAR_PURPOSE, value or "") or LOST_LINK


def _seal_file(file: dict[str, str]) -> dict[str, str]:
    return file | {"content": _seal(file["content"])} if file["mime"].startswith("text/") else file


def _open_content(content: str) -> str:
    opened = _open_addresses(content)
    return _LOST_CONTENT if opened == LOST_LINK else opened


def _map_texts(value: Any, change: Callable[[str], str]) -> Any:
    """Return a JSON value with each of its texts changed; keys stay."""
    if isinstance(value, str):
        return change(value)
    if isinstance(value, dict):
        return {key: _map_texts(part, change) for key, part in value.items()}
    return [_map_texts(part, change) for part in value] if isinstance(value, list | tuple) else value


def _seal_addresses(text: str) -> str:
    return _own_addresses(settings().site_url).sub(lambda match: _seal(match.group()), text)


def _open_addresses(text: str) -> str:
    return _SEALED.sub(lambda match: unseal(_PURPOSE, match[1]) or LOST_LINK, text)


@lru_cache(maxsize=4)
def _own_addresses(site_url: str) -> re.Pattern[str]:
    return re.compile(re.escape(site_url) + r"/[^\s\"<>\\]+")


def _seal(text: str) -> str:
    return f"{_MARK}{seal(_PURPOSE, text)}{_MARK}"
