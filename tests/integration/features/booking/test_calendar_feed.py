"""The calendar feed: its entries, and who may read it."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import httpx
import pytest
from icalendar import Calendar

from agency_site import clock
from agency_site.auth.calendar_links import find_calendar_reader
from agency_site.auth.rules import Role
from agency_site.auth.tables import StaffAccount
from agency_site.clock import now
from agency_site.db.engine import read_scope, session_scope
from agency_site.features.booking.bookings import staff_transitions, staff_usecases, usecases
from agency_site.features.booking.bookings.request import BookingRequest
from agency_site.features.booking.bookings.tables import Booking
from agency_site.features.booking.calendar.feed import render_feed
from agency_site.features.booking.consultants.tables import Consultant
from agency_site.ids import token_hash
from agency_site.web.serving.edge import INNER
from tests.integration.features.booking.conftest import tuesday_at
from tests.integration.features.booking.consultants import add_consultant
from tests.integration.features.booking.staff import ACTOR, book_for_caller, do

RequestFactory = Callable[..., BookingRequest]
TOKEN = "t" * 43

pytestmark = pytest.mark.usefixtures("database")


async def events() -> list[Any]:
    async with read_scope() as session:
        content = await render_feed(session)
    return Calendar.from_ical(content).walk("VEVENT")


async def create_account(role: Role = Role.FRONT_DESK, *, disabled: bool = False) -> None:
    moment = now()
    async with session_scope() as session:
        session.add(
            StaffAccount(
                email=ACTOR,
                name="Wanjiru",
                role=role,
                calendar_token_hash=token_hash(TOKEN),
                disabled_at=moment if disabled else None,
                created_at=moment,
                updated_at=moment,
            )
        )


class TestContent:
    async def test_an_entry_names_client_time_and_topic(self, make_request: RequestFactory) -> None:
        booking = await do(usecases.book, make_request(fullname="Zoë; Ltd, Nairobi", message="Two\nlines"))
        (event,) = await events()
        assert str(event["UID"]) == f"{booking.reference.lower()}@mwanga.example"
        assert (event.start, event.end) == (tuesday_at(11), tuesday_at(11) + timedelta(minutes=30))
        assert str(event["STATUS"]) == "CONFIRMED"
        assert str(event["SUMMARY"]) == "Consultation: Zoë; Ltd, Nairobi"
        description = f"{booking.reference}\n+254712345678\namina@example.com\nTwo\nlines"
        assert str(event["DESCRIPTION"]) == description
        assert event["DTSTAMP"].dt == event["LAST-MODIFIED"].dt == now()

    async def test_a_moved_booking_is_the_same_entry_with_a_newer_revision(self) -> None:
        booking = await book_for_caller()
        (before,) = await events()
        with clock.frozen(now() + timedelta(hours=1)):
            await do(staff_usecases.move, booking.reference, tuesday_at(14), ACTOR, notify=False)
            (after,) = await events()
        assert before["UID"] == after["UID"]
        assert after.start == tuesday_at(14)
        assert after.sequence == before.sequence + 1
        assert after["LAST-MODIFIED"].dt == before["LAST-MODIFIED"].dt + timedelta(hours=1)

    async def test_the_feed_has_confirmed_bookings_from_thirty_days_back(self) -> None:
        bookings = [await book_for_caller(time=at) for at in ("09:00", "11:00", "14:00")]
        await do(staff_transitions.cancel, bookings[0].reference, ACTOR, notify=False)
        assert len(await events()) == 2
        with clock.frozen(tuesday_at(11) + timedelta(days=30)):
            assert [event.start for event in await events()] == [tuesday_at(11), tuesday_at(14)]
        with clock.frozen(tuesday_at(11) + timedelta(days=30, seconds=1)):
            assert [event.start for event in await events()] == [tuesday_at(14)]

    async def test_lines_are_folded_and_the_same_bookings_give_the_same_feed(self) -> None:
        await book_for_caller(fullname="Ñ" * 120, message="a,b;c\\d\n" * 100)
        async with read_scope() as session:
            content = await render_feed(session)
            with clock.frozen(now() + timedelta(minutes=5)):
                assert await render_feed(session) == content
        assert content.endswith(b"END:VCALENDAR\r\n")
        assert all(0 < len(line) <= 75 for line in content.removesuffix(b"\r\n").split(b"\r\n"))


class TestAccess:
    async def test_the_link_opens_the_feed_and_an_unchanged_feed_is_not_sent_again(
        self, client: httpx.AsyncClient
    ) -> None:
        await create_account()
        booking = await book_for_caller()
        answer = await client.get(f"/calendar/{TOKEN}.ics")
        assert answer.status_code == 200
        assert answer.headers["content-type"] == "text/calendar; charset=utf-8"
        assert answer.headers["cache-control"] == "no-store"
        assert booking.reference in answer.text
        headers = {"If-None-Match": answer.headers["etag"]}
        again = await client.get(f"/calendar/{TOKEN}.ics", headers=headers)
        assert (again.status_code, again.content) == (304, b"")
        await do(staff_usecases.move, booking.reference, tuesday_at(14), ACTOR, notify=False)
        assert (await client.get(f"/calendar/{TOKEN}.ics", headers=headers)).status_code == 200
        assert (await client.head(f"/calendar/{TOKEN}.ics")).status_code == 200

    @pytest.mark.parametrize("token", ["x" * 43, "", "%F0%9F%90%8D", "%ED%A0%80", token_hash(TOKEN)])
    async def test_another_link_is_not_found(self, client: httpx.AsyncClient, token: str) -> None:
        await create_account()
        await book_for_caller()
        answer = await client.get(f"/calendar/{token}.ics")
        assert answer.status_code == 404
        assert "BEGIN" not in answer.text

    async def test_the_reader_is_identified_by_address(self) -> None:
        await create_account()
        async with read_scope() as session:
            reader = await find_calendar_reader(session, TOKEN)
            assert reader is not None
            assert reader.email == ACTOR
            assert await find_calendar_reader(session, "") is None

    @pytest.mark.parametrize(
        ("role", "disabled"), [(Role.OWNER, True), (Role.EDITOR, False), (Role.VIEWER, False)]
    )
    async def test_without_the_permissions_to_see_and_export_nothing_is_read(
        self, client: httpx.AsyncClient, role: Role, disabled: bool
    ) -> None:
        await create_account(role, disabled=disabled)
        assert (await client.get(f"/calendar/{TOKEN}.ics")).status_code == 404

    def test_the_http_edge_serves_the_feed(self) -> None:
        assert f"/calendar/{TOKEN}.ics".startswith(INNER)


class TestOwnConsultations:
    async def test_the_feed_of_a_person_has_the_own_bookings_alone(self, client: httpx.AsyncClient) -> None:
        await create_account()
        own, other = await book_for_caller(), await book_for_caller(time="14:00")
        async with session_scope() as session:
            for seat, (booking, email) in enumerate([(own, ACTOR.upper()), (other, "brian@mwanga.example")]):
                person = Consultant(
                    reference=f"CO-{seat:06}",
                    name="A person",
                    email=email,
                    seat=seat,
                    author=ACTOR,
                    updated_at=now(),
                )
                session.add(person)
                await session.flush()
                (await session.get_one(Booking, booking.id)).consultant_id = person.id
        answer = await client.get(f"/calendar/{TOKEN}/consultations.ics")
        assert answer.status_code == 200
        assert (own.reference in answer.text, other.reference in answer.text) == (True, False)
        assert other.reference in (await client.get(f"/calendar/{TOKEN}.ics")).text

    @pytest.mark.parametrize("role", [Role.TRAINER, Role.VIEWER])
    async def test_the_permissions_are_those_of_all_bookings(
        self, client: httpx.AsyncClient, role: Role
    ) -> None:
        await create_account(role)
        assert (await client.get(f"/calendar/{TOKEN}/consultations.ics")).status_code == 404


async def test_each_consultation_is_where_its_consultant_meets_the_client() -> None:
    room = "https://meet.example/wanjiru"
    wanjiru = await add_consultant("Wanjiru", phone="on", karen="on", video="on", video_link=room)
    for way, at in (("karen", "09:00"), ("phone", "11:00"), ("video", "14:00")):
        await book_for_caller(time=at, way=way, person=wanjiru.reference)
    async with read_scope() as session:
        events = Calendar.from_ical(await render_feed(session)).walk("VEVENT")
    rooms, phone, video = (str(event["LOCATION"]) for event in events)
    assert rooms.startswith("Mwanga House")
    assert phone.startswith("By phone: +254")
    assert video == room
