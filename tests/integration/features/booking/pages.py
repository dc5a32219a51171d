"""Helpers of the tests of a booking's page: opening it, and what it shows."""

from typing import Any

from agency_site.backoffice.record_page import RecordState
from agency_site.features.booking.admin.bookings.record import MoveSlots
from agency_site.features.booking.bookings.records import BookingRecord
from tests.integration.backoffice.conftest import Tab, hire, open_tab


async def open_booking(booking: BookingRecord, query: str = "") -> Tab:
    """Open the page of a booking as a new owner."""
    await hire()
    return await open_tab(RecordState, f"/admin/booking?ref={booking.reference}{query}")


async def open_move(tab: Tab) -> Any:
    """Open the form with which the booking of a page moves; return the state of its free times."""
    follow = await tab.run("ask", key="move")
    assert follow is MoveSlots.begin
    slots = tab.back_office.substates[MoveSlots.get_name()]
    await follow.fn(slots)
    return slots


def details_of(tab: Tab) -> dict[str, str]:
    """Return the text of each fact of a page by its label."""
    return {line.label: line.text for line in tab.state.details}


def links_of(tab: Tab) -> dict[str, str]:
    """Return the link of each fact of a page by its label; empty for one without."""
    return {line.label: line.href for line in tab.state.details}


def options_of(tab: Tab, name: str) -> list[tuple[str, str]]:
    """Return value and label of each option of a field of the open form."""
    (field,) = [field for group in tab.state.form for field in group.fields if field.name == name]
    return [(option.value, option.text) for option in field.options]
