"""Personal data of bookings: exported and erased, and what remains."""

import json
from collections.abc import Callable
from datetime import timedelta

import pytest

from agency_site import clock
from agency_site.db.engine import read_scope
from agency_site.errors import Conflict, NotFound
from agency_site.features.booking import personal_data
from agency_site.features.booking.bookings import staff_transitions, staff_usecases, usecases
from agency_site.features.booking.bookings.request import BookingRequest
from agency_site.features.booking.bookings.rules import BookingState
from agency_site.features.booking.bookings.staff_request import ClientDetails
from agency_site.features.booking.jobs import remind_due
from tests.integration.features.booking.conftest import tuesday_at
from tests.integration.features.booking.staff import (
    ACTOR,
    booked_for,
    do,
    find,
    free_times,
    history,
    mails,
    row_of,
)

Asks = Callable[..., BookingRequest]

pytestmark = pytest.mark.usefixtures("database")


async def export(email: str = "", phone: str = "") -> list[dict[str, object]]:
    async with read_scope() as session:
        return await personal_data.BOOKINGS.export(session, email, phone)


async def test_all_personal_data_is_exported_as_json(asks: Asks) -> None:
    made = await do(usecases.book, asks())
    await do(staff_usecases.add_note, made.reference, "Amina called.", ACTOR)
    await do(staff_transitions.cancel, made.reference, ACTOR, reason="Amina is ill", notify=False)
    (exported,) = json.loads(json.dumps(await export("AMINA@example.com")))
    assert (exported["record"], exported["reference"], exported["state"]) == (
        "booking",
        made.reference,
        "cancelled",
    )
    assert (exported["fullname"], exported["phone"]) == ("Amina Odhiambo", "+254712345678")
    assert exported["starts_at"] == "2026-11-24T08:00:00Z"
    assert [line["note"] for line in exported["history"]] == ["", "Amina is ill"]
    assert [note["text"] for note in exported["notes"]] == ["Amina called."]


async def test_bookings_are_found_by_address_or_phone_and_none_by_nothing(asks: Asks) -> None:
    await do(usecases.book, asks())
    await booked_for(time="14:00", emailaddress="")
    assert len(await export(phone="0733-111-222")) == 1
    assert len(await export("amina@example.com", "+254733111222")) == 2
    assert await export("", " ") == await export("nobody@example.com", "12") == []
    assert await do(personal_data.BOOKINGS.erase, "", "", ACTOR) == 0


async def test_erasing_leaves_dates_states_and_the_order_of_events(asks: Asks) -> None:
    made = await do(usecases.book, asks(date="2026-11-20", time="16:00"))
    await do(staff_usecases.add_note, made.reference, "Amina called.", ACTOR)
    with clock.frozen(made.starts_at + timedelta(hours=1)):
        await do(staff_transitions.mark_no_show, made.reference, ACTOR)
        assert await do(personal_data.BOOKINGS.erase, "amina@example.com", "", ACTOR) == 1
        assert await export("amina@example.com", "0712345678") == []
    row = await row_of(made.reference)
    assert (row.state, row.starts_at) == (BookingState.NO_SHOW, made.starts_at)
    assert (row.fullname, row.email, row.phone, row.message) == ("", "", "", "")
    assert row.search == made.reference.lower()
    lines = await history(await find(made.reference))
    assert [what for _, what, _ in lines] == ["booked", "note", "no_show", "erased"]
    assert "Amina" not in f"{row.model_dump()}{lines}"


async def test_a_booking_to_come_is_cancelled_first_and_nobody_is_mailed(asks: Asks) -> None:
    made = await do(usecases.book, asks())
    sent = [kind for kind, _ in await mails()]
    await do(personal_data.BOOKINGS.erase, "", "0712 345 678", ACTOR)
    assert (await find(made.reference)).state is BookingState.CANCELLED
    assert "11:00" in await free_times()
    assert [what for _, what, _ in await history(await find(made.reference))] == [
        "booked",
        "cancelled",
        "erased",
    ]
    with clock.frozen(tuesday_at(11) - timedelta(hours=24)):
        assert await remind_due() == 0
    assert await mails() == [(kind, "") for kind in sent]


async def test_what_the_details_were_before_is_erased_with_the_booking_or_with_the_person_they_name(
    asks: Asks,
) -> None:
    made = await do(usecases.book, asks())
    typed = {"fullname": "Amina O.", "phonenumber": "0711000111", "emailaddress": "a.odhiambo@example.com"}
    await do(staff_usecases.edit_details, made.reference, 1, ClientDetails(**typed), ACTOR)
    (edit,) = [note for _, what, note in await history(await find(made.reference)) if what == "corrected"]
    assert "phone: +254712345678 → +254711000111" in edit.splitlines()
    assert edit.splitlines()[0] in str(await export(phone="0711 000 111"))
    # The number before may be a stranger's: its owner can have it erased, too.
    assert await do(personal_data.BOOKINGS.erase, "", "0712 345 678", ACTOR) == 0
    assert "712345678" not in str(await history(await find(made.reference)))
    typed["phonenumber"] = "0711000112"
    await do(staff_usecases.edit_details, made.reference, 2, ClientDetails(**typed), ACTOR)
    assert await do(personal_data.BOOKINGS.erase, "a.odhiambo@example.com", "", ACTOR) == 1
    lines = await history(await find(made.reference))
    assert [what for _, what, _ in lines if what == "corrected"] == ["corrected"] * 2
    assert not any(trace in str(lines) for trace in ("Amina", "7110001", "odhiambo"))


async def test_the_private_link_opens_nothing_afterwards(asks: Asks) -> None:
    made = await do(usecases.book, asks())
    await do(personal_data.BOOKINGS.erase, "amina@example.com", "", ACTOR)
    with pytest.raises(NotFound):
        await do(usecases.find_by_token, made.token)


async def test_an_erased_booking_is_neither_reinstated_nor_moved_nor_edited(asks: Asks) -> None:
    made = await do(usecases.book, asks())
    await do(personal_data.BOOKINGS.erase, "amina@example.com", "", ACTOR)
    with pytest.raises(Conflict, match="was erased"):
        await do(staff_transitions.reinstate, made.reference, ACTOR, notify=False)
    ((_, why),) = await do(
        staff_transitions.set_states, [made.reference], BookingState.CONFIRMED, ACTOR, notify=False
    )
    assert "was erased" in why
    found = await find(made.reference)
    with pytest.raises(Conflict, match="was erased"):
        await do(staff_usecases.edit_details, made.reference, found.version,
                 ClientDetails(fullname="Amina", phonenumber="0712345678"), ACTOR)  # fmt: skip
    assert (await row_of(made.reference)).state is BookingState.CANCELLED
    assert "11:00" in await free_times()


async def test_an_erased_booking_of_yesterday_does_not_move_to_a_day_to_come(asks: Asks) -> None:
    made = await do(usecases.book, asks(date="2026-11-20", time="16:00"))
    with clock.frozen(made.starts_at + timedelta(hours=1)):
        await do(personal_data.BOOKINGS.erase, "amina@example.com", "", ACTOR)
        with pytest.raises(Conflict, match="was erased"):
            await do(staff_usecases.move, made.reference, tuesday_at(11), ACTOR, notify=False)
