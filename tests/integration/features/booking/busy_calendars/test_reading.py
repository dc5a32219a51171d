"""Busy calendars on real databases: adding, reading by a job, failures, several workers, and removing."""

import asyncio
import threading
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta

import pytest
from sqlalchemy import text
from sqlmodel import col, select

from agency_site import clock
from agency_site.clock import in_nairobi, now
from agency_site.db.engine import read_scope, session_scope
from agency_site.db.sealed_columns import LOST_LINK
from agency_site.errors import Conflict, InputRejected, NotFound
from agency_site.features.booking.admin.busy_calendars.state import count_attention
from agency_site.features.booking.admin.busy_calendars.status import describe_calendars
from agency_site.features.booking.busy_calendars import download, usecases
from agency_site.features.booking.busy_calendars.reader import CalendarSource, read_calendar
from agency_site.features.booking.busy_calendars.rules import CalendarUnreadable
from agency_site.features.booking.busy_calendars.staff_request import BusyCalendarRequest
from agency_site.features.booking.busy_calendars.tables import BusyCalendar, BusyTime
from agency_site.features.booking.busy_calendars.usecases import BusyCalendarRecord
from agency_site.features.booking.calendar.collisions import Collision, count_collisions, list_collisions
from agency_site.features.booking.consultants.tables import Consultant
from agency_site.features.booking.jobs import read_busy_calendars
from agency_site.features.booking.readings import read_bookings
from agency_site.mail.usecases import list_newest_messages
from agency_site.settings import settings
from tests.calendar_server import CalendarServer, Reply, calendar_server
from tests.integration.features.booking.conftest import tuesday_at
from tests.integration.features.booking.consultants import (
    ALL_WAYS,
    add_consultant,
    deactivate_consultant,
    reactivate_consultant,
)
from tests.integration.features.booking.staff import ACTOR, book_for_caller, do, mails

pytestmark = [pytest.mark.usefixtures("database"), pytest.mark.each_database]

Spans = list[tuple[datetime, datetime]]


@pytest.fixture
def server(configure: Callable[..., object]) -> Iterator[CalendarServer]:
    configure(calendar_loopback=True)
    with calendar_server() as running:
        yield running


def calendar(*times: tuple[int, int]) -> str:
    """Return a calendar that is busy on Tuesday between these hours of Nairobi."""
    lines = [
        line
        for number, (first, last) in enumerate(times)
        for line in (
            "BEGIN:VEVENT", f"UID:{number}@example.com", f"DTSTART;TZID=Africa/Nairobi:20261124T{first:02}0000",
            f"DTEND;TZID=Africa/Nairobi:20261124T{last:02}0000", "SUMMARY:A secret", "END:VEVENT",
        )
    ]  # fmt: skip
    return "\n".join(["BEGIN:VCALENDAR", "VERSION:2.0", *lines, "END:VCALENDAR", ""])


async def add(address: str, name: str = "Google calendar of Wanjiru", person: str = "") -> int:
    request = BusyCalendarRequest(name=name, address=address, person=person)
    content = await read_calendar(CalendarSource(0, address))
    async with session_scope() as session:
        return await usecases.add_busy_calendar(session, request, content, ACTOR)


async def stored_times() -> Spans:
    async with read_scope() as session:
        query = select(BusyTime.starts_at, BusyTime.ends_at).order_by(col(BusyTime.starts_at))
        return [(starts, ends) for starts, ends in await session.exec(query)]


async def listed() -> tuple[BusyCalendarRecord, ...]:
    async with read_scope() as session:
        return await usecases.list_busy_calendars(session)


async def collisions() -> tuple[Collision, ...]:
    async with read_scope() as session:
        listed_collisions = await list_collisions(session)
        assert await count_collisions(session) == len({each.reference for each in listed_collisions})
        return listed_collisions


async def store_person(name: str, seat: int) -> int:
    async with session_scope() as session:
        person = Consultant(reference=f"CO-{seat:06}", name=name, seat=seat, author=ACTOR, updated_at=now())
        session.add(person)
        await session.flush()
        return person.id or 0


def tuesday(*hours: tuple[int, int]) -> Spans:
    return [(tuesday_at(first), tuesday_at(last)) for first, last in hours]


class TestReading:
    async def test_an_added_calendar_is_read_again_after_five_minutes(self, server: CalendarServer) -> None:
        await add(server.serve("/a.ics", calendar((9, 10))))
        assert await stored_times() == tuesday((9, 10))
        server.serve("/a.ics", calendar((14, 15), (9, 10)))
        assert await read_busy_calendars() == 0, "it is not due"
        with clock.frozen(now() + timedelta(minutes=5)):
            assert await read_busy_calendars() == 1
            assert await read_busy_calendars() == 0
            (record,) = await listed()
            assert (record.read_at, record.times, record.last_error) == (now(), 2, "")
        assert await stored_times() == tuesday((9, 10), (14, 15))

    async def test_an_unchanged_calendar_is_not_sent_again_and_its_times_are_not_written_again(
        self, server: CalendarServer
    ) -> None:
        await add(server.serve("/a.ics", calendar((9, 10))))
        async with read_scope() as session:
            before = (await session.exec(select(BusyTime.id))).all()
        with clock.frozen(now() + timedelta(minutes=5)):
            await read_busy_calendars()
            assert "if-none-match" in server.requests[-1][1]
            (record,) = await listed()
            assert record.read_at == now()
        # A server without validators sends the same content again.
        server.replies["/a.ics"] = Reply(calendar((9, 10)).encode())
        with clock.frozen(now() + timedelta(minutes=10)):
            await read_busy_calendars()
        async with read_scope() as session:
            assert (await session.exec(select(BusyTime.id))).all() == before

    async def test_the_first_reading_of_a_day_asks_for_everything_because_the_period_has_moved(
        self, server: CalendarServer, configure: Callable[..., object]
    ) -> None:
        configure(booking_horizon_days=1)
        await add(server.serve("/a.ics", calendar((9, 10))))
        assert await stored_times() == [], "Tuesday is not within the period on Friday"
        with clock.frozen(now() + timedelta(days=2)):
            await read_busy_calendars()
            assert "if-none-match" not in server.requests[-1][1]
        assert await stored_times() == tuesday((9, 10))

    async def test_neither_titles_nor_the_address_are_stored_in_the_clear(
        self, server: CalendarServer
    ) -> None:
        address = server.serve("/private-0123456789.ics", calendar((9, 10)))
        await add(address)
        async with read_scope() as session:
            rows = (await (await session.connection()).execute(text("SELECT * FROM busy_calendars"))).all()
            times = (await (await session.connection()).execute(text("SELECT * FROM busy_times"))).all()
            stored = (await session.exec(select(BusyCalendar.address))).one()
        assert "private-0123456789" not in repr(rows)
        assert "secret" not in repr((rows, times))
        assert stored == address
        (record,) = await listed()
        assert record.server == "localhost/…"

    async def test_an_address_under_a_lost_key_is_explained(
        self, server: CalendarServer, configure: Callable[..., object]
    ) -> None:
        await add(server.serve("/a.ics", calendar((9, 10))))
        configure(secret_key="another key, of which no earlier one is known")
        with clock.frozen(now() + timedelta(minutes=5)):
            await read_busy_calendars()
        (record,) = await listed()
        assert "another secret key" in record.last_error
        async with read_scope() as session:
            assert (await session.exec(select(BusyCalendar.address))).one() == LOST_LINK
        assert await stored_times() == tuesday((9, 10))

    async def test_events_that_cannot_be_understood_are_reported_until_they_are_repaired(
        self, server: CalendarServer
    ) -> None:
        broken = calendar((9, 10), (14, 15)).replace("20261124T140000", "some time")
        await add(server.serve("/a.ics", broken))
        (record,) = await listed()
        assert record.last_error.startswith("One event is written in a way")
        assert record.failing_since is None
        assert (await stored_times())[-1][1] == tuesday_at(15), "its end is legible"

        async def attention() -> tuple[int, int]:
            async with read_scope() as session:
                return await count_attention(session), len(await mails())

        assert await attention() == (1, 1)
        for minutes in (5, 10):
            with clock.frozen(now() + timedelta(minutes=minutes)):
                await read_busy_calendars()
        assert await attention() == (1, 1), "staff get one mail"
        async with read_scope() as session:
            (mail,) = await list_newest_messages(session)
            line = await describe_calendars(session)
        assert (mail.kind, "Google calendar of Wanjiru" in mail.subject) == ("calendar-partly-read", True)
        assert line
        assert (line.text, line.tone) == ("1 calendar, 1 read only partly", "bad")
        server.serve("/a.ics", calendar((9, 10), (14, 15)))
        with clock.frozen(now() + timedelta(minutes=15)):
            await read_busy_calendars()
        (record,) = await listed()
        assert (record.last_error, await attention()) == ("", (0, 1))

    async def test_a_file_that_breaks_off_keeps_the_last_times(self, server: CalendarServer) -> None:
        await add(server.serve("/a.ics", calendar((9, 10), (14, 15))))
        server.serve("/a.ics", calendar((9, 10))[:40])
        with clock.frozen(now() + timedelta(minutes=5)):
            await read_busy_calendars()
        (record,) = await listed()
        assert "not whole" in record.last_error
        assert await stored_times() == tuesday((9, 10), (14, 15))

    async def test_a_copy_of_a_consultation_does_not_collide_with_it_and_declined_invitations_are_free(
        self, server: CalendarServer
    ) -> None:
        person = await add_consultant("Wanjiru", email="wanjiru@example.com", **ALL_WAYS)
        booking = await book_for_caller()
        address = server.serve("/a.ics", calendar())
        await add(address, person=person.reference)
        starts, ends = (f"{in_nairobi(at):T%H%M}00" for at in (booking.starts_at, booking.ends_at))
        copy = calendar((11, 12)).replace("T110000", starts).replace("T120000", ends)
        declined = calendar((14, 15)).replace("0@example.com", "declined@example.com")
        guest = "ATTENDEE;PARTSTAT=DECLINED:mailto:Wanjiru@example.com"
        server.serve(
            "/a.ics",
            copy.replace("SUMMARY:A secret", f"DESCRIPTION:{booking.reference}")
            + declined.replace("SUMMARY:A secret", guest),
        )
        with clock.frozen(now() + timedelta(minutes=5)):
            await read_busy_calendars()
        assert (await collisions(), await stored_times()) == ((), [])

    async def test_the_calendar_of_a_person_who_has_left_is_not_read(self, server: CalendarServer) -> None:
        person = await add_consultant("Wanjiru")
        identity = await add(server.serve("/a.ics", calendar((9, 10))), person=person.reference)
        person = await deactivate_consultant(person)
        server.replies["/a.ics"] = Reply(status=404)
        with clock.frozen(now() + timedelta(hours=2)):
            assert await read_busy_calendars() == 0
            (record,) = await listed()
            assert (record.is_read, record.is_overdue) == (False, False)
            with pytest.raises(Conflict, match="Wanjiru takes no new bookings"):
                await do(usecases.find_source, identity)
            await reactivate_consultant(person)
            assert await read_busy_calendars() == 1


class TestFailures:
    async def test_a_calendar_that_fails_keeps_its_times_and_is_reported_once_after_an_hour(
        self, server: CalendarServer
    ) -> None:
        await add(server.serve("/a.ics", calendar((9, 10))))
        server.replies["/a.ics"] = Reply(status=404)
        began = now() + timedelta(minutes=5)
        for minutes in range(0, 80, 5):
            with clock.frozen(began + timedelta(minutes=minutes)):
                assert await read_busy_calendars() == 1
                (record,) = await listed()
                assert (record.failing_since, record.is_overdue) == (began, minutes >= 60)
                async with read_scope() as session:
                    assert await usecases.count_overdue_calendars(session) == (minutes >= 60)
                assert len(await mails()) == (minutes >= 60)
        assert await stored_times() == tuesday((9, 10))
        async with read_scope() as session:
            (mail,) = await list_newest_messages(session)
        assert (mail.kind, "Google calendar of Wanjiru" in mail.subject) == ("calendar-unreadable", True)
        assert "There is no calendar at this address." in repr(mail.content)
        # It recovers, fails again, and that is another failure.
        server.serve("/a.ics", calendar((9, 10)))
        with clock.frozen(began + timedelta(hours=2)):
            await read_busy_calendars()
            (record,) = await listed()
            assert (record.failing_since, record.last_error) == (None, "")
        server.replies["/a.ics"] = Reply(status=500)
        for hours in (3, 4):
            with clock.frozen(began + timedelta(hours=hours)):
                await read_busy_calendars()
        assert len(await mails()) == 2

    async def test_status_screen_and_metrics_show_the_failure(self, server: CalendarServer) -> None:
        async def read_status() -> tuple[str, str, float]:
            async with read_scope() as session:
                line = await describe_calendars(session)
                readings = {reading.name: reading.value for reading in await read_bookings(session)}
            assert line
            return line.text, line.tone, readings["agency_calendar_failing_seconds"]

        async with read_scope() as session:
            assert await describe_calendars(session) is None
        await add(server.serve("/a.ics", calendar((9, 10))))
        assert await read_status() == ("1 calendar", "good", 0)
        server.replies["/a.ics"] = Reply(status=404)
        with clock.frozen(now() + timedelta(minutes=5)):
            await read_busy_calendars()
            assert await read_status() == ("1 calendar, 1 cannot be read", "good", 0)
        with clock.frozen(now() + timedelta(minutes=65)):
            assert await read_status() == ("1 calendar, 1 cannot be read", "bad", 3600)

    async def test_a_slow_server_does_not_delay_the_other_calendars(
        self, server: CalendarServer, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        for number in range(3):
            await add(
                server.serve(f"/{number}.ics", calendar((9 + number, 10 + number))), f"Calendar {number}"
            )
        monkeypatch.setattr(download, "MAX_SECONDS", 0.5)
        end = threading.Event()
        server.replies["/1.ics"] = Reply(b"BEGIN", waits=end)
        with clock.frozen(now() + timedelta(minutes=5)):
            assert await read_busy_calendars() == 3
            assert [record.failing_since is None for record in await listed()] == [True, False, True]
        end.set()


class TestWorkers:
    async def test_parallel_workers_read_each_due_calendar_once(self, server: CalendarServer) -> None:
        for number in range(8):
            await add(server.serve(f"/{number}.ics", calendar((9, 10))), f"Calendar {number}")
        server.requests.clear()
        with clock.frozen(now() + timedelta(minutes=5)):
            assert sum(await asyncio.gather(*(read_busy_calendars() for _ in range(4)))) == 8
        assert len({path for path, _ in server.requests}) == len(server.requests) == 8

    async def test_two_workers_that_store_the_same_calendar_leave_its_times_once(
        self, server: CalendarServer
    ) -> None:
        address = server.serve("/a.ics", calendar((9, 10)))
        identity = await add(address)
        server.serve("/a.ics", calendar((11, 12), (14, 15)))
        content = await read_calendar(CalendarSource(identity, address))
        await asyncio.gather(*(do(usecases.store_content, identity, content) for _ in range(4)))
        assert await stored_times() == tuesday((11, 12), (14, 15))

    async def test_a_calendar_that_is_removed_while_it_is_read_stays_removed(
        self, server: CalendarServer
    ) -> None:
        address = server.serve("/a.ics", calendar((9, 10)))
        identity = await add(address)
        content = await read_calendar(CalendarSource(identity, address))
        await do(usecases.remove_busy_calendar, identity)
        await do(usecases.store_content, identity, content)
        await do(usecases.store_failure, identity, "It failed.")
        assert (await stored_times(), await listed()) == ([], ())
        with pytest.raises(NotFound):
            await do(usecases.remove_busy_calendar, identity)

    async def test_a_killed_workers_calendar_is_read_after_its_lease(self, server: CalendarServer) -> None:
        await add(server.serve("/a.ics", calendar((9, 10))))
        with clock.frozen(now() + timedelta(minutes=5)):
            assert len(await do(usecases.claim_due_calendars)) == 1
            assert await read_busy_calendars() == 0
        with clock.frozen(now() + timedelta(minutes=7, seconds=1)):
            assert await read_busy_calendars() == 1


class TestAdding:
    async def test_a_name_is_taken_once(self, server: CalendarServer) -> None:
        address = server.serve("/a.ics", calendar())
        outcomes = await asyncio.gather(*(add(address) for _ in range(3)), return_exceptions=True)
        refused = [outcome for outcome in outcomes if isinstance(outcome, InputRejected)]
        assert len(refused) == 2
        assert list(refused[0].by_field()) == ["name"]

    async def test_an_unknown_person_is_refused_at_the_field(self, server: CalendarServer) -> None:
        with pytest.raises(InputRejected) as refused:
            await add(server.serve("/a.ics", calendar()), person="CO-000000")
        assert list(refused.value.by_field()) == ["person"]
        assert await listed() == ()

    async def test_a_calendar_closes_the_times_of_its_person(self, server: CalendarServer) -> None:
        identity = await store_person("Wanjiru Kamau", 0)
        await add(server.serve("/a.ics", calendar((9, 10))), person="CO-000000")
        (record,) = await listed()
        assert record.person == "Wanjiru Kamau"
        async with read_scope() as session:
            assert (await session.exec(select(BusyCalendar.consultant_id))).one() == identity
            assert await usecases.list_persons(session) == [("CO-000000", "Wanjiru Kamau")]

    async def test_this_machine_is_not_read_without_the_setting(
        self, server: CalendarServer, configure: Callable[..., object]
    ) -> None:
        address = server.serve("/a.ics", calendar())
        configure(calendar_loopback=False)
        with pytest.raises(CalendarUnreadable):
            await read_calendar(CalendarSource(0, address))
        assert not settings().calendar_loopback


class TestCollisions:
    async def test_a_booking_at_a_busy_time_is_listed_and_stays(self, server: CalendarServer) -> None:
        booking = await book_for_caller()
        address = server.serve("/a.ics", calendar((9, 11), (12, 13)))
        await add(address)
        assert await collisions() == (), "it begins when the event ends"
        server.serve("/a.ics", calendar((9, 12)))
        with clock.frozen(now() + timedelta(minutes=5)):
            await read_busy_calendars()
        (collision,) = await collisions()
        assert (collision.reference, collision.calendar) == (booking.reference, "Google calendar of Wanjiru")
        assert (collision.starts_at, collision.ends_at) == (booking.starts_at, booking.ends_at)
        assert len(await mails()) == 0
        with clock.frozen(booking.starts_at):
            assert await collisions() == (), "it has begun"

    @pytest.mark.parametrize(("minute", "collides"), [("1130", False), ("1129", True)])
    async def test_the_end_of_a_booking_counts_to_the_minute(
        self, server: CalendarServer, minute: str, collides: bool
    ) -> None:
        await book_for_caller()
        text_of = calendar((11, 13)).replace("T110000", f"T{minute}00")
        await add(server.serve("/a.ics", text_of))
        assert bool(await collisions()) is collides

    async def test_a_whole_day_collides_with_its_first_and_its_last_booking(
        self, server: CalendarServer
    ) -> None:
        for at in ("09:00", "16:00"):
            await book_for_caller(time=at)
        whole_day = (
            calendar((9, 10))
            .replace("20261124T090000", "20261124T000000")
            .replace("20261124T10", "20261125T00")
        )
        await add(server.serve("/a.ics", whole_day))
        assert len(await collisions()) == 2

    async def test_a_persons_calendar_concerns_the_bookings_of_that_person_alone(
        self, server: CalendarServer
    ) -> None:
        await store_person("Wanjiru", 0)
        second = await store_person("Brian", 1)
        booking = await book_for_caller()
        async with session_scope() as session:
            await (await session.connection()).execute(
                text("UPDATE bookings SET consultant_id = :person"), {"person": second}
            )
        await add(server.serve("/a.ics", calendar((9, 18))), "Wanjiru", "CO-000000")
        assert await collisions() == ()
        await add(server.serve("/b.ics", calendar((9, 18))), "Brian", "CO-000001")
        await add(server.serve("/c.ics", calendar((9, 18))), "Agency")
        assert [(collision.reference, collision.calendar) for collision in await collisions()] == [
            (booking.reference, "Agency"), (booking.reference, "Brian"),
        ]  # fmt: skip
