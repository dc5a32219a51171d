"""What M-Pesa says while the database is away: one file for each answer or callback, until the database has it.

Daraja says everything once. A file is complete or absent, whatever breaks while it is written, and stays until its content is
committed; storing the same content again changes nothing, so several processes may replay one folder.
"""

import asyncio
import json
import logging
import os
import secrets
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any, TypeVar

from agency_site.clock import now
from agency_site.db.outages import retry_outages
from agency_site.errors import Unavailable
from agency_site.settings import settings

log = logging.getLogger(__name__)

Result = TypeVar("Result")

_PATIENCE = 3.0
"""Seconds after which the database counts as away, also when it neither answers nor refuses."""

_MOST_ENTRIES, _MOST_BYTES = 10_000, 64 * 1024 * 1024

_AT_ONCE = 100

_DAMAGED = ".damaged"

_tasks: set[asyncio.Task[Any]] = set()
"""Keeps a reference to work that goes on after its content is in the journal."""


class EntryKind(StrEnum):
    """What an entry is about."""

    CALLBACK = "callback"
    CONFIRMATION = "confirmation"
    """Of a payment to our Paybill."""
    ANSWER = "answer"
    """To a push."""


@dataclass(frozen=True)
class Entry:
    """One file."""

    path: Path
    kind: EntryKind
    values: dict[str, Any]


async def store_or_journal(
    store: Callable[[], Awaitable[Result]], kind: EntryKind, values: dict[str, Any]
) -> Result | None:
    """What `store` returns; none: the database is away, and `values` are in the journal.

    `store` may be repeated, and may succeed although its content is in the journal. Raises Unavailable where neither works.
    """
    task = asyncio.ensure_future(retry_outages(store))
    _tasks.add(task)
    task.add_done_callback(_finish)
    await asyncio.wait({task}, timeout=_PATIENCE)
    if task.done() and not task.exception():
        return task.result()
    try:
        await asyncio.to_thread(_append, kind, values)
    except OSError as error:
        log.exception("neither the database nor the journal takes what M-Pesa said: %s", kind)
        raise Unavailable("We cannot store this at the moment.") from error
    return None


def _finish(task: "asyncio.Future[Any]") -> None:
    _tasks.discard(task)
    if not task.cancelled() and (error := task.exception()):
        log.error("what M-Pesa said could not be stored and is in the journal", exc_info=error)


def _append(kind: EntryKind, values: dict[str, Any]) -> None:
    """Raises OSError when the folder cannot be written or is full."""
    folder = _folder()
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    sizes = [file.stat().st_size for file in folder.glob("*.json")]
    if len(sizes) >= _MOST_ENTRIES or sum(sizes) >= _MOST_BYTES:
        raise OSError(f"the journal is full: {len(sizes)} entries")
    name = f"{now():%Y%m%dT%H%M%S.%f}-{secrets.token_hex(4)}"
    unfinished = folder / f"{name}.tmp"
    with open(
        os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8"
    ) as file:
        json.dump({"kind": kind, "values": values}, file)
        file.flush()
        os.fsync(file.fileno())
    unfinished.rename(folder / f"{name}.json")
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


async def read_entries() -> list[Entry]:
    """The oldest entries. A damaged one is set aside, so that the others need not wait for it."""
    return await asyncio.to_thread(_read_entries)


def _read_entries() -> list[Entry]:
    found = []
    for path in sorted(_folder().glob("*.json"))[:_AT_ONCE]:
        try:
            content = json.loads(path.read_bytes())
            found.append(Entry(path, EntryKind(content["kind"]), dict(content["values"])))
        except FileNotFoundError:
            # Another process has replayed it.
            continue
        except (ValueError, TypeError, LookupError, RecursionError):
            set_aside(path)
    return found


def set_aside(path: Path) -> None:
    """Keep a damaged entry under a name that is not replayed."""
    log.error("the entry %s of the journal is damaged and set aside", path.name)
    with suppress(FileNotFoundError):
        path.rename(path.with_suffix(_DAMAGED))


def count_waiting() -> int:
    """Entries in the folder of this process that the database does not have yet."""
    return sum(1 for _ in _folder().glob("*.json"))


def count_damaged() -> int:
    """Entries that were set aside in the folder of this process. They stay until somebody removes them."""
    return sum(1 for _ in _folder().glob(f"*{_DAMAGED}"))


def _folder() -> Path:
    return Path(settings().journal_folder)


async def remove_entry(entry: Entry) -> None:
    """Once its content is committed."""
    await asyncio.to_thread(entry.path.unlink, missing_ok=True)
