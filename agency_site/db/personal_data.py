"""Personal data, declared per table: the columns that a person gets on request, and those that erasing blanks.

A person is found by e-mail address or phone number. Every column of a declared table is in exactly one of the four groups; a
test fails for a column that is not, and for a table that is not declared.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from sqlalchemy import ColumnElement, SQLColumnExpression, false, func, or_, update
from sqlmodel import SQLModel, col, select
from sqlmodel.ext.asyncio.session import AsyncSession
from sqlmodel.sql.expression import SelectOfScalar

from agency_site.characters import clean_value
from agency_site.db.event_log import (
    RETENTION,
    EventRow,
    append_event,
    blank_events,
    list_events,
    mentions,
)
from agency_site.db.record_versions import Versioned, update_record
from agency_site.email_addresses import stored_address
from agency_site.form_input import phone_number

_ERASED = "erased"
"""The event that is logged when a person's data is removed, on request or because of its age."""
Row = TypeVar("Row", bound=Versioned)


def matches_person(
    address: str,
    number: str,
    email: SQLColumnExpression[str] | None = None,
    phone: SQLColumnExpression[str] | None = None,
) -> ColumnElement[bool]:
    """Return the condition "`email` is the address, in any case, or `phone` is the number in E.164".

    A table may have only one of the two columns. An empty address or number matches nothing, because erased rows have both empty.
    """
    conditions: list[ColumnElement[bool]] = []
    if address and email is not None:
        conditions.append(func.lower(email) == address.lower())
    if number and phone is not None:
        conditions.append(phone == number)
    return or_(false(), *conditions)


@dataclass(frozen=True, kw_only=True)
class ClassifiedColumns:
    """The columns of a table, by what happens to them when a person asks for their data or has it erased."""

    table: type[SQLModel]
    personal: tuple[str, ...] = ()
    """Exported, and blanked."""
    retained: tuple[str, ...] = ()
    """Exported, and not erased: the business needs them."""
    secret: tuple[str, ...] = ()
    """Not exported, and replaced: keys, links, the text that lists search."""
    internal: tuple[str, ...] = ()
    """Neither exported nor erased: they say nothing about a person."""


@dataclass(frozen=True, kw_only=True)
class PersonalData(ClassifiedColumns, Generic[Row]):
    """A table whose rows are found by `email`, by `phone`, or by both, if they are personal columns."""

    table: type[Row]
    record: str
    """The name of a row in an export."""
    replace: Callable[[Row], dict[str, Any]]
    """Returns the values of the secret columns after erasing."""
    related: Callable[[AsyncSession, str], Awaitable[object]]
    """Blanks other rows that name the person of a reference: the mails about it."""
    end: Callable[[AsyncSession, Row, str], Awaitable[dict[str, Any]]] | None = None
    """Returns other columns that erasing by that actor changes, such as the state."""
    events: type[EventRow] | None = None
    exported_events: tuple[str, ...] = ("at", "what", "note")
    event_words: tuple[str, ...] = ("note",)
    """Columns of the events in which people have written; erasing blanks them."""
    export_more: Callable[[AsyncSession, Row], Awaitable[dict[str, object]]] | None = None

    def __post_init__(self) -> None:
        if not {"email", "phone"} & {*self.personal}:
            raise ValueError(
                f"{self.record}: neither e-mail nor phone is personal, so no person is found by it"
            )

    async def export(self, session: AsyncSession, email: str, phone: str) -> list[dict[str, object]]:
        """Return every row of the person with its events, as JSON can hold it. Two empty texts match no row."""
        rows = (await session.exec(self._rows_of(email, phone))).all()
        return [await self._export_row(session, row) for row in rows]

    async def erase(
        self, session: AsyncSession, email: str, phone: str, actor: str, *among: ColumnElement[bool]
    ) -> int:
        """Blank the personal columns in every row of the person, or in those that meet `among`; return the number of rows.

        References, dates and states stay.
        """
        rows = (await session.exec(self._rows_of(email, phone).where(*among).with_for_update())).all()
        for row in rows:
            await self._erase_row(session, row, actor)
        await self._blank_mentions(session, email, phone)
        return len(rows)

    async def _blank_mentions(self, session: AsyncSession, email: str, phone: str) -> None:
        """Blank events in the rows of other people that mention this person: a slip that has been corrected since."""
        if self.events is None:
            return
        for name in self.event_words:
            words = col(getattr(self.events, name))
            mentions_person = mentions(words, stored_address(email), _stored_phone(phone))
            await session.exec(update(self.events).where(mentions_person).values({name: ""}))

    async def expire(self, session: AsyncSession, old: SelectOfScalar[Row], limit: int) -> int:
        """Blank up to `limit` of the rows that `old` selects, in its order; return the number of rows.

        Several processes may do so at once: none waits for a row that another one has locked.
        """
        # A client on the phone may have no e-mail address, and a subscriber no name; erased rows have none of the three.
        is_filled = [
            self._column(name) != "" for name in ("fullname", "email", "phone") if name in self.personal
        ]
        batch = old.where(or_(*is_filled)).limit(limit).with_for_update(skip_locked=True, of=self.table)
        rows = (await session.exec(batch.execution_options(populate_existing=True))).all()
        for row in rows:
            await self._erase_row(session, row, RETENTION)
        return len(rows)

    def _column(self, name: str) -> Any:
        return col(getattr(self.table, name))

    def _rows_of(self, email: str, phone: str) -> SelectOfScalar[Row]:
        searched = {name: self._column(name) for name in ("email", "phone") if name in self.personal}
        rows_of_person = matches_person(stored_address(email), _stored_phone(phone), **searched)
        rows = select(self.table).where(rows_of_person).order_by(self._column("id"))
        return rows.execution_options(populate_existing=True)

    async def _export_row(self, session: AsyncSession, row: Row) -> dict[str, object]:
        columns = row.model_dump(mode="json", include={*self.personal, *self.retained})
        exported: dict[str, object] = {"record": self.record, **columns}
        if self.events:
            events = await list_events(session, self.events, getattr(row, "id"))  # noqa: B009 - of every table
            exported["history"] = [
                {name: _as_json(getattr(event, name)) for name in self.exported_events} for event in events
            ]
        return exported | (await self.export_more(session, row) if self.export_more else {})

    async def _erase_row(self, session: AsyncSession, row: Row, actor: str) -> None:
        record: Any = row
        blank = {name: type(getattr(row, name))() for name in self.personal}
        ended = await self.end(session, row, actor) if self.end else {}
        await update_record(
            session, self.table, record.id, row.version, **{**blank, **self.replace(row), **ended}
        )
        await self.related(session, record.reference)
        if self.events:
            await blank_events(session, self.events, record.id, self.event_words)
            states = {"before": record.state, "after": ended.get("state", record.state)}
            change = states if "after" in self.events.model_fields else {}
            await append_event(session, self.events, [record.id], _ERASED, actor, **change)


def _stored_phone(phone: str) -> str:
    try:
        return phone_number(phone)
    except ValueError:
        return clean_value(phone)


def _as_json(value: Any) -> object:
    return value.isoformat(timespec="seconds") if hasattr(value, "isoformat") else str(value)
