"""The journal of M-Pesa's answers and callbacks during a database outage: one file for each, until the database has stored it.

Daraja sends everything only once. A file is complete or absent, whatever fails while it is written, and stays until its content
is committed. Storing is idempotent, so several processes may replay one folder.
"""

import asyncio
import json
import logging
import os
import secrets
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any, TypeVar

from agency_site.clock import now
from agency_site.db.outages import log_failure, retry_outages
from agency_site.errors import Unavailable
from agency_site.settings import settings

log = logging.getLogger(__name__)

Result = TypeVar("Result")

_PATIENCE = 3.0
"""Seconds after which the database counts as down, even if it neither answers nor fails."""

_MOST_ENTRIES, _MOST_BYTES = 10_000, 64 * 1024 * 1024

_AT_ONCE = 100

_DAMAGED, _UNFINISHED = ".damaged", ".tmp"
_UNFINISHED_FOR = 600.0
"""Seconds after which the process that wrote an unfinished file has ended. It has acknowledged nothing of it."""

_tasks: set[asyncio.Task[Any]] = set()
"""References to attempts to store that continue after their content is in the journal."""


class EntryKind(StrEnum):
    """The kind of a journal entry."""

    CALLBACK = "callback"
    CONFIRMATION = "confirmation"
    """M-Pesa's report of a payment to our Paybill."""
    ANSWER = "answer"
    """M-Pesa's answer to a push."""


@dataclass(frozen=True)
class Entry:
    """One file of the journal."""

    path: Path
    kind: EntryKind
    values: dict[str, Any]


async def store_or_journal(
    store: Callable[[], Awaitable[Result]], kind: EntryKind, values: dict[str, Any]
) -> Result | None:
    """Return the result of `store`; None if the database is down and `values` are in the journal instead.

    `store` must be idempotent: it may succeed although its content is in the journal. Raises Unavailable if both fail.
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
        log.exception(
            "neither the database nor the journal can store a message of M-Pesa (%s); it may be lost", kind
        )
        raise Unavailable("We cannot store this at the moment.") from error
    return None


def _finish(task: "asyncio.Future[Any]") -> None:
    _tasks.discard(task)
    if not task.cancelled() and (error := task.exception()):
        log_failure(
            log, error, "a message of M-Pesa could not be stored in the database; it is in the journal"
        )


def _append(kind: EntryKind, values: dict[str, Any]) -> None:
    """Write an entry. Raises OSError if the folder cannot be written or is full."""
    folder = _find_folder()
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    sizes = [file.stat().st_size for file in folder.glob("*.json")]
    if len(sizes) >= _MOST_ENTRIES or sum(sizes) >= _MOST_BYTES:
        raise OSError(f"the journal is full: {len(sizes)} entries")
    name = _new_name()
    unfinished = folder / f"{name}{_UNFINISHED}"
    try:
        with open(
            os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8"
        ) as file:
            json.dump({"kind": kind, "values": values}, file)
            file.flush()
            os.fsync(file.fileno())
        unfinished.rename(folder / f"{name}.json")
    finally:
        unfinished.unlink(missing_ok=True)
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


async def read_entries() -> list[Entry]:
    """Return the oldest entries. A damaged one is set aside, so that the others need not wait for it."""
    return await asyncio.to_thread(_read_entries)


def _read_entries() -> list[Entry]:
    for path in _find_folder().glob(f"*{_UNFINISHED}"):
        with suppress(FileNotFoundError):
            if path.stat().st_mtime < time.time() - _UNFINISHED_FOR:
                path.unlink()
    entries = []
    for path in sorted(_find_folder().glob("*.json"))[:_AT_ONCE]:
        try:
            content = json.loads(path.read_bytes())
            entries.append(Entry(path, EntryKind(content["kind"]), dict(content["values"])))
        except FileNotFoundError:
            # Another process has replayed it.
            continue
        except (ValueError, TypeError, LookupError, RecursionError):
            set_aside(path)
    return entries


def _new_name() -> str:
    return f"{now():%Y%m%dT%H%M%S.%f}-{secrets.token_hex(4)}"


async def postpone_entry(entry: Entry) -> None:
    """Put an entry behind the others, because only the oldest are read."""
    with suppress(FileNotFoundError):
        await asyncio.to_thread(entry.path.rename, entry.path.with_name(f"{_new_name()}.json"))


def set_aside(path: Path) -> None:
    """Keep a damaged entry under a name that is not replayed."""
    log.error("journal entry %s is damaged; it is set aside and not replayed", path.name)
    with suppress(FileNotFoundError):
        path.rename(path.with_suffix(_DAMAGED))


def count_waiting() -> int:
    """Count the entries in the folder of this process that are not in the database yet."""
    return sum(1 for _ in _find_folder().glob("*.json"))


def count_damaged() -> int:
    """Count the entries that were set aside in the folder of this process. They stay until they are removed by hand."""
    return sum(1 for _ in _find_folder().glob(f"*{_DAMAGED}"))


def _find_folder() -> Path:
    return Path(settings().journal_folder)


async def remove_entry(entry: Entry) -> None:
    """Delete an entry whose content is committed."""
    await asyncio.to_thread(entry.path.unlink, missing_ok=True)
