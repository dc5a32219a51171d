"""Bookings of an agency with persons: who takes them, in which way, and what closes their slots."""

from collections import Counter
from collections.abc import Callable
from datetime import timedelta

import pytest
from sqlmodel import col, update

from agency_site import clock
from agency_site.content.hours import HOURS
from agency_site.db.engine import read_scope, session_scope
from agency_site.errors import Conflict, InputRejected, NotFound, StaleRecord
from agency_site.features.booking import personal_data
from agency_site.features.booking.admin.bookings.record import BOOKINGS
from agency_site.features.booking.admin.consultants import CONSULTANTS
from agency_site.features.booking.bookings import staff_transitions, staff_usecases, usecases
from agency_site.features.booking.bookings.request import BookingRequest
from agency_site.features.booking.bookings.rules import BookingState
from agency_site.features.booking.bookings.tables import Booking
from agency_site.features.booking.business_hours.usecases import list_misfits
from agency_site.features.booking.consultants.records import list_active
from agency_site.features.booking.consultants.rules import Way
from agency_site.features.booking.jobs import remind_due
from agency_site.features.booking.schedule.persons import Wish
from agency_site.features.booking.schedule.rules import SlotTaken
from agency_site.mail.usecases import list_newest_messages
from tests import records
from tests.integration.features.booking.conftest import TUESDAY, tuesday_at
from tests.integration.features.booking.consultants import (
    add_busy_time,
    add_consultant,
    book,
    consultant_form,
    deactivate_consultant,
    do_move,
    override_policy,
    save_consultant,
    token_of,
)
from tests.integration.features.booking.staff import (
    ACTOR,
    all_bookings,
    book_for_caller,
    do,
    find,
    free_times,
    history,
    mails,
)

RequestFactory = Callable[..., BookingRequest]

pytestmark = [pytest.mark.each_database, pytest.mark.usefixtures("database")]


async def test_a_booking_is_taken_by_a_person_and_the_slot_has_a_seat_for_each(
    make_request: RequestFactory,
) -> None:
    await add_consultant("Wanjiru Kamau")
    await add_consultant("Brian Otieno")
    bookings = [await book(make_request()) for _ in range(2)]
    assert {booking.person for booking in bookings} == {"Wanjiru Kamau", "Brian Otieno"}
    assert {booking.seat for booking in bookings} == {0, 1}
    with pytest.raises(SlotTaken):
        await book(make_request())


async def test_the_person_with_the_fewest_consultations_is_next(make_request: RequestFactory) -> None:
    for name in ("Wanjiru Kamau", "Brian Otieno", "Achieng Odera"):
        await add_consultant(name)
    times = [(day, time) for day in range(24, 27) for time in ("09:00", "11:00", "14:00", "16:00")]
    persons = Counter(
        [(await book(make_request(date=f"2026-11-{day}", time=time))).person for day, time in times]
    )
    assert set(persons.values()) == {4}


async def test_cancelled_and_old_consultations_do_not_count(make_request: RequestFactory) -> None:
    wanjiru, brian = await add_consultant("Wanjiru Kamau"), await add_consultant("Brian Otieno")
    for time in ("09:00", "11:00"):
        await book(make_request(time=time, person=wanjiru.reference))
    early, late = [await book(make_request(time=time, person=brian.reference)) for time in ("09:00", "11:00")]
    third = await book(make_request(time="14:00", person=brian.reference))
    async with session_scope() as session:
        for booking, values in (
            (early, {"state": BookingState.CANCELLED}),
            (late, {"starts_at": tuesday_at(11) - timedelta(weeks=5)}),
            (third, {"starts_at": tuesday_at(11) - timedelta(weeks=3), "state": BookingState.COMPLETED}),
        ):
            await session.exec(update(Booking).where(col(Booking.id) == booking.id).values(**values))
    # Brian's one consultation of the last weeks is fewer than Wanjiru's two.
    assert (await book(make_request(time="16:00"))).person == "Brian Otieno"


async def test_a_visitor_chooses_person_and_way(make_request: RequestFactory) -> None:
    wanjiru = await add_consultant("Wanjiru Kamau", karen="on")
    brian = await add_consultant("Brian Otieno", video="on", video_link="https://meet.example/brian")
    booking = await book(make_request(person=brian.reference, way="video", service="web-design"))
    assert (booking.person, booking.way, booking.service) == ("Brian Otieno", Way.VIDEO, "web-design")
    assert await book(make_request(way="karen", person=wanjiru.reference))
    with pytest.raises(InputRejected) as rejected:
        await book(make_request(time="14:00", person=wanjiru.reference, way="video"))
    assert rejected.value.by_field().keys() == {"way"}
    with pytest.raises(SlotTaken):
        await book(make_request(way="video"))
    with pytest.raises(InputRejected) as rejected:
        await book(make_request(time="14:00", person="CO-AAAAAA"))
    assert rejected.value.by_field().keys() == {"person"}


async def test_the_free_times_follow_the_choice(make_request: RequestFactory) -> None:
    wanjiru = await add_consultant("Wanjiru Kamau", karen="on")
    brian = await add_consultant("Brian Otieno", video="on", tuesday="11:00-14:30")
    await book(make_request(person=brian.reference, way="video"))
    async with read_scope() as session:
        wishes = [Wish(), Wish("video"), Wish("karen"), Wish("", wanjiru.reference)]
        calendars = [await usecases.read_calendar(session, wish) for wish in wishes]
        slots = await usecases.list_slots(session, TUESDAY, Wish("video"))
    all_day = ["09:00", "11:00", "14:00", "16:00"]
    assert [
        [slot.time for slot in calendar.slots_on(TUESDAY) if slot.available] for calendar in calendars
    ] == [all_day, ["14:00"], all_day, all_day]
    assert [slot.time for slot in slots if slot.available] == ["14:00"]


async def test_a_repeated_request_returns_the_first_booking_unless_it_names_another_person(
    make_request: RequestFactory,
) -> None:
    first, second = await add_consultant("Wanjiru Kamau"), await add_consultant("Brian Otieno")
    references = [
        (await do(usecases.book_once, make_request(person=person))).reference
        for person in (first.reference, first.reference, second.reference)
    ]
    assert references[0] == references[1] != references[2]


async def test_a_move_keeps_the_person_unless_the_client_agrees_to_another_and_reads_who_takes_it(
    make_request: RequestFactory,
) -> None:
    wanjiru = await add_consultant("Wanjiru Kamau", karen="on", email="wanjiru@mwanga.example")
    await add_consultant("Brian Otieno", karen="on", email="brian@mwanga.example")
    booking = await book(make_request(person=wanjiru.reference))
    await book(make_request(time="09:00", person=wanjiru.reference))
    moved = await do_move(token_of(booking), tuesday_at(14))
    assert moved.person == "Wanjiru Kamau"
    with pytest.raises(SlotTaken):
        await do_move(token_of(booking), tuesday_at(9))
    moved = await do_move(token_of(booking), tuesday_at(9), Wish("karen"))
    assert (moved.person, moved.consultant_id != wanjiru.id) == ("Brian Otieno", True)
    async with read_scope() as session:
        messages = list(await list_newest_messages(session))
    to_client = next(message for message in messages if message.kind == "booking-moved")
    assert "Brian Otieno" in to_client.text
    recipients = {message.to for message in messages if message.kind == "staff-moved"}
    assert {"wanjiru@mwanga.example", "brian@mwanga.example"} < recipients


async def test_a_busy_calendar_of_a_person_closes_only_their_consultations(
    make_request: RequestFactory,
) -> None:
    wanjiru = await add_consultant("Wanjiru Kamau")
    await add_consultant("Brian Otieno")
    await add_busy_time(tuesday_at(9), tuesday_at(12), wanjiru.id, "Google calendar of Wanjiru")
    assert (await book(make_request())).person == "Brian Otieno"
    with pytest.raises(SlotTaken):
        await book(make_request())
    with pytest.raises(Conflict, match="is busy in Google calendar of Wanjiru"):
        await book_for_caller(time="11:00", person=wanjiru.reference)


async def test_a_busy_calendar_of_the_agency_closes_slots_without_persons_too(
    make_request: RequestFactory,
) -> None:
    await add_busy_time(tuesday_at(11), tuesday_at(12))
    assert await free_times() == ["09:00", "14:00", "16:00"]
    with pytest.raises(SlotTaken):
        await book(make_request())


async def test_a_pause_closes_the_next_slot_of_a_person_and_of_an_anonymous_seat(
    make_request: RequestFactory,
) -> None:
    await override_policy(buffer_minutes=120)
    await book(make_request())
    assert await free_times() == ["14:00", "16:00"]
    with pytest.raises(SlotTaken):
        await book(make_request(time="09:00"))
    await add_consultant("Wanjiru Kamau")
    assert await free_times() == ["14:00", "16:00"]
    await add_consultant("Brian Otieno")
    assert await free_times() == ["09:00", "11:00", "14:00", "16:00"]


async def test_a_daily_limit_closes_the_day_until_a_consultation_moves_away(
    make_request: RequestFactory,
) -> None:
    await override_policy(daily_limit=2)
    await add_consultant("Wanjiru Kamau")
    await book(make_request())
    booking = await book(make_request(time="14:00"))
    assert await free_times() == []
    with pytest.raises(SlotTaken):
        await book(make_request(time="16:00"))
    assert (await do_move(token_of(booking), tuesday_at(16))).starts_at == tuesday_at(16)
    await do_move(token_of(booking), tuesday_at(9) + timedelta(days=1))
    assert await free_times() == ["09:00", "14:00", "16:00"]


async def test_a_notice_that_staff_set_holds_instead_of_the_setting(make_request: RequestFactory) -> None:
    await override_policy(notice_hours=24 * 4)
    with pytest.raises(InputRejected, match="too soon"):
        await book(make_request())
    assert (await book_for_caller(time="11:00")).starts_at == tuesday_at(11)


async def test_staff_book_move_and_reinstate_with_persons() -> None:
    wanjiru, brian = await add_consultant("Wanjiru Kamau"), await add_consultant("Brian Otieno")
    booking = await book_for_caller(person=wanjiru.reference, way="phone")
    assert (booking.person, booking.person_reference, booking.way) == (
        "Wanjiru Kamau",
        wanjiru.reference,
        Way.PHONE,
    )
    moved = await do(staff_usecases.move, booking.reference, tuesday_at(14), ACTOR, notify=False)
    assert moved.person == "Wanjiru Kamau"
    await do(staff_transitions.cancel, booking.reference, ACTOR, notify=False)
    await book_for_caller(person=wanjiru.reference, time="14:00", emailaddress="other@example.com")
    restored = await do(staff_transitions.reinstate, booking.reference, ACTOR, notify=False)
    assert (restored.person, restored.person_reference) == ("Brian Otieno", brian.reference)


async def test_staff_assign_another_person() -> None:
    wanjiru, brian = await add_consultant("Wanjiru Kamau"), await add_consultant("Brian Otieno", karen="on")
    booking = await book_for_caller(person=wanjiru.reference)
    assigned = await do(
        staff_usecases.assign_person, booking.reference, booking.version, brian.reference, ACTOR
    )
    assert (assigned.person, assigned.seat, assigned.starts_at) == ("Brian Otieno", 1, booking.starts_at)
    assert (await history(assigned))[-1] == (ACTOR, "corrected", "person: Wanjiru Kamau → Brian Otieno")
    with pytest.raises(StaleRecord):
        await do(staff_usecases.assign_person, booking.reference, booking.version, wanjiru.reference, ACTOR)
    assert await mails() == []


async def test_a_client_who_is_notified_reads_of_the_new_person_and_the_new_link() -> None:
    wanjiru = await add_consultant("Wanjiru Kamau", video="on", video_link="https://meet.example/wanjiru")
    brian = await add_consultant("Brian Otieno", video="on", video_link="https://meet.example/brian")
    booking = await book_for_caller(person=wanjiru.reference, way="video")
    await do(
        staff_usecases.assign_person, booking.reference, booking.version, brian.reference, ACTOR, notify=True
    )
    async with read_scope() as session:
        (mail,) = await list_newest_messages(session)
    assert (mail.kind, mail.to) == ("booking-assigned", "brian@example.com")
    assert mail.subject == "Another consultant: 11:00 on Tuesday 24 November"
    assert "https://meet.example/brian" in mail.text


async def test_a_person_who_cannot_take_a_booking_is_not_assigned() -> None:
    wanjiru = await add_consultant("Wanjiru Kamau")
    brian = await add_consultant("Brian Otieno", video="on")
    achieng = await add_consultant("Achieng Odera")
    busy = await add_consultant("Mwende Mutua")
    await add_busy_time(tuesday_at(11), tuesday_at(12), busy.id)
    booking = await book_for_caller(person=wanjiru.reference)
    await book_for_caller(person=achieng.reference, emailaddress="other@example.com")
    left = await add_consultant("Kimani Njoroge")
    await deactivate_consultant(left)
    for person, message in (
        (wanjiru, "takes booking"),
        (brian, "does not meet clients in Karen"),
        (achieng, "is not free"),
        (busy, "is not free"),
        (left, "takes no new bookings"),
    ):
        with pytest.raises(Conflict, match=message):
            await do(
                staff_usecases.assign_person, booking.reference, booking.version, person.reference, ACTOR
            )
    with pytest.raises(NotFound):
        await do(staff_usecases.assign_person, booking.reference, booking.version, "CO-AAAAAA", ACTOR)
    assert (await find(booking.reference)).person == "Wanjiru Kamau"


async def test_a_way_that_the_consultant_does_not_offer_is_refused_beside_its_field() -> None:
    wanjiru = await add_consultant("Wanjiru Kamau", phone="on")
    booking = await book_for_caller(person=wanjiru.reference, way="phone")
    with pytest.raises(InputRejected, match="does not meet clients by video") as refused:
        await records.edit(BOOKINGS, booking.reference, {"way": "video"}, ACTOR, booking.version)
    assert list(refused.value.by_field()) == ["way"]
    assert (await find(booking.reference)).way is Way.PHONE


async def test_a_client_is_notified_of_another_way_and_gets_the_link() -> None:
    wanjiru = await add_consultant(
        "Wanjiru Kamau", phone="on", video="on", video_link="https://meet.example/wanjiru"
    )
    booking = await book_for_caller(person=wanjiru.reference, way="phone")
    edited = await records.edit(BOOKINGS, booking.reference, {"way": "video"}, ACTOR, booking.version)
    assert edited.sequence == 1
    async with read_scope() as session:
        (mail,) = await list_newest_messages(session)
    assert (mail.kind, mail.to) == ("booking-way", "brian@example.com")
    assert "now takes place by video" in " ".join(mail.text.split())
    assert "https://meet.example/wanjiru" in mail.text
    await records.edit(BOOKINGS, booking.reference, {"fullname": "Brian K. Kiptoo"}, ACTOR, edited.version)
    await do(staff_transitions.cancel, booking.reference, ACTOR, notify=False)
    cancelled = await find(booking.reference)
    await records.edit(BOOKINGS, booking.reference, {"way": "phone"}, ACTOR, cancelled.version)
    assert await mails() == [("booking-way", "brian@example.com")]


async def test_a_booking_from_before_there_were_persons_gets_one() -> None:
    booking = await book_for_caller()
    wanjiru = await add_consultant("Wanjiru Kamau")
    assert (wanjiru.seat, booking.seat, booking.person) == (0, 0, "")
    assigned = await do(
        staff_usecases.assign_person, booking.reference, booking.version, wanjiru.reference, ACTOR
    )
    assert (assigned.person, assigned.seat) == ("Wanjiru Kamau", 0)


async def test_bookings_of_persons_who_no_longer_work_then_are_listed() -> None:
    wanjiru, brian = await add_consultant("Wanjiru Kamau"), await add_consultant("Brian Otieno")
    hers = await book_for_caller(person=wanjiru.reference)
    await book_for_caller(person=brian.reference, emailaddress="other@example.com")
    assert await do(list_misfits, HOURS) == ()
    request = consultant_form("Wanjiru Kamau", karen="on", wednesday="09:00-17:00")
    changed = await save_consultant(wanjiru, request)
    assert (changed.hours, changed.ways) == ({"2": "09:00-17:00"}, (Way.KAREN,))
    assert [booking.reference for booking in await do(list_misfits, HOURS)] == [hers.reference]


async def test_without_active_persons_seats_have_no_person_again(make_request: RequestFactory) -> None:
    wanjiru = await add_consultant("Wanjiru Kamau")
    booking = await book(make_request())
    await deactivate_consultant(wanjiru)
    moved = await do_move(token_of(booking), tuesday_at(14))
    assert (moved.consultant_id, moved.person, moved.seat) == (None, "", 0)


async def test_a_consultant_is_changed_by_one_editor_at_a_time() -> None:
    wanjiru = await add_consultant("Wanjiru Kamau")
    request = consultant_form("Wanjiru Njeri")
    await save_consultant(wanjiru, request)
    with pytest.raises(StaleRecord) as stale:
        await save_consultant(wanjiru, request)
    assert stale.value.current.fields["name"] == "Wanjiru Njeri"
    for reference in ("CO-AAAAAA", "\ud800", ""):
        with pytest.raises(NotFound):
            await records.find(CONSULTANTS, reference)


async def test_each_consultant_has_a_seat_and_fifty_are_enough() -> None:
    records = [await add_consultant(f"Person {chr(65 + n % 26)}{'x' * (n // 26)}") for n in range(50)]
    assert [record.seat for record in records] == list(range(50))
    with pytest.raises(Conflict, match="50 consultants"):
        await add_consultant("Wanjiru Kamau")
    assert len(await do(list_active)) == 50


async def test_a_reminder_has_the_link_and_name_of_now(make_request: RequestFactory) -> None:
    brian = await add_consultant("Brian Otieno", video="on", video_link="https://meet.example/old")
    await book(make_request(way="video"))
    request = consultant_form("Brian Kiprono", video="on", video_link="https://meet.example/new")
    await save_consultant(brian, request)
    with clock.frozen(tuesday_at(11) - timedelta(hours=24)):
        assert await remind_due() == 1
    async with read_scope() as session:
        (reminder,) = [
            mail for mail in await list_newest_messages(session) if mail.kind == "booking-reminder"
        ]
    assert "https://meet.example/new" in reminder.text
    assert "Brian Kiprono" in reminder.text


async def test_an_export_names_service_and_way_which_outlive_erasure(make_request: RequestFactory) -> None:
    await book(make_request(way="phone", service="web-design"))
    async with session_scope() as session:
        (exported,) = await personal_data.BOOKINGS.export(session, "amina@example.com", "")
        await personal_data.BOOKINGS.erase(session, "amina@example.com", "", ACTOR)
    assert (exported["service"], exported["way"]) == ("web-design", "phone")
    (erased,) = await all_bookings()
    assert (erased.fullname, erased.service, erased.way) == ("", "web-design", Way.PHONE)


async def test_the_pause_lies_between_a_consultation_and_a_private_event_too(
    make_request: RequestFactory,
) -> None:
    wanjiru = await add_consultant("Wanjiru Kamau")
    await add_busy_time(tuesday_at(9), tuesday_at(10), wanjiru.id)
    await add_busy_time(tuesday_at(17), tuesday_at(18), wanjiru.id, "Evening")
    assert await free_times() == ["11:00", "14:00", "16:00"]
    await override_policy(buffer_minutes=100)
    assert await free_times() == ["14:00"]
    for time in ("11:00", "16:00"):
        with pytest.raises(SlotTaken):
            await book(make_request(time=time))
        with pytest.raises(Conflict, match="is busy in"):
            await book_for_caller(time=time)
    await add_consultant("Brian Otieno")
    booking = await book(make_request())
    assert booking.person == "Brian Otieno"
    with pytest.raises(Conflict, match="is not free"):
        await do(staff_usecases.assign_person, booking.reference, booking.version, wanjiru.reference, ACTOR)


@pytest.mark.parametrize(
    ("time", "choice", "message"),
    [
        ("16:00", {"person": "Brian"}, "Brian Otieno does not work at 16:00 on Tuesday 24 November."),
        ("16:00", {"way": "video"}, "There is no consultation in this way at 16:00"),
        ("09:00", {}, "There is no consultation at 09:00"),
        ("11:00", {"way": "phone"}, "We do not meet clients in this way."),
    ],
)
async def test_a_time_at_which_the_chosen_person_does_not_work_is_not_called_taken(
    make_request: RequestFactory, time: str, choice: dict[str, str], message: str
) -> None:
    brian = await add_consultant("Brian Otieno", video="on", karen="on", tuesday="11:00-14:30")
    await add_consultant("Wanjiru Kamau", karen="on", tuesday="11:00-17:00")
    if "person" in choice:
        choice = {"person": brian.reference}
    with pytest.raises(InputRejected, match=message):
        await book(make_request(time=time, **choice))
    await book(make_request(time="11:00", person=brian.reference))
    with pytest.raises(SlotTaken):
        await book(make_request(time="11:00", person=brian.reference))
