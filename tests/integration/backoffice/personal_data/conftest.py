"""A visitor who used all features of the site, and the back office that handles their data request."""

from typing import Any

import pytest
from sqlalchemy import text

from agency_site import staff_application
from agency_site.auth.tables import SavedView
from agency_site.backoffice.personal_data import data_requests
from agency_site.db.engine import read_scope, session_scope
from agency_site.db.tables import metadata
from agency_site.features.academy.reservations.usecases import take_places
from agency_site.features.academy.waiting_list import usecases as waiting_list
from agency_site.features.academy.waiting_list.request import WaitingRequest
from agency_site.features.booking.bookings import staff_usecases as booking_staff
from agency_site.features.booking.bookings import usecases as booking
from agency_site.features.booking.bookings.request import BookingRequest
from agency_site.features.booking.bookings.staff_request import ClientBookingRequest
from agency_site.features.checkout.order_details.staff_usecases import add_note as note_order
from agency_site.features.comments import usecases as comments
from agency_site.features.comments.admin.comments import COMMENTS
from agency_site.features.comments.request import CommentRequest
from agency_site.features.contact import usecases as enquiries
from agency_site.features.contact.request import ContactMessage, PlanSignup
from agency_site.features.newsletter import usecases as newsletter
from agency_site.features.newsletter.admin.subscribers import SUBSCRIBERS
from agency_site.features.newsletter.request import ConsentedSubscription
from agency_site.features.webinars.request import RegistrationRequest
from agency_site.features.webinars.usecases import register
from agency_site.form_input import read_form
from agency_site.sms import usecases as texts
from agency_site.sms.rules import TextMessage, TextPurpose
from tests import records
from tests.example_records import THIRD_COURSE, WEBINAR
from tests.integration.backoffice.conftest import on_duty
from tests.integration.features.academy.runs import open_run
from tests.integration.features.checkout.conftest import Shop, orders, shop
from tests.integration.features.contact.enquiries import add_note, reply, stored_enquiries

__all__ = ["shop"]

EMAIL, PHONE, NAME = "amina111@example.com", "0712 345 111", "Amina Wanjirũ"
TRACES = ("amina", "wanjir", "712345111", "712 345 111")
"""Texts that must not remain after erasing."""
ACTOR = "otieno@mwanga.example"
ARTICLE = "digitalmarketing-blog"


@pytest.fixture(autouse=True)
def sources(monkeypatch: pytest.MonkeyPatch) -> None:
    """All sources of personal data, as the composition root hands them in."""
    monkeypatch.setattr(data_requests, "_sources", list(staff_application.DATA_SOURCES))


async def do(verb: Any, *arguments: Any, **named: Any) -> Any:
    """Run a use case in a session of its own."""
    async with session_scope() as session:
        return await verb(session, *arguments, **named)


async def leave_traces(shop: Shop) -> None:
    """Use all features as the visitor, and add notes by staff."""
    await shop.paid("111", key="amina-pays-once")
    await do(note_order, (await orders())[0].reference, "Amina called about her course.", ACTOR)
    await _wait()
    await _book()
    await _write()
    await _read()
    await _text()
    await _keep_a_view()


async def _wait() -> None:
    run = await open_run(course_slug=THIRD_COURSE.slug, capacity="1")
    await do(take_places, run.id, 1)
    form = {"fullName": NAME, "email": EMAIL, "phone": PHONE}
    await do(waiting_list.join_waiting_list, run.reference, read_form(WaitingRequest, form))


async def _book() -> None:
    person = {"fullname": NAME, "emailaddress": EMAIL, "phonenumber": PHONE, "message": "Amina's shop."}
    request = BookingRequest.model_validate({**person, "date": "2026-11-24", "time": "11:00"})
    booking_ = await do(booking.book, request)
    await do(booking_staff.add_note, booking_.reference, "Amina comes with her brother.", ACTOR)
    by_hand = {**person, "emailaddress": "", "date": "2026-11-25", "time": "11:00"}
    await do(booking_staff.book_for_client, ClientBookingRequest.model_validate(by_hand), ACTOR, notify=False)


async def _write() -> None:
    message = {
        "name": NAME,
        "email": EMAIL,
        "subject": "Amina's shop",
        "message": "I am Amina. Call 0712 345 111.",
    }
    await do(enquiries.receive_message, read_form(ContactMessage, message))
    signup = {
        "fullName": NAME,
        "email": EMAIL,
        "phone": PHONE,
        "domainType": "new",
        "domainName": "amina.co.ke",
    }
    await do(enquiries.receive_signup, read_form(PlanSignup, {**signup, "plan": "Growth"}))
    reference = (await stored_enquiries())[0].reference
    await reply(reference, 1, "Dear Amina, yes.", ACTOR)
    await add_note(reference, "Amina again.")
    registration = {"webinar": WEBINAR.id, "fullName": NAME, "email": EMAIL, "phone": PHONE}
    await do(register, read_form(RegistrationRequest, registration))


async def _text() -> None:
    number = "+254712345111"
    await do(texts.give_consent, number)
    await do(texts.enqueue_text, TextMessage("staff", number, "Amina, call us.", TextPurpose.STAFF))


async def _read() -> None:
    comment = {"article": ARTICLE, "name": NAME, "email": EMAIL, "website": "", "comment": "Amina was here."}
    received = await do(comments.receive_comment, read_form(CommentRequest, comment))
    await records.act(COMMENTS, "reject", received.reference, ACTOR, {"reason": "Amina advertises."})
    form = read_form(ConsentedSubscription, {"email": EMAIL, "consent": "on", "interest-seo": "on"})
    subscriber = await do(newsletter.subscribe, form, "newsletter")
    reason = {"reason": "Amina asked for it by phone."}
    await records.act(SUBSCRIBERS, "unsubscribe", subscriber.reference, ACTOR, reason)


async def _keep_a_view() -> None:
    who = await on_duty("front@mwanga.example")
    async with session_scope() as session:
        session.add(
            SavedView(account_id=who.account_id, list_name="bookings", name="Her", query=f"q={EMAIL}")
        )


async def whole_database() -> str:
    """Return every value of every table, as text in lower case with a row per line."""
    async with read_scope() as session:
        connection = await session.connection()
        parts = []
        for table in metadata.sorted_tables:
            rows = await connection.execute(text(f'SELECT * FROM "{table.name}"'))
            parts += [f"{table.name}: {row}" for row in rows]
    return "\n".join(sorted(parts)).lower()


async def table_text(name: str) -> str:
    """Return every value of a table."""
    return "\n".join(line for line in (await whole_database()).splitlines() if line.startswith(f"{name}:"))
