"""Export and erasure of personal data in bookings."""

import json
from collections import Counter
from collections.abc import Callable
from datetime import timedelta

import pytest
from sqlmodel import select

from agency_site import clock
from agency_site.backoffice.personal_data.data_requests import SourceRecords
from agency_site.backoffice.personal_data.labels import endings_of, names_of
from agency_site.db.engine import read_scope
from agency_site.errors import Conflict, NotFound
from agency_site.features.booking import personal_data
from agency_site.features.booking.admin.bookings.record import BOOKINGS
from agency_site.features.booking.bookings import staff_transitions, staff_usecases, usecases
from agency_site.features.booking.bookings.request import BookingRequest
from agency_site.features.booking.bookings.rules import BookingState
from agency_site.features.booking.busy_calendars.tables import BusyCalendar, BusyTime
from agency_site.features.booking.jobs import remind_due
from agency_site.mail.usecases import list_newest_messages
from agency_site.staff_application import DATA_SOURCES
from tests import records
from tests.integration.features.booking.conftest import tuesday_at
from tests.integration.features.booking.consultants import (
    ALL_WAYS,
    add_busy_time,
    add_consultant,
    deactivate_consultant,
)
from tests.integration.features.booking.staff import (
    ACTOR,
    book_for_caller,
    do,
    find,
    free_times,
    history,
    mails,
    row_of,
)

BOOKINGS_SOURCE = next(source for source in DATA_SOURCES if source.name == "Bookings")

RequestFactory = Callable[..., BookingRequest]

pytestmark = pytest.mark.usefixtures("database")


async def export(email: str = "", phone: str = "") -> list[dict[str, object]]:
    async with read_scope() as session:
        return await personal_data.BOOKINGS.export(session, email, phone)


async def test_all_personal_data_is_exported_as_json(make_request: RequestFactory) -> None:
    booking = await do(usecases.book, make_request())
    await do(staff_usecases.add_note, booking.reference, "Amina called.", ACTOR)
    await do(staff_transitions.cancel, booking.reference, ACTOR, reason="Amina is ill", notify=False)
    (exported,) = json.loads(json.dumps(await export("AMINA@example.com")))
    assert (exported["record"], exported["reference"], exported["state"]) == (
        "booking",
        booking.reference,
        "cancelled",
    )
    assert (exported["fullname"], exported["phone"]) == ("Amina Odhiambo", "+254712345678")
    assert exported["starts_at"] == "2026-11-24T08:00:00Z"
    assert [line["note"] for line in exported["history"]] == ["", "Amina is ill"]
    assert [note["text"] for note in exported["notes"]] == ["Amina called."]


async def test_an_export_finds_bookings_by_address_or_phone_and_none_without_criteria(
    make_request: RequestFactory,
) -> None:
    await do(usecases.book, make_request())
    await book_for_caller(time="14:00", emailaddress="")
    assert len(await export(phone="0733-111-222")) == 1
    assert len(await export("amina@example.com", "+254733111222")) == 2
    assert await export("", " ") == await export("nobody@example.com", "12") == []
    assert await do(personal_data.BOOKINGS.erase, "", "", ACTOR) == 0


async def test_erasing_leaves_dates_states_and_the_order_of_events(make_request: RequestFactory) -> None:
    booking = await do(usecases.book, make_request(date="2026-11-20", time="16:00"))
    await do(staff_usecases.add_note, booking.reference, "Amina called.", ACTOR)
    with clock.frozen(booking.starts_at + timedelta(hours=1)):
        await do(staff_transitions.mark_no_show, booking.reference, ACTOR)
        assert await do(personal_data.BOOKINGS.erase, "amina@example.com", "", ACTOR) == 1
        assert await export("amina@example.com", "0712345678") == []
    row = await row_of(booking.reference)
    assert (row.state, row.starts_at) == (BookingState.NO_SHOW, booking.starts_at)
    assert (row.fullname, row.email, row.phone, row.message) == ("", "", "", "")
    assert row.search == booking.reference.lower()
    lines = await history(await find(booking.reference))
    assert [what for _, what, _ in lines] == ["booked", "note", "no_show", "erased"]
    assert "Amina" not in f"{row.model_dump()}{lines}"


async def test_erasure_cancels_an_upcoming_booking_and_notifies_staff_alone(
    make_request: RequestFactory,
) -> None:
    booking = await do(usecases.book, make_request())
    kinds = [kind for kind, _ in await mails()]
    await do(personal_data.BOOKINGS.erase, "", "0712 345 678", ACTOR)
    assert (await find(booking.reference)).state is BookingState.CANCELLED
    assert "11:00" in await free_times()
    assert [what for _, what, _ in await history(await find(booking.reference))] == [
        "booked",
        "cancelled",
        "erased",
    ]
    with clock.frozen(tuesday_at(11) - timedelta(hours=24)):
        assert await remind_due() == 0
    *before, (last, to) = await mails()
    assert (before, last, to != "") == ([(kind, "") for kind in kinds], "staff-cancelled", True)


async def test_earlier_details_are_erased_with_the_booking_or_with_the_person_they_name(
    make_request: RequestFactory,
) -> None:
    booking = await do(usecases.book, make_request())
    fields = {"fullname": "Amina O.", "phone": "0711000111", "email": "a.odhiambo@example.com", "message": ""}
    await records.edit(BOOKINGS, booking.reference, fields, ACTOR, 1)
    (edit,) = [note for _, what, note in await history(await find(booking.reference)) if what == "corrected"]
    assert "phone: +254712345678 → +254711000111" in edit.splitlines()
    assert edit.splitlines()[0] in str(await export(phone="0711 000 111"))
    # The number before may be a stranger's: its owner can have it erased, too.
    assert await do(personal_data.BOOKINGS.erase, "", "0712 345 678", ACTOR) == 0
    assert "712345678" not in str(await history(await find(booking.reference)))
    fields["phone"] = "0711000112"
    await records.edit(BOOKINGS, booking.reference, fields, ACTOR, 2)
    assert await do(personal_data.BOOKINGS.erase, "a.odhiambo@example.com", "", ACTOR) == 1
    lines = await history(await find(booking.reference))
    assert [what for _, what, _ in lines if what == "corrected"] == ["corrected"] * 2
    assert not any(trace in str(lines) for trace in ("Amina", "7110001", "odhiambo"))


async def test_erasure_disables_the_private_link(make_request: RequestFactory) -> None:
    booking = await do(usecases.book, make_request())
    await do(personal_data.BOOKINGS.erase, "amina@example.com", "", ACTOR)
    with pytest.raises(NotFound):
        await do(usecases.find_by_token, booking.token)


async def test_an_erased_booking_is_neither_reinstated_nor_moved_nor_edited(
    make_request: RequestFactory,
) -> None:
    booking = await do(usecases.book, make_request())
    await do(personal_data.BOOKINGS.erase, "amina@example.com", "", ACTOR)
    with pytest.raises(Conflict, match="was erased"):
        await do(staff_transitions.reinstate, booking.reference, ACTOR, notify=False)
    ((_, why),) = await do(
        staff_transitions.set_states, [booking.reference], BookingState.CONFIRMED, ACTOR, notify=False
    )
    assert "was erased" in why
    erased = await find(booking.reference)
    details = {"fullname": "Amina", "phone": "0712345678"}
    with pytest.raises(Conflict, match="was erased"):
        await records.edit(BOOKINGS, booking.reference, details, ACTOR, erased.version)
    assert (await row_of(booking.reference)).state is BookingState.CANCELLED
    assert "11:00" in await free_times()


async def test_an_erased_booking_of_yesterday_does_not_move_to_a_day_to_come(
    make_request: RequestFactory,
) -> None:
    booking = await do(usecases.book, make_request(date="2026-11-20", time="16:00"))
    with clock.frozen(booking.starts_at + timedelta(hours=1)):
        await do(personal_data.BOOKINGS.erase, "amina@example.com", "", ACTOR)
        with pytest.raises(Conflict, match="was erased"):
            await do(staff_usecases.move, booking.reference, tuesday_at(11), ACTOR, notify=False)


async def test_erasing_by_a_shared_number_names_what_it_cancels_and_notifies_who_takes_it() -> None:
    wanjiru = await add_consultant("Wanjiru Kamau", email="wanjiru@mwanga.example", **ALL_WAYS)
    references = []
    for time, name in (("11:00", "Amina Odhiambo"), ("14:00", "Peter Odhiambo")):
        address = f"{name.partition(' ')[0]}@example.com"
        booking = await book_for_caller(
            time=time, fullname=name, emailaddress=address, person=wanjiru.reference
        )
        references.append(booking.reference)
    result = SourceRecords(BOOKINGS_SOURCE, await export(phone="0733 111 222"))
    assert names_of([result]) == ["Amina Odhiambo", "Peter Odhiambo"]
    assert endings_of([result]) == [
        f"{references[0]}: 11:00 on Tuesday 24 November, Amina Odhiambo",
        f"{references[1]}: 14:00 on Tuesday 24 November, Peter Odhiambo",
    ]
    assert await do(personal_data.BOOKINGS.erase, "", "0733111222", ACTOR) == 2
    async with read_scope() as session:
        notices = [mail for mail in await list_newest_messages(session) if mail.kind == "staff-cancelled"]
    assert Counter(mail.to == "wanjiru@mwanga.example" for mail in notices) == {True: 2, False: 2}
    assert all(any(reference in mail.text for mail in notices) for reference in references)
    assert "Odhiambo" not in "".join(mail.text + mail.subject for mail in notices)
    assert endings_of([result]), "of records as they were read"
    with clock.frozen(tuesday_at(18)):
        assert endings_of([result]) == [], "they are over"


async def test_a_consultant_is_exported_and_erased_once_inactive_and_without_bookings() -> None:
    wanjiru = await add_consultant("Wanjiru Kamau", email="wanjiru@mwanga.example", **ALL_WAYS)
    await add_busy_time(tuesday_at(14), tuesday_at(15), wanjiru.id)
    booking = await book_for_caller(time="11:00", person=wanjiru.reference)
    person = ("WANJIRU@mwanga.example", "")
    async with read_scope() as session:
        (record,) = await personal_data.CONSULTANTS.export(session, *person)
    assert (record["name"], record["reference"]) == ("Wanjiru Kamau", wanjiru.reference)
    with pytest.raises(Conflict, match="deactivate"):
        await do(personal_data.CONSULTANTS.erase, *person, ACTOR)
    await deactivate_consultant(wanjiru)
    with pytest.raises(Conflict, match=f"still takes {booking.reference}"):
        await do(personal_data.CONSULTANTS.erase, *person, ACTOR)
    await do(staff_transitions.cancel, booking.reference, ACTOR, notify=False)
    assert await do(personal_data.CONSULTANTS.erase, *person, ACTOR) == 1
    assert (await find(booking.reference)).person == "Former consultant"
    async with read_scope() as session:
        assert await personal_data.CONSULTANTS.export(session, *person) == []
        assert (await session.exec(select(BusyCalendar))).all() == []
        assert (await session.exec(select(BusyTime))).all() == []
