"""Weekly hours that staff publish: the offered times, bookings of another length, and bookings that no longer fit."""

from datetime import time, timedelta
from typing import Any

import pytest
from sqlalchemy.exc import IntegrityError

from agency_site.content.entries import Kind
from agency_site.content.hours import HOURS
from agency_site.content.published import previewed
from agency_site.content.schema import Hours, Opening
from agency_site.db.engine import read_scope, session_scope
from agency_site.features.booking.admin.business_hours.state import BusinessHours
from agency_site.features.booking.bookings import staff_transitions, staff_usecases
from agency_site.features.booking.bookings.calendar_invite import invitation
from agency_site.features.booking.bookings.tables import Booking
from agency_site.features.booking.business_hours.usecases import list_misfits
from agency_site.features.booking.schedule.rules import SlotTaken
from tests.integration.backoffice.conftest import hire, open_tab
from tests.integration.features.booking.conftest import tuesday_at
from tests.integration.features.booking.staff import ACTOR, book_for_caller, do, free_times, row_of

pytestmark = pytest.mark.usefixtures("database")

AFTERNOON = Opening(opens=time(13), closes=time(19))
LONGER = HOURS.model_copy(update={"slots": (time(9), time(10, 30), time(11, 15)), "slot_minutes": 45})


def publish(hours: Hours) -> Any:
    return previewed({Kind.HOURS: (hours,)})


async def misfits(hours: Hours) -> list[str]:
    async with read_scope() as session:
        return [booking.reference for booking in await list_misfits(session, hours)]


async def test_bookings_of_the_old_length_stay_valid_beside_new_ones() -> None:
    early, late = await book_for_caller(time="09:00"), await book_for_caller(time="11:00")
    with publish(LONGER):
        # The booking from 11:00 to 11:30 keeps its seat, so neither 10:30 to 11:15 nor 11:15 to 12:00 is free.
        assert await free_times() == []
        await do(staff_transitions.cancel, early.reference, ACTOR, notify=False)
        new = await book_for_caller(time="09:00")
        with pytest.raises(SlotTaken):
            await book_for_caller(time="10:30")
    old, longer = await row_of(late.reference), await row_of(new.reference)
    assert (old.ends_at, longer.ends_at) == (
        tuesday_at(11) + timedelta(minutes=30),
        tuesday_at(9) + timedelta(minutes=45),
    )
    assert b"DTEND:20261124T083000Z" in invitation(old, None).content
    assert b"DTEND:20261124T064500Z" in invitation(longer, None).content


async def test_the_database_rejects_a_new_length_that_overlaps_an_old_booking() -> None:
    booking = await book_for_caller(time="11:00")
    row = (await row_of(booking.reference)).model_dump(exclude={"id"})
    overlapping = row | {
        "reference": "BK-OTHER", "token_hash": "other", "starts_at": booking.starts_at - timedelta(minutes=30), "minutes": 45,
    }  # fmt: skip
    with pytest.raises(IntegrityError):
        async with session_scope() as session:
            session.add(Booking(**overlapping))


async def test_a_moved_booking_takes_the_new_length() -> None:
    booking = await book_for_caller(time="11:00")
    with publish(LONGER):
        await do(staff_usecases.move, booking.reference, tuesday_at(9), ACTOR, notify=False)
    assert (await row_of(booking.reference)).minutes == 45


async def test_new_hours_list_the_bookings_that_no_longer_fit() -> None:
    early, late = await book_for_caller(time="09:00"), await book_for_caller(time="14:00")
    assert await misfits(HOURS) == []
    assert await misfits(HOURS.model_copy(update={"week": (AFTERNOON,) * 7})) == [early.reference]
    assert await misfits(HOURS.model_copy(update={"week": (None,) * 7})) == [early.reference, late.reference]
    assert await misfits(HOURS.model_copy(update={"slots": (time(9), time(15))})) == [late.reference]
    assert await free_times() == ["11:00", "16:00"]


async def test_the_screen_shows_published_hours_and_misfits() -> None:
    booking = await book_for_caller(time="09:00")
    await hire()
    with publish(HOURS.model_copy(update={"week": (AFTERNOON,) * 7, "slots": (time(14),)})):
        tab = await open_tab(BusinessHours, "/admin/hours")
    assert [(row.days, row.hours) for row in tab.state.weekly_hours] == [
        ("Monday to Sunday", "1:00 PM to 7:00 PM"),
        ("Consultations", "14:00, 30 minutes each"),
    ]
    assert [row.reference for row in tab.state.misplaced] == [booking.reference]
