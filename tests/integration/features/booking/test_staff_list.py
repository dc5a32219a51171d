"""The list of bookings and the dashboard's figures, against both databases."""

import csv
import io
from datetime import date, datetime, timedelta
from urllib.parse import parse_qsl

import pytest
from sqlmodel import select

from agency_site import clock
from agency_site.auth.rules import Role, Staff
from agency_site.backoffice.lists.definition import ActionOptions, read_query
from agency_site.backoffice.lists.export import lines_of_export
from agency_site.backoffice.lists.query import attention_count, count_of, page_of
from agency_site.backoffice.lists.state import ListState, lines_of
from agency_site.db.engine import read_scope, session_scope
from agency_site.features.booking.admin.bookings.record import BOOKINGS, NO_CONSULTANT
from agency_site.features.booking.admin.dashboard import charts, tiles
from agency_site.features.booking.bookings import staff_transitions
from agency_site.features.booking.bookings.rules import BookingState
from agency_site.features.booking.bookings.tables import Booking
from agency_site.features.booking.consultants.rules import Way
from agency_site.features.booking.consultants.tables import Consultant
from tests.integration.backoffice.conftest import Tab, enter, hire
from tests.integration.features.booking.conftest import TUESDAY, tuesday_at
from tests.integration.features.booking.consultants import add_consultant
from tests.integration.features.booking.staff import ACTOR, book_for_caller, do, find

pytestmark = [pytest.mark.each_database, pytest.mark.usefixtures("database")]

LIST = BOOKINGS.definition
WHO = Staff(1, ACTOR, "Wanjiru", Role.FRONT_DESK, 1, "127.0.0.1")
FRIDAY, MONDAY = date(2026, 11, 20), date(2026, 11, 23)


async def list_names(**query: str) -> list[str]:
    """Return the names in the order of the list."""
    async with read_scope() as session:
        read = read_query(LIST, query)
        rows = await page_of(session, LIST, read)
        assert await count_of(session, LIST, read) == len(rows)
        return [row.fullname for row in rows]


async def book_three() -> None:
    """Book today at 09:00 for Ali, Monday for Beatrice and Tuesday for Chege, in the opposite order."""
    await book_for_caller(fullname="Chege Njoroge", emailaddress="chege@example.com", time="16:00")
    await book_for_caller(fullname="Béatrice Achieng", date=MONDAY.isoformat(), phonenumber="0722 000 111")
    await book_for_caller(fullname="Ali Said", date=FRIDAY.isoformat(), time="09:00")


async def test_the_newest_booking_is_first_unless_another_order_is_chosen() -> None:
    await book_three()
    assert await list_names() == ["Ali Said", "Béatrice Achieng", "Chege Njoroge"]
    assert await list_names(sort="-when") == ["Chege Njoroge", "Béatrice Achieng", "Ali Said"]


@pytest.mark.parametrize(
    ("span", "names"),
    [
        ("today", ["Ali Said"]),
        ("tomorrow", []),
        ("week", ["Ali Said"]),
        ("next-week", ["Béatrice Achieng", "Chege Njoroge"]),
        ("ahead", ["Béatrice Achieng", "Chege Njoroge"]),
        ("past", ["Ali Said"]),
    ],
)
async def test_the_list_is_filtered_by_a_span_of_nairobi_days(span: str, names: list[str]) -> None:
    await book_three()
    assert await list_names(span=span, sort="when") == names


async def test_the_list_is_filtered_by_days_of_the_slot() -> None:
    await book_three()
    assert await list_names(**{"day-from": "2026-11-23", "day-to": "2026-11-23"}) == ["Béatrice Achieng"]


@pytest.mark.parametrize("words", ["beatrice", "0722 000", "+254722", "BÉA ACHI"])
async def test_the_search_finds_names_without_accents_and_national_numbers(words: str) -> None:
    await book_three()
    assert await list_names(q=words) == ["Béatrice Achieng"]


async def test_the_search_finds_references_and_addresses() -> None:
    booking = await book_for_caller()
    assert (
        await list_names(q=booking.reference.lower()) == await list_names(q="brian@exam") == ["Brian Kiptoo"]
    )
    assert await list_names(q="100%") == []


async def test_a_past_booking_without_an_outcome_needs_one(noon: datetime) -> None:
    booking = await book_for_caller(date=FRIDAY.isoformat(), time="11:00")
    await book_for_caller()
    async with read_scope() as session:
        assert await attention_count(session, LIST) == 1
    assert await list_names(state="waiting") == ["Brian Kiptoo"]
    await do(staff_transitions.mark_no_show, booking.reference, ACTOR)
    async with read_scope() as session:
        assert await attention_count(session, LIST) == 0
    assert await list_names(state="waiting") == []
    assert await list_names(state="no_show") == ["Brian Kiptoo"]


async def test_rows_link_to_the_booking_and_are_in_plain_words() -> None:
    booking = await book_for_caller()
    async with read_scope() as session:
        query = read_query(LIST, {"columns": "reference,when,name,email,phone,state,booked"})
        (line,) = lines_of(LIST, query, await page_of(session, LIST, query))
    assert line.href == f"/admin/booking?ref={booking.reference}"
    assert [(field.text, field.tone) for field in line.fields] == [
        (booking.reference, "strong"), ("Tue 24 Nov 2026, 11:00", ""), ("Brian Kiptoo", ""), ("brian@example.com", ""),
        ("0733 111 222", "whole"), ("Confirmed", "good"), ("20 Nov 2026, 12:00", "whole"),
    ]  # fmt: skip


async def test_the_list_is_filtered_by_service_way_and_consultant() -> None:
    await book_three()
    wanjiru = Consultant(reference="CO-7F3K9Q", name="Wanjiru", seat=0, author=ACTOR, updated_at=clock.now())
    async with session_scope() as session:
        session.add(wanjiru)
        await session.flush()
        ali = (await session.exec(select(Booking).where(Booking.fullname == "Ali Said"))).one()
        ali.consultant_id, ali.service, ali.way = wanjiru.id, "web-design", Way.VIDEO
    assert await list_names(person="CO-7F3K9Q") == ["Ali Said"]
    assert await list_names(person=NO_CONSULTANT) == ["Béatrice Achieng", "Chege Njoroge"]
    assert await list_names(person="CO-OTHER") == []
    assert await list_names(service="web-design", way="video") == ["Ali Said"]
    assert await list_names(way="phone") == []
    async with read_scope() as session:
        query = read_query(LIST, {"columns": "person,service,way", "way": "video"})
        (line,) = lines_of(LIST, query, await page_of(session, LIST, query))
    assert [field.text for field in line.fields] == ["Wanjiru", "Web Design & Development", "By video"]


async def test_the_file_has_service_way_and_consultant() -> None:
    await add_consultant("Wanjiru")
    await book_for_caller(service="web-design", way="phone")
    content = b"".join([part async for part in lines_of_export(LIST, read_query(LIST, {}))])
    (row,) = csv.DictReader(io.StringIO(content.decode("utf-8-sig")))
    assert (row["Consultant"], row["Service"], row["How"]) == (
        "Wanjiru",
        "Web Design & Development",
        "By phone",
    )


async def test_the_filter_by_consultant_offers_the_stored_ones() -> None:
    await hire()
    tab = Tab(ListState, (await enter()).token, "/admin/bookings?person=CO-7F3K9Q")
    await tab.run("open_list")
    assert tab.state.stored_options == []
    async with session_scope() as session:
        for seat, name, active in ((0, "Wanjiru", True), (1, "Baraka", False)):
            session.add(
                Consultant(
                    reference=f"CO-{seat}",
                    name=name,
                    seat=seat,
                    is_active=active,
                    author=ACTOR,
                    updated_at=clock.now(),
                )
            )
    await tab.run("open_list")
    options = [(option.filter, option.value, option.text) for option in tab.state.stored_options]
    assert options == [
        ("person", "CO-1", "Baraka (inactive)"),
        ("person", "CO-0", "Wanjiru"),
        ("person", NO_CONSULTANT, "None"),
    ]


async def test_a_bulk_action_reports_the_bookings_that_it_cannot_change() -> None:
    booking, other = await book_for_caller(), await book_for_caller(time="14:00")
    await do(staff_transitions.cancel, other.reference, ACTOR, notify=False)
    action = next(action for action in LIST.actions if action.key == "cancelled")
    async with session_scope() as session:
        outcomes = await action.run(session, [booking.reference, other.reference], WHO, ActionOptions())
    assert outcomes[0] == (booking.reference, "")
    assert outcomes[1][1].endswith("is already cancelled.")
    assert (await find(booking.reference)).state is BookingState.CANCELLED


async def test_the_dashboard_counts_active_bookings_of_today_and_this_week() -> None:
    await book_three()
    cancelled = await book_for_caller(date="2026-11-21", time="09:00")
    await do(staff_transitions.cancel, cancelled.reference, ACTOR, notify=False)
    async with read_scope() as session:
        today, week = await tiles(session, WHO)
        (chart,) = await charts(session, WHO)
    assert (today.value, today.href) == ("1", "/admin/bookings?span=today&state=active&sort=when")
    # The tile's link lists exactly the counted bookings, without the cancelled one of today.
    assert len(await list_names(**dict(parse_qsl(today.href.partition("?")[2])))) == 1
    assert (week.value, week.label) == ("1", "Bookings this week")
    assert [(bar.label, bar.value) for bar in chart.bars if bar.value] == [
        ("Fri 20", 1),
        ("Mon 23", 1),
        ("Tue 24", 1),
    ]
    assert (len(chart.bars), chart.total) == (14, "3 bookings, 1 cancelled")


async def test_figures_follow_the_clock() -> None:
    await book_for_caller()
    with clock.frozen(tuesday_at(11) + timedelta(minutes=30)):
        async with read_scope() as session:
            assert (await tiles(session, WHO))[0].value == "1"
            assert await attention_count(session, LIST) == 1
    assert TUESDAY.weekday() == 1
