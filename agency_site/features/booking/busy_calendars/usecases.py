"""Busy calendars: adding and removing them, and storing what was read.

Downloading and parsing happen between these verbs, with no transaction open (`reader`).
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import ColumnElement, delete, literal, or_, update
from sqlalchemy import select as sql_select
from sqlmodel import col, func, select
from sqlmodel.ext.asyncio.session import AsyncSession
from sqlmodel.sql.sqltypes import UTCDateTime

from agency_site.clock import now, today
from agency_site.db.deduplication import wait_for_turn
from agency_site.db.inserts import insert_new
from agency_site.db.leases import claim
from agency_site.errors import Conflict, FieldError, InputRejected, NotFound
from agency_site.features.booking.busy_calendars import emails
from agency_site.features.booking.busy_calendars.download import Validators
from agency_site.features.booking.busy_calendars.parsing import CalendarOwner
from agency_site.features.booking.busy_calendars.reader import CalendarContent, CalendarSource
from agency_site.features.booking.busy_calendars.rules import READ_EVERY, REPORT_AFTER, mask_address
from agency_site.features.booking.busy_calendars.staff_request import BusyCalendarRequest
from agency_site.features.booking.busy_calendars.tables import BusyCalendar, BusyTime
from agency_site.features.booking.consultants.tables import Consultant
from agency_site.features.booking.schedule.slots import Span
from agency_site.mail.usecases import enqueue

CLAIMED_AT_ONCE = 5
"""Calendars that a worker reads side by side, so that slow servers do not delay the others."""


@dataclass(frozen=True)
class BusyCalendarRecord:
    """A calendar as staff see it."""

    id: int
    name: str
    server: str
    """The masked address."""
    person: str
    """The name of the person whose consultations it closes; empty for those of all."""
    is_read: bool
    """False if its person has left: a private calendar is not read for longer than its times matter."""
    read_at: datetime | None
    failing_since: datetime | None
    last_error: str
    times: int
    """The number of its busy times that have not ended."""
    author: str

    @property
    def is_overdue(self) -> bool:
        """Return whether it could not be read for so long that staff have to act."""
        return self.is_read and self.failing_since is not None and self.failing_since <= now() - REPORT_AFTER

    @property
    def is_partly_read(self) -> bool:
        """Return whether it has events that cannot be understood."""
        return self.is_read and self.failing_since is None and bool(self.last_error)


def _is_read() -> ColumnElement[bool]:
    """Return the condition of a calendar that is read: it closes the times of all, or of an active person."""
    active = select(Consultant.id).where(col(Consultant.is_active))
    return or_(col(BusyCalendar.consultant_id).is_(None), col(BusyCalendar.consultant_id).in_(active))


async def list_busy_calendars(session: AsyncSession) -> tuple[BusyCalendarRecord, ...]:
    """Return all calendars by name."""
    times = (
        select(col(BusyTime.calendar_id), func.count().label("number"))
        .where(col(BusyTime.ends_at) > now())
        .group_by(col(BusyTime.calendar_id))
        .subquery()
    )
    query = (
        select(BusyCalendar, Consultant, func.coalesce(times.c.number, 0))
        .outerjoin(Consultant, col(Consultant.id) == col(BusyCalendar.consultant_id))
        .outerjoin(times, times.c.calendar_id == col(BusyCalendar.id))
        .order_by(func.lower(BusyCalendar.name), col(BusyCalendar.id))
    )
    return tuple(
        BusyCalendarRecord(
            id=calendar.id or 0,
            name=calendar.name,
            server=mask_address(calendar.address),
            person=person.name if person else "",
            is_read=person is None or person.is_active,
            read_at=calendar.read_at,
            failing_since=calendar.failing_since,
            last_error=calendar.last_error,
            times=number,
            author=calendar.author,
        )
        for calendar, person, number in await session.exec(query)
    )


@dataclass(frozen=True)
class CalendarTime(Span):
    """A busy time of a calendar."""

    calendar: str
    """The name of the calendar."""
    consultant_id: int | None
    """The person whose consultations it closes; None for those of all."""


async def list_busy_times(
    session: AsyncSession, begins: datetime, ends: datetime
) -> tuple[CalendarTime, ...]:
    """Return the busy times of all calendars that overlap a period, by their start."""
    query = (
        sql_select(
            col(BusyTime.starts_at),
            col(BusyTime.ends_at),
            col(BusyCalendar.name),
            col(BusyCalendar.consultant_id),
        )
        .join(BusyCalendar, col(BusyCalendar.id) == col(BusyTime.calendar_id))
        .where(
            # For the index: none is longer than a day.
            col(BusyTime.starts_at) > begins - timedelta(days=1),
            col(BusyTime.starts_at) < ends,
            col(BusyTime.ends_at) > begins,
        )
        .order_by(col(BusyTime.starts_at), col(BusyTime.id))
    )
    return tuple(CalendarTime(*row) for row in await (await session.connection()).execute(query))


async def list_persons(session: AsyncSession) -> Sequence[tuple[str, str]]:
    """Return the reference and the name of each person who takes consultations."""
    active = select(Consultant.reference, Consultant.name).where(col(Consultant.is_active))
    return (await session.exec(active.order_by(func.lower(Consultant.name), col(Consultant.id)))).all()


async def count_overdue_calendars(session: AsyncSession) -> int:
    """Count the calendars that could not be read for an hour."""
    return await _count(session, col(BusyCalendar.failing_since) <= now() - REPORT_AFTER)


async def count_partly_read_calendars(session: AsyncSession) -> int:
    """Count the calendars with events that cannot be understood."""
    return await _count(
        session, col(BusyCalendar.failing_since).is_(None), col(BusyCalendar.last_error) != ""
    )


async def _count(session: AsyncSession, *conditions: ColumnElement[bool]) -> int:
    counted = select(func.count()).select_from(BusyCalendar).where(_is_read(), *conditions)
    return (await session.exec(counted)).one()


async def read_longest_failure(session: AsyncSession) -> float:
    """Return the seconds for which the calendar that fails for longest could not be read; 0 if none fails."""
    since = (await session.exec(select(func.min(BusyCalendar.failing_since)).where(_is_read()))).one()
    return max(0.0, (now() - since).total_seconds()) if since else 0.0


async def add_busy_calendar(
    session: AsyncSession, request: BusyCalendarRequest, content: CalendarContent | None, actor: str
) -> int:
    """Store a calendar with its first content, and return its id. Raises InputRejected for a name twice or an unknown person."""
    await wait_for_turn(session, "busy calendars")
    same = select(BusyCalendar.id).where(func.lower(BusyCalendar.name) == request.name.lower())
    if (await session.exec(same)).first() is not None:
        message = "There is a calendar with this name. Please enter another."
        raise InputRejected(message, (FieldError("name", message),))
    calendar = BusyCalendar(
        name=request.name,
        address=request.address,
        consultant_id=await _find_person(session, request.person),
        author=actor,
        created_at=now(),
    )
    session.add(calendar)
    await session.flush()
    identity = calendar.id or 0
    await store_content(session, identity, content)
    return identity


async def _find_person(session: AsyncSession, reference: str) -> int | None:
    if not reference:
        return None
    known = select(Consultant.id).where(Consultant.reference == reference, col(Consultant.is_active))
    identity = (await session.exec(known)).first()
    if identity is None:
        message = "This person no longer takes consultations. Please choose another."
        raise InputRejected(message, (FieldError("person", message),))
    return identity


async def remove_busy_calendar(session: AsyncSession, identity: int) -> None:
    """Remove a calendar with its busy times. Raises NotFound if it was removed already."""
    result = await session.exec(delete(BusyCalendar).where(col(BusyCalendar.id) == identity))
    if result.rowcount != 1:
        raise NotFound("This calendar has already been removed.")


async def find_source(session: AsyncSession, identity: int) -> CalendarSource:
    """Return where a calendar is read. Raises NotFound, and Conflict if its person has left."""
    calendar = await session.get(BusyCalendar, identity)
    if calendar is None:
        raise NotFound("This calendar has already been removed.")
    person = await session.get(Consultant, calendar.consultant_id) if calendar.consultant_id else None
    if person and not person.is_active:
        raise Conflict(f"{person.name} takes no new bookings, so this calendar is no longer read.")
    return _source_of(calendar, person.email if person else "")


async def build_source(session: AsyncSession, request: BusyCalendarRequest) -> CalendarSource:
    """Return the source of a calendar that is not stored yet. Raises InputRejected for an unknown person."""
    identity = await _find_person(session, request.person)
    emails_by_id = await _read_emails(session, (identity,))
    return CalendarSource(0, request.address, owner=CalendarOwner(emails_by_id.get(identity, "")))


async def claim_due_calendars(session: AsyncSession) -> list[CalendarSource]:
    """Claim a few calendars that are due for reading."""
    rows = await claim(session, BusyCalendar, now(), _is_read(), limit=CLAIMED_AT_ONCE)
    emails_by_id = await _read_emails(session, (row.consultant_id for row in rows))
    return [_source_of(row, emails_by_id.get(row.consultant_id, "")) for row in rows]


async def _read_emails(session: AsyncSession, identities: Iterable[int | None]) -> Mapping[int | None, str]:
    query = select(Consultant.id, Consultant.email).where(col(Consultant.id).in_(set(identities)))
    return dict((await session.exec(query)).all())


def _source_of(calendar: BusyCalendar, email: str) -> CalendarSource:
    validators = Validators(calendar.etag, calendar.last_modified)
    owner = CalendarOwner(email)
    return CalendarSource(calendar.id or 0, calendar.address, validators, calendar.read_at, owner)


async def store_content(session: AsyncSession, identity: int, content: CalendarContent | None) -> None:
    """Store that a calendar was read, and its busy times if they have changed; None for content that has not changed.

    A calendar that was removed meanwhile stays removed. Staff get one mail when events begin to be unreadable.
    """
    before = await session.get(BusyCalendar, identity, populate_existing=True)
    was_partly_read = before is not None and before.failing_since is None and before.last_error != ""
    values: dict[str, object] = {"read_at": now(), "failing_since": None}
    problem = _describe_unreadable(content.reading.unreadable) if content else ""
    if content is not None:
        values |= {
            "etag": content.validators.etag,
            "last_modified": content.validators.last_modified,
            "last_error": problem,
        }
    # First, because it locks the row: two workers never replace the times of one calendar at the same moment.
    is_stored = await _finish(session, identity, values)
    if is_stored and content is not None:
        await _replace_times(session, identity, content.reading.times)
    if before and is_stored and problem and not was_partly_read:
        notice = emails.partly_read_notice(before.name, problem)
        await enqueue(session, notice, key=f"calendar-partly-read:{identity}:{today()}")


async def store_failure(session: AsyncSession, identity: int, message: str) -> None:
    """Store why a calendar could not be read; its last times stay. After an hour, staff get one mail about this failure."""
    since = func.coalesce(col(BusyCalendar.failing_since), literal(now(), UTCDateTime()))
    # Without validators the next reading brings content, which replaces the message.
    values = {"failing_since": since, "last_error": message[:300], "etag": "", "last_modified": ""}
    if not await _finish(session, identity, values):
        return
    fresh = select(BusyCalendar).where(BusyCalendar.id == identity).execution_options(populate_existing=True)
    calendar = (await session.exec(fresh)).one()
    if calendar.failing_since and calendar.failing_since <= now() - REPORT_AFTER:
        key = f"calendar-unreadable:{identity}:{calendar.failing_since.isoformat()}"
        await enqueue(session, emails.unreadable_notice(calendar), key=key)


async def _finish(session: AsyncSession, identity: int, values: Mapping[str, object]) -> bool:
    """End the lease, and return whether the calendar still exists."""
    done = update(BusyCalendar).where(col(BusyCalendar.id) == identity)
    done = done.values(due_at=now() + READ_EVERY, leased_until=None, **values)
    result = await session.exec(done.execution_options(synchronize_session=False))
    return result.rowcount == 1


async def _replace_times(session: AsyncSession, identity: int, times: Sequence[Span]) -> None:
    """Store the busy times of a calendar, unless they are stored already: most readings change nothing."""
    stored = select(BusyTime.starts_at, BusyTime.ends_at).where(BusyTime.calendar_id == identity)
    before = (await session.exec(stored.order_by(col(BusyTime.starts_at)))).all()
    after = [(span.starts_at, span.ends_at) for span in times]
    if [tuple(row) for row in before] == after:
        return
    await session.exec(delete(BusyTime).where(col(BusyTime.calendar_id) == identity))
    if after:
        rows = [{"calendar_id": identity, "starts_at": begins, "ends_at": ends} for begins, ends in after]
        await insert_new(session, BusyTime, rows)


def _describe_unreadable(events: int) -> str:
    if not events:
        return ""
    number = "One event is" if events == 1 else f"{events} events are"
    closes = "It closes its time" if events == 1 else "They close their times"
    return f"{number} written in a way that cannot be understood. {closes} as far as that is legible."
