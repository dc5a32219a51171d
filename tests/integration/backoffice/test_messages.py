"""Staff write to the person of a record and copy its private link: dialogs, permissions, audit entries."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import datetime
from typing import Any

import pytest
from sqlmodel import col, select, update

from agency_site import clock
from agency_site.auth.rules import Role
from agency_site.auth.tables import AuditEntry
from agency_site.backoffice.clients import ClientMessages
from agency_site.backoffice.lists.definition import ActionOptions, read_query
from agency_site.backoffice.lists.query import count_of, page_of
from agency_site.backoffice.lists.state import lines_of
from agency_site.backoffice.record_page import RecordState
from agency_site.backoffice.texts.dialog import COPY, MESSAGE, MessageDialog
from agency_site.backoffice.texts.messages import TEXTS
from agency_site.content.staff_texts import LINK
from agency_site.db.engine import read_scope, session_scope
from agency_site.features.academy.admin.learners.messages import LearnerMessages
from agency_site.features.academy.admin.waiting_list.links import WaitingLinks
from agency_site.features.booking import personal_data
from agency_site.features.booking.admin.bookings.messages import BookingMessages
from agency_site.features.booking.bookings.tables import Booking
from agency_site.features.booking.bookings.usecases import find_by_token
from agency_site.features.checkout.admin.orders.messages import OrderMessages
from agency_site.features.webinars.admin.list import RegistrationLinks
from agency_site.features.webinars.request import RegistrationRequest
from agency_site.features.webinars.usecases import register
from agency_site.form_input import read_form
from agency_site.settings import settings
from agency_site.settings.sms import SmsSettings
from agency_site.sms.rules import TextState
from agency_site.sms.tables import SmsMessage
from agency_site.sms.usecases import find_link_target, stop
from tests.integration.backoffice.conftest import Tab, enter, hire, open_tab
from tests.integration.features.academy.learners import buy, find_link, list_learners
from tests.integration.features.academy.runs import open_run
from tests.integration.features.academy.waiting import fill_run, join
from tests.integration.features.academy.waiting import find_token as find_waiting_token
from tests.integration.features.booking.staff import book_for_caller, do
from tests.integration.features.checkout.conftest import orders
from tests.integration.features.webinars.test_registrations import FORM as REGISTRATION
from tests.integration.features.webinars.test_registrations import find_token as find_registration_token
from tests.integration.staff_sessions import OWNER

pytestmark = pytest.mark.usefixtures("database", "noon")

KEY = "0123456789abcdef" * 2
STATES = (BookingMessages, OrderMessages, LearnerMessages, WaitingLinks, RegistrationLinks, ClientMessages)


async def open_page(page: type[MessageDialog], role: Role = Role.OWNER, path: str = "/admin/booking") -> Tab:
    """Return a page that a member of staff of that role has open."""
    email = f"{role.value}@mwanga.example"
    await hire(email, role)
    return Tab(page, (await enter(email)).token, path)


async def list_texts() -> list[SmsMessage]:
    async with read_scope() as session:
        return list(await session.exec(select(SmsMessage).order_by(col(SmsMessage.id))))


async def list_audited(*actions: str) -> list[tuple[str, str, str]]:
    """Return action, record and detail of the entries of those actions, the oldest first."""
    query = select(AuditEntry).where(col(AuditEntry.action).in_(actions)).order_by(col(AuditEntry.id))
    async with read_scope() as session:
        return [(entry.action, entry.reference, entry.detail) for entry in await session.exec(query)]


async def change_phone(reference: str, phone: str) -> None:
    async with session_scope() as session:
        await session.exec(update(Booking).where(col(Booking.reference) == reference).values(phone=phone))


async def test_staff_send_a_template_with_the_private_link_of_a_booking() -> None:
    booking = await book_for_caller()
    tab = await open_page(BookingMessages, Role.FRONT_DESK)
    await tab.run("write_message", reference=booking.reference)
    state = tab.state
    assert (state.panel, state.recipient, state.digits) == (
        MESSAGE,
        "Brian Kiptoo, 0733 111 222",
        "254733111222",
    )
    assert [option.text for option in state.templates] == [
        "Link to the booking",
        "Please call us",
        "We tried to call",
    ]
    assert state.first_text.startswith("Hello Brian, your consultation")
    assert "in 1 message, KES 0.80." in state.length
    await tab.run("send_message", form={"text": state.first_text})
    assert (state.panel, state.link, state.done) == ("", "", "The text message is being sent.")
    [row] = await list_texts()
    assert (row.to, row.about, row.requested_by) == (
        "+254733111222",
        booking.reference,
        "front_desk@mwanga.example",
    )
    async with read_scope() as session:
        private = await find_link_target(session, row.text.rpartition("/")[2])
        assert (await find_by_token(session, private.rpartition("/")[2])).reference == booking.reference
    assert await list_audited("link.copied", "text.sent") == [
        ("link.copied", booking.reference, ""),
        ("text.sent", str(row.id), booking.reference),
    ]


async def test_another_template_and_the_length_of_what_is_typed() -> None:
    tab = await open_page(BookingMessages)
    await tab.run("write_message", reference=(await book_for_caller()).reference)
    await tab.run("choose_template", key="call")
    assert (tab.state.template, LINK in tab.state.first_text) == ("call", False)
    await tab.run("choose_template", key="unknown")
    assert tab.state.template == "call"
    await tab.run("measure", text="x" * 161)
    assert tab.state.length == "161 characters, 145 left in 2 messages, KES 1.60."


async def test_placeholders_are_named_filled_and_counted_and_unknown_ones_refused_at_the_field() -> None:
    booking = await book_for_caller()
    tab = await open_page(BookingMessages)
    await tab.run("write_message", reference=booking.reference)
    assert tab.state.placeholders == "{name}, {first_name}, {agency}, {reference}, {time}, {way}, {link}"
    await tab.run("measure", text="Hello {name}. {reference}")
    filled = f"Hello Brian Kiptoo. {booking.reference}"
    assert tab.state.length.startswith(f"{len(filled)} characters, ")
    await tab.run("send_message", form={"text": "Hello {firstname}"})
    assert "The known ones are: {name}" in tab.state.errors["text"]
    await tab.run("send_message", form={"text": "Hello {name}. {reference}"})
    assert [row.text for row in await list_texts()] == [filled]


async def test_a_form_that_arrives_twice_sends_one_message() -> None:
    tab = await open_page(BookingMessages)
    tab.back_office._begin()
    await tab.run("write_message", reference=(await book_for_caller()).reference)
    form = {"text": "Please call us.", "submission": KEY}
    await tab.run("send_message", form=form)
    await tab.run("send_message", form=form)
    assert len(await list_texts()) == 1
    assert tab.back_office.answer == {"key": KEY, "outcome": "saved"}


@pytest.mark.each_database
async def test_two_browsers_with_the_same_text_send_one_message() -> None:
    booking = await book_for_caller()
    tabs = [await open_page(BookingMessages), await open_page(BookingMessages, Role.FRONT_DESK)]
    for tab in tabs:
        await tab.run("write_message", reference=booking.reference)
    await asyncio.gather(*(tab.run("send_message", form={"text": "Please call us."}) for tab in tabs))
    assert len(await list_texts()) == 1
    assert sorted("minute ago" in tab.state.problem for tab in tabs) == [False, True]
    assert len(await list_audited("text.sent")) == 1


@pytest.mark.parametrize("text", ["", "   ", "😀" * 290, "a\x00b"])
async def test_a_text_that_cannot_be_sent_is_explained_at_its_field(text: str) -> None:
    tab = await open_page(BookingMessages)
    await tab.run("write_message", reference=(await book_for_caller()).reference)
    await tab.run("send_message", form={"text": text})
    assert (tab.state.panel, set(tab.state.errors)) == (MESSAGE, {"text"})
    assert await list_texts() == []


async def test_who_stopped_and_who_lives_abroad_get_no_sms_but_whatsapp() -> None:
    booking = await book_for_caller()
    tab = await open_page(BookingMessages)
    async with session_scope() as session:
        await stop(session, booking.phone)
    await tab.run("write_message", reference=booking.reference)
    assert "STOP" in tab.state.why_not
    await tab.run("send_message", form={"text": "Please call us."})
    assert "STOP" in tab.state.problem
    await change_phone(booking.reference, "+447911123456")
    await tab.run("write_message", reference=booking.reference)
    assert "outside Kenya" in tab.state.why_not
    assert tab.state.recipient == "Brian Kiptoo, +44 7911 123456, outside Kenya"
    assert tab.state.digits == "447911123456"
    assert await list_texts() == []


async def test_nothing_goes_to_a_number_that_the_dialog_did_not_show() -> None:
    booking = await book_for_caller()
    tab = await open_page(BookingMessages)
    await tab.run("write_message", reference=booking.reference)
    await change_phone(booking.reference, "+254700111222")
    await tab.run("send_message", form={"text": "Please call us."})
    assert "has changed" in tab.state.problem
    assert await list_texts() == []


async def test_without_a_provider_the_page_says_that_the_message_stays_here(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # Production itself would ask for a second factor first.
    monkeypatch.setattr(SmsSettings, "has_sms_provider", False)
    tab = await open_page(BookingMessages)
    await tab.run("write_message", reference=(await book_for_caller()).reference)
    await tab.run("send_message", form={"text": "Please call us."})
    assert "stays in the outbox" in tab.state.done
    assert [row.state for row in await list_texts()] == [TextState.KEPT]


async def test_in_quiet_hours_the_page_says_when_the_message_goes_out(noon: datetime) -> None:
    booking = await book_for_caller()
    with clock.frozen(noon.replace(hour=20)):
        tab = await open_page(BookingMessages)
        await tab.run("write_message", reference=booking.reference)
        await tab.run("send_message", form={"text": "Please call us."})
    assert tab.state.done == "Quiet hours: the text message is sent on Sat 21 Nov 2026, 07:00."


async def test_an_erased_booking_has_neither_link_nor_number() -> None:
    booking = await book_for_caller()
    await do(personal_data.BOOKINGS.erase, booking.email, "", "amina@mwanga.example")
    tab = await open_page(BookingMessages)
    await tab.run("show_link", reference=booking.reference)
    assert (tab.state.panel, tab.state.problem) == ("", "This record has no private link.")
    await tab.run("write_message", reference=booking.reference)
    assert (tab.state.link, tab.state.digits, tab.state.why_not) == ("", "", "There is no phone number.")
    assert "booking" not in [option.value for option in tab.state.templates]
    assert await list_audited("link.copied") == []


@pytest.mark.parametrize("role", [Role.VIEWER, Role.FINANCE, Role.EDITOR, Role.TRAINER])
async def test_the_link_of_a_booking_is_for_staff_who_work_on_bookings(role: Role) -> None:
    booking = await book_for_caller()
    tab = await open_page(BookingMessages, role)
    for handler in ("write_message", "show_link"):
        await tab.run(handler, reference=booking.reference)
        assert (tab.state.panel, tab.state.link, tab.state.recipient) == ("", "", "")
        assert "access" in tab.back_office.refusal
    assert await list_audited("link.copied") == []


async def test_a_trainer_copies_links_of_the_own_runs_learners_and_sends_no_sms() -> None:
    await hire("trainer@mwanga.example", Role.TRAINER)
    own, foreign = await open_run(trainer_email="trainer@mwanga.example"), await open_run()
    await buy(1, own.reference)
    await buy(1, foreign.reference, "baraka@example.com")
    own_learner, other = await list_learners()
    tab = Tab(LearnerMessages, (await enter("trainer@mwanga.example")).token, "/admin/learner")
    await tab.run("show_link", reference=other.reference)
    assert (tab.state.panel, tab.state.link) == ("", "")
    await tab.run("show_link", reference=own_learner.reference)
    assert (tab.state.panel, tab.state.link) == (COPY, f"{settings().site_url}/learner/{await find_link()}")
    await tab.run("write_message", reference=own_learner.reference)
    await tab.run("send_message", form={"text": "Karibu."})
    assert "access" in tab.back_office.refusal
    assert await list_texts() == []


async def of_order() -> tuple[str, str]:
    token = await buy()
    return (await orders())[0].reference, f"/order/{token}"


async def of_waiting_entry() -> tuple[str, str]:
    entry = await join(await fill_run())
    return entry.reference, f"/waiting/{await find_waiting_token()}"


async def of_registration() -> tuple[str, str]:
    record = await do(register, read_form(RegistrationRequest, REGISTRATION))
    return record.reference, f"/registration/{await find_registration_token(record.reference)}"


@pytest.mark.parametrize(
    ("page", "store"),
    [(OrderMessages, of_order), (WaitingLinks, of_waiting_entry), (RegistrationLinks, of_registration)],
)
async def test_each_record_gives_its_own_link_and_the_audit_log_names_it(
    page: type[MessageDialog], store: Callable[[], Awaitable[tuple[str, str]]]
) -> None:
    reference, path = await store()
    tab = await open_page(page)
    await tab.run("show_link", reference=reference.lower())
    assert (tab.state.panel, tab.state.link) == (COPY, f"{settings().site_url}{path}")
    assert await list_audited("link.copied") == [("link.copied", reference, "")]
    await tab.run("close_message")
    assert (tab.state.panel, tab.state.link) == ("", "")


async def test_a_client_gets_a_message_that_the_audit_log_stores_without_the_number() -> None:
    booking = await book_for_caller()
    tab = await open_page(ClientMessages, path=f"/admin/client?list=bookings&ref={booking.reference}")
    await tab.run("write_message", reference="")
    assert (tab.state.recipient, tab.state.link) == ("Brian Kiptoo, 0733 111 222", "")
    await tab.run("send_message", form={"text": "Please call us."})
    ((_, _, person),) = await list_audited("text.sent")
    assert person.startswith("PN-")
    assert [row.to for row in await list_texts()] == ["+254733111222"]
    tab.go_to("/admin/client?list=bookings&ref=BK-AAAAAA")
    await tab.run("write_message", reference="")
    assert tab.state.problem == "There is no client at this address."


ODD: tuple[Any, ...] = (
    None,
    7,
    [],
    {},
    "\x00",
    "\ud800",
    "BK-AAAAAA",
    "x" * 9_000,
    {"text": 1},
    {"text": "\ud800"},
)


@pytest.mark.parametrize("page", STATES)
async def test_handlers_bear_any_argument_and_no_open_record(page: type[MessageDialog]) -> None:
    tab = await open_page(page)
    for odd in ODD:
        for handler, name in (
            ("write_message", "reference"), ("show_link", "reference"), ("choose_template", "key"), ("measure", "text"),
            ("send_message", "form"),
        ):  # fmt: skip
            await tab.run(handler, **{name: odd})
            assert tab.state.panel == ""
    await tab.run("close_message")
    assert await list_texts() == []


async def send_one() -> SmsMessage:
    booking = await book_for_caller()
    tab = await open_page(BookingMessages, Role.FRONT_DESK)
    await tab.run("write_message", reference=booking.reference)
    await tab.run("send_message", form={"text": f"Your booking: {LINK}"})
    return (await list_texts())[-1]


async def fail(row: SmsMessage) -> None:
    async with session_scope() as session:
        values = {"state": TextState.FAILED, "last_error": "Absent subscriber"}
        await session.exec(update(SmsMessage).where(col(SmsMessage.id) == row.id).values(**values))


async def test_the_page_of_a_message_hides_its_link_and_resends_it_once() -> None:
    row = await send_one()
    await hire()
    tab = await open_tab(RecordState, f"/admin/text?id={row.id}")
    assert tab.state.facts["text"] == "Your booking: [hidden link]"
    assert (tab.state.facts["label"], tab.state.facts["heading"]) == ("Written by staff", "0733 111 222")
    assert (tab.state.facts["state"], tab.state.possible) == ("Queued", [])
    await fail(row)
    await tab.run("refresh")
    assert (tab.state.facts["state"], tab.state.facts["error"]) == ("Failed", "Absent subscriber")
    assert (tab.state.facts["refusal"], tab.state.possible) == ("", ["resend"])
    await tab.run("run", key="resend", form={})
    assert tab.state.done == "Text message resent."
    assert [line.href for line in tab.state.related["copies"]] == [f"/admin/text?id={(row.id or 0) + 1}"]
    assert "resent already" in tab.state.facts["refusal"]
    await tab.run("run", key="resend", form={})
    assert "resent already" in tab.state.problem
    assert await list_audited("text.resent") == [("text.resent", str(row.id), "")]
    assert len(await list_texts()) == 2


@pytest.mark.parametrize("reference", ["", "0", "abc", "99999999999", "4711"])
async def test_an_address_of_no_message_is_reported(reference: str) -> None:
    await hire()
    tab = await open_tab(RecordState, f"/admin/text?id={reference}")
    await tab.run("run", key="resend", form={})
    assert (tab.state.reference, tab.state.facts) == ("", {})
    assert tab.state.problem == "This message does not exist."


async def list_rows_shown(**query: str) -> list[dict[str, str]]:
    definition = TEXTS.definition
    list_query = read_query(definition, query)
    async with read_scope() as session:
        lines = lines_of(definition, list_query, await page_of(session, definition, list_query))
        assert await count_of(session, definition, list_query) == len(lines)
    return [{field.label: field.text for field in line.fields} for line in lines]


async def test_the_list_is_searched_by_number_and_reference_and_filtered_by_state() -> None:
    row = await send_one()
    (line,) = await list_rows_shown(q=row.about)
    assert (line["To"], line["Type"], line["State"], line["Parts"]) == (
        "0733 111 222",
        "Written by staff",
        "Queued",
        "1",
    )
    assert await list_rows_shown(q="0733 111 222") == [line]
    assert await list_rows_shown(q="0733 111 223") == []
    assert await list_rows_shown(kind="booking-confirmed", state="failed") == []
    await fail(row)
    (failed,) = await list_rows_shown(state="waiting")
    assert failed["Error"] == "Absent subscriber"
    async with session_scope() as session:
        (action,) = TEXTS.definition.actions
        outcomes = await action.run(session, [str(row.id), "4711", "x"], OWNER, ActionOptions())
    assert [why_not for _, why_not in outcomes] == [
        "",
        "This message does not exist.",
        "This message does not exist.",
    ]
    assert await list_rows_shown(state="waiting") == []
