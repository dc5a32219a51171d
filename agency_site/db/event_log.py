"""The event log of a record: who did what to it and when. Written in the transaction of the change, never deleted."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, ClassVar

from sqlalchemy import ColumnElement, SQLColumnExpression, false, func, or_, update
from sqlmodel import Field, SQLModel, col, select
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.clock import now
from agency_site.db.inserts import insert_new

VISITOR, SYSTEM, RETENTION = "visitor", "system", "retention"
"""Actors other than staff: a visitor, a job, and the job that erases what is too old."""
NOTE_LENGTH = 500
ARROW = " → "
"""Between the old and the new value of a column."""


class EventRow(SQLModel):
    """What every table of events has; `before`, `after`, `note` and `reply` where they mean something."""

    record_column: ClassVar[str]
    """The column that names the record."""

    id: int | None = Field(default=None, primary_key=True)
    at: datetime
    actor: str = Field(max_length=254)
    """One of the actors above, or a staff account's e-mail address."""


@dataclass(frozen=True)
class LoggedEvent:
    """One event as staff read it."""

    at: datetime
    actor: str
    what: str
    before: str = ""
    after: str = ""
    note: str = ""
    reply: str = ""


async def append_event(
    session: AsyncSession,
    table: type[EventRow],
    record_ids: Sequence[int | None],
    what: str,
    actor: str,
    before: str = "",
    after: str = "",
    **words: str,
) -> None:
    """Add the event to the log of each record of these ids.

    `before` and `after` are states or moments. Only `words`, such as `note`, may name a person: erasing blanks them.
    """
    given = {name: value for name, value in {"before": before, "after": after, **words}.items() if value}
    event: dict[str, Any] = {"at": now(), "actor": actor, "what": what, **given}
    if record_ids:
        await insert_new(session, table, [event | {table.record_column: each} for each in record_ids])


def describe_edit(before: Mapping[str, Any], after: Mapping[str, Any], length: int = NOTE_LENGTH) -> str:
    """The changed columns of `after`, one a line with the old and the new value, such as `phone: +254733111222 → +254712345678`.

    Values are shortened until the text fits, but no e-mail address: erasing would not find a part of one (`mentions`). They may
    be personal: erasing must blank the column that stores the text.
    """
    changed = {name: (_text(before[name]), _text(new)) for name, new in after.items() if before[name] != new}
    text = ""
    for longest in (length, 254, 120, 60, 30, 15):
        text = "\n".join(
            f"{name}: {_shorten(old, longest)}{ARROW}{_shorten(new, longest)}"
            for name, (old, new) in changed.items()
        )
        if len(text) <= length:
            break
    return text[:length]


def _text(value: object) -> str:
    if value is None:
        return ""
    return value.isoformat() if isinstance(value, datetime) else " ".join(str(value).split())


def _shorten(text: str, longest: int) -> str:
    """The text in at most so many characters; an e-mail address that is longer is left out as a whole."""
    if len(text) <= longest:
        return text
    return "…" if "@" in text else f"{text[: longest - 1]}…"


async def list_events(
    session: AsyncSession, table: type[EventRow], record_id: int | None
) -> list[LoggedEvent]:
    """What happened to the record, oldest first."""
    mine = select(table).where(getattr(table, table.record_column) == record_id).order_by(col(table.id))
    return [_build_event(row) for row in await session.exec(mine)]


async def events_of_reference(
    session: AsyncSession, table: type[EventRow], records: type[SQLModel], reference: str
) -> list[LoggedEvent]:
    """As `list_events`, for the record of that reference; nothing for an unknown one."""
    parent: Any = records
    mine = (
        select(table)
        .join(records, parent.id == getattr(table, table.record_column))
        .where(parent.reference == reference)
        .order_by(col(table.id))
    )
    return [_build_event(row) for row in await session.exec(mine)]


async def blank_events(
    session: AsyncSession,
    table: type[EventRow],
    record_id: int | None,
    columns: Sequence[str],
    words: str = "",
) -> None:
    """Replace what was written in these columns by `words`, where anything was written."""
    for column in columns:
        written = getattr(table, column) != ""
        await session.exec(
            update(table)
            .where(getattr(table, table.record_column) == record_id, written)
            .values({column: words})
            .execution_options(synchronize_session=False)
        )


def mentions(words: SQLColumnExpression[str], address: str, number: str) -> ColumnElement[bool]:
    """The condition of events whose words hold the e-mail address or the phone number in E.164; empty ones match nothing."""
    named = [value for value in (address.lower(), number) if value]
    return or_(false(), *(func.lower(words).contains(value, autoescape=True) for value in named))


def _build_event(row: EventRow) -> LoggedEvent:
    names = LoggedEvent.__dataclass_fields__
    return LoggedEvent(**{name: getattr(row, name) for name in names if name in type(row).model_fields})
