"""The list of bookings and the dashboard's figures, against both databases."""

from datetime import date, datetime, timedelta
from urllib.parse import parse_qsl

import pytest

from agency_site import clock
from agency_site.auth.rules import Role, Staff
from agency_site.backoffice.lists.definition import ActionOptions, read_query
from agency_site.backoffice.lists.query import attention_count, count_of, page_of
from agency_site.backoffice.lists.state import lines_of
from agency_site.db.engine import read_scope, session_scope
from agency_site.features.booking.admin.bookings.list import BOOKINGS
from agency_site.features.booking.admin.dashboard import charts, tiles
from agency_site.features.booking.bookings import staff_transitions
from agency_site.features.booking.bookings.rules import BookingState
from tests.integration.features.booking.conftest import TUESDAY, tuesday_at
from tests.integration.features.booking.staff import ACTOR, booked_for, do, find

pytestmark = pytest.mark.usefixtures("database")

WHO = Staff(1, ACTOR, "Wanjiru", Role.FRONT_DESK, 1, "127.0.0.1")
FRIDAY, MONDAY = date(2026, 11, 20), date(2026, 11, 23)


async def listed(**asked: str) -> list[str]:
    """Names in the order of the list."""
    async with read_scope() as session:
        read = read_query(BOOKINGS, asked)
        found = await page_of(session, BOOKINGS, read)
        assert await count_of(session, BOOKINGS, read) == len(found)
        return [one.fullname for one in found]


async def three() -> None:
    """Today at 09:00 by Ali, Monday by Beatrice, Tuesday by Chege, booked in the other order."""
    await booked_for(fullname="Chege Njoroge", emailaddress="chege@example.com", time="16:00")
    await booked_for(fullname="Béatrice Achieng", date=MONDAY.isoformat(), phonenumber="0722 000 111")
    await booked_for(fullname="Ali Said", date=FRIDAY.isoformat(), time="09:00")


async def test_the_newest_booking_is_first_unless_another_order_is_chosen() -> None:
    await three()
    assert await listed() == ["Ali Said", "Béatrice Achieng", "Chege Njoroge"]
    assert await listed(sort="-when") == ["Chege Njoroge", "Béatrice Achieng", "Ali Said"]


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
async def test_it_narrows_to_a_span_of_nairobi_days(span: str, names: list[str]) -> None:
    await three()
    assert await listed(span=span, sort="when") == names


async def test_it_narrows_to_days_of_the_slot() -> None:
    await three()
    assert await listed(**{"day-from": "2026-11-23", "day-to": "2026-11-23"}) == ["Béatrice Achieng"]


@pytest.mark.parametrize("words", ["beatrice", "0722 000", "+254722", "BÉA ACHI"])
async def test_it_finds_names_without_accents_and_numbers_in_national_form(words: str) -> None:
    await three()
    assert await listed(q=words) == ["Béatrice Achieng"]


async def test_it_finds_references_and_addresses() -> None:
    made = await booked_for()
    assert await listed(q=made.reference.lower()) == await listed(q="brian@exam") == ["Brian Kiptoo"]
    assert await listed(q="100%") == []


async def test_a_past_booking_without_an_outcome_needs_one(noon: datetime) -> None:
    made = await booked_for(date=FRIDAY.isoformat(), time="11:00")
    await booked_for()
    async with read_scope() as session:
        assert await attention_count(session, BOOKINGS) == 1
    assert await listed(state="waiting") == ["Brian Kiptoo"]
    await do(staff_transitions.mark_no_show, made.reference, ACTOR)
    async with read_scope() as session:
        assert await attention_count(session, BOOKINGS) == 0
    assert await listed(state="waiting") == []
    assert await listed(state="no_show") == ["Brian Kiptoo"]


async def test_rows_link_to_the_booking_and_are_in_plain_words() -> None:
    made = await booked_for()
    async with read_scope() as session:
        asked = read_query(BOOKINGS, {"columns": "reference,when,name,email,phone,state,booked"})
        (line,) = lines_of(BOOKINGS, asked, await page_of(session, BOOKINGS, asked))
    assert line.href == f"/admin/booking?ref={made.reference}"
    assert [(field.text, field.tone) for field in line.fields] == [
        (made.reference, "strong"), ("Tue 24 Nov 2026, 11:00", ""), ("Brian Kiptoo", ""), ("brian@example.com", ""),
        ("0733 111 222", "whole"), ("Confirmed", "good"), ("20 Nov 2026, 12:00", "whole"),
    ]  # fmt: skip


async def test_bulk_actions_do_what_they_can_and_report_the_rest() -> None:
    one, other = await booked_for(), await booked_for(time="14:00")
    await do(staff_transitions.cancel, other.reference, ACTOR, notify=False)
    action = next(action for action in BOOKINGS.actions if action.key == "cancelled")
    async with session_scope() as session:
        outcomes = await action.run(session, [one.reference, other.reference], WHO, ActionOptions())
    assert outcomes[0] == (one.reference, "")
    assert outcomes[1][1].endswith("is already cancelled.")
    assert (await find(one.reference)).state is BookingState.CANCELLED


async def test_the_dashboard_counts_active_bookings_of_today_and_this_week() -> None:
    await three()
    gone = await booked_for(date="2026-11-21", time="09:00")
    await do(staff_transitions.cancel, gone.reference, ACTOR, notify=False)
    async with read_scope() as session:
        today, week = await tiles(session, WHO)
        (shown,) = await charts(session, WHO)
    assert (today.value, today.href) == ("1", "/admin/bookings?span=today&state=active&sort=when")
    # What the tile leads to is what it counts: the cancelled booking of today is not among it.
    assert len(await listed(**dict(parse_qsl(today.href.partition("?")[2])))) == 1
    assert (week.value, week.label) == ("1", "Bookings this week")
    assert [(bar.label, bar.value) for bar in shown.bars if bar.value] == [
        ("Fri 20", 1),
        ("Mon 23", 1),
        ("Tue 24", 1),
    ]
    assert (len(shown.bars), shown.total) == (14, "3 bookings, 1 cancelled")


async def test_figures_follow_the_clock() -> None:
    await booked_for()
    with clock.frozen(tuesday_at(11) + timedelta(minutes=30)):
        async with read_scope() as session:
            assert (await tiles(session, WHO))[0].value == "1"
            assert await attention_count(session, BOOKINGS) == 1
    assert TUESDAY.weekday() == 1
