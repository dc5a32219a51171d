"""The event log of a record: who did what to it and when.

An event is stored in the transaction of its change and is never deleted.
"""

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
"""Actors other than staff: a visitor, a job, and the job that erases old personal data."""
NOTE_LENGTH = 500
ARROW = " → "
"""Between the old and the new value of a column."""


class EventRow(SQLModel):
    """Columns of every table of events. A table adds those of `before`, `after`, `note` and `reply` that it needs."""

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
    **words: str | Mapping[str, str],
) -> None:
    """Add the event to the log of each record of these ids.

    `before` and `after` are states or moments. Only `words`, such as `note`, may name a person: erasing blanks them.
    """
    filled = {name: value for name, value in {"before": before, "after": after, **words}.items() if value}
    event: dict[str, Any] = {"at": now(), "actor": actor, "what": what, **filled}
    if record_ids:
        await insert_new(
            session, table, [event | {table.record_column: record_id} for record_id in record_ids]
        )


def describe_edit(before: Mapping[str, Any], after: Mapping[str, Any], length: int = NOTE_LENGTH) -> str:
    """Return the changed columns of `after`, a line for each, such as `phone: +254733111222 → +254712345678`.

    Values are shortened until the text fits. An e-mail address is left out as a whole, because erasing would not find a part of
    one (`mentions`). The text may be personal data: erasing must blank the column that stores it.
    """
    changed = {
        name: (_as_text(before[name]), _as_text(new)) for name, new in after.items() if before[name] != new
    }
    text = ""
    for longest in (length, 254, 120, 60, 30, 15):
        text = "\n".join(
            f"{name}: {_shorten(old, longest)}{ARROW}{_shorten(new, longest)}"
            for name, (old, new) in changed.items()
        )
        if len(text) <= length:
            break
    return text[:length]


def _as_text(value: object) -> str:
    if value is None:
        return ""
    return value.isoformat() if isinstance(value, datetime) else " ".join(str(value).split())


def _shorten(text: str, longest: int) -> str:
    """Return the text in at most `longest` characters. A longer one with an e-mail address becomes "…"."""
    if len(text) <= longest:
        return text
    return "…" if "@" in text else f"{text[: longest - 1]}…"


async def list_events(
    session: AsyncSession, table: type[EventRow], record_id: int | None
) -> list[LoggedEvent]:
    """Return the events of the record, oldest first."""
    events = select(table).where(getattr(table, table.record_column) == record_id).order_by(col(table.id))
    return [_build_event(row) for row in await session.exec(events)]


async def blank_events(
    session: AsyncSession,
    table: type[EventRow],
    record_id: int | None,
    columns: Sequence[str],
    words: str = "",
) -> None:
    """Replace the text in these columns by `words` where it is not empty."""
    for column in columns:
        is_filled = getattr(table, column) != ""
        await session.exec(
            update(table)
            .where(getattr(table, table.record_column) == record_id, is_filled)
            .values({column: words})
            .execution_options(synchronize_session=False)
        )


def mentions(words: SQLColumnExpression[str], address: str, number: str) -> ColumnElement[bool]:
    """Return the condition "the words contain the e-mail address or the phone number in E.164". Empty ones match nothing."""
    searched = [value for value in (address.lower(), number) if value]
    return or_(false(), *(func.lower(words).contains(value, autoescape=True) for value in searched))


def _build_event(row: EventRow) -> LoggedEvent:
    names = LoggedEvent.__dataclass_fields__
    return LoggedEvent(**{name: getattr(row, name) for name in names if name in type(row).model_fields})
