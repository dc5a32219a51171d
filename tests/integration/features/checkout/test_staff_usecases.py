"""Use cases of staff for an order: read it and change it."""

import asyncio

import pytest

from agency_site.db.engine import read_scope, session_scope
from agency_site.errors import Conflict, InputRejected, NotFound, StaleRecord
from agency_site.features.checkout.order_details.queries import find_order_detail
from agency_site.features.checkout.order_details.records import OrderRecord
from agency_site.features.checkout.order_details.staff_usecases import (
    add_note,
    change_contact,
    resend_receipt,
)
from agency_site.features.checkout.orders.request import Enrollee
from agency_site.features.checkout.orders.staff_request import read_address, read_contact, read_note
from agency_site.mail.staff_usecases import OutboxEntry
from agency_site.mail.tables import OutboxMessage
from tests.example_records import FREE_COURSE
from tests.integration.features.checkout.conftest import (
    Shop,
    history,
    mails,
    order_body,
    orders,
    payments,
    rows,
)
from tests.integration.features.checkout.orders import OTHER, STAFF, enrol_free, order_detail, refund

CONTACT = {
    "first_name": "Amina",
    "last_name": "Odhiambo",
    "email": "amina.o@example.com",
    "phone": "0722 000 111",
}


async def correct(version: int, actor: str = STAFF, **changes: str) -> OrderRecord:
    reference = (await orders())[0].reference
    async with session_scope() as session:
        return await change_contact(session, reference, version, read_contact({**CONTACT, **changes}), actor)


async def send_again(address: str = "") -> OutboxEntry:
    reference = (await orders())[0].reference
    async with session_scope() as session:
        return await resend_receipt(session, reference, STAFF, read_address({"address": address}))


async def test_the_order_detail_has_every_payment_callback_query_event_note_and_mail(shop: Shop) -> None:
    await shop.paid("001")
    await shop.control.post("next", result_code="0", copies=2)
    await shop.retried()
    await shop.paid("600", email="else@example.com")
    await shop.later(76)
    async with session_scope() as session:
        note = await add_note(
            session, (await orders())[0].reference, read_note({"note": " asked by\nphone "}), OTHER
        )
    detail = await order_detail()
    assert [payment.state for payment in detail.payments] == ["failed", "paid"]
    assert [[callback.result_code for callback in payment.callbacks] for payment in detail.payments] == [
        ["1"],
        ["0"],
    ]
    assert detail.payments[1].callbacks[0].deliveries == 2
    assert "254712345001" not in detail.payments[1].callbacks[0].body
    assert (detail.notes, note.text, note.author) == ((note,), "asked by\nphone", OTHER)
    assert detail.enrolment is not None
    assert [mail.kind for mail in detail.mails] == ["payment-unpaid", "enrolment-confirmed", "staff-enrolled"]
    assert [event.to_state for event in detail.events if event.payment_id == detail.payments[1].id][
        -1
    ] == "paid"
    other = await order_detail(1)
    assert [query.outcome for query in other.payments[0].status_queries] == ["paid"]
    assert other.mails == ()


async def test_a_reference_is_found_as_people_write_it(shop: Shop) -> None:
    await shop.paid()
    reference = (await orders())[0].reference
    async with read_scope() as session:
        assert (await find_order_detail(session, f" {reference.lower()} ")).order.reference == reference
        for wrong in ("", "EN-000000", "%"):
            with pytest.raises(NotFound):
                await find_order_detail(session, wrong)


async def test_an_edited_contact_is_stored_and_searchable_and_the_history_has_the_old_one(shop: Shop) -> None:
    await shop.paid()
    before = (await orders())[0]
    changed = await correct(before.version)
    assert (changed.email, changed.phone, changed.last_name) == (
        "amina.o@example.com",
        "+254722000111",
        "Odhiambo",
    )
    order = (await orders())[0]
    assert order.version == before.version + 1
    assert all(
        word in order.search for word in (order.reference.lower(), "odhiambo", "amina.o@", "0722000111")
    )
    event = (await order_detail()).events[-1]
    assert (event.actor, event.from_state) == (STAFF, event.to_state)
    assert event.why.splitlines() == [
        "contact edited",
        "last_name: Wanjirũ → Odhiambo",
        "email: amina111@example.com → amina.o@example.com",
        "phone: +254712345111 → +254722000111",
    ]


@pytest.mark.each_database
async def test_of_two_who_correct_at_once_the_second_sees_the_first_and_loses_nothing(shop: Shop) -> None:
    await shop.paid()
    version = (await orders())[0].version
    ends = await asyncio.gather(
        correct(version, first_name="One"), correct(version, OTHER, first_name="Two"), return_exceptions=True
    )
    (done,) = [end for end in ends if isinstance(end, OrderRecord)]
    (refused,) = [end for end in ends if isinstance(end, StaleRecord)]
    assert refused.current.order == done
    assert (await orders())[0].first_name == done.first_name
    chosen = await correct(refused.current.order.version, OTHER, first_name="Three")
    assert chosen.version == version + 2


async def test_a_payment_that_settles_meanwhile_is_seen_before_the_contact_is_changed(shop: Shop) -> None:
    await shop.control.post("next", hold=True)
    started = (await shop.pay()).json()
    version = (await orders())[0].version
    await shop.control.post("answer", checkout_request_id=started["CheckoutRequestID"])
    await shop.control.settled()
    with pytest.raises(StaleRecord) as changed:
        await correct(version)
    assert changed.value.current.order.state == "paid"


async def test_a_contact_that_cannot_be_changes_nothing(shop: Shop) -> None:
    await shop.paid()
    before = (await orders())[0]
    with pytest.raises(InputRejected) as refused:
        await correct(before.version, email="nobody", phone="12")
    assert refused.value.by_field().keys() == {"email", "phone"}
    assert (await orders())[0] == before


async def test_the_receipt_goes_again_to_the_order_or_to_a_corrected_address(shop: Shop) -> None:
    await shop.paid()
    first = await send_again()
    second = await send_again(" other@example.com ")
    assert (first.to, second.to) == ("amina111@example.com", "other@example.com")
    assert first.requested_by == STAFF
    outbox_messages = (await rows(OutboxMessage))[-1]
    assert (outbox_messages.kind, [part["filename"] for part in outbox_messages.attachments]) == (
        "enrolment-confirmed",
        [f"receipt-{(await orders())[0].reference}.pdf"],
    )
    # Staff choose that address, so it must not get the link that opens the order.
    own, other = (await rows(OutboxMessage))[-2:]
    assert ("/order/" in own.text, "/order/" in other.text + other.html) == (True, False)
    assert (await orders())[0].email == "amina111@example.com"
    with pytest.raises(Conflict, match="within the last minute"):
        await send_again()
    with pytest.raises(InputRejected):
        await send_again("nobody")
    events = [event.why for event in (await order_detail()).events]
    assert [why for why in events if "sent again" in why] == [
        "confirmation sent again to the order's address",
        "confirmation sent again to another address",
    ]
    assert "other@example.com" not in " ".join(events)


async def test_without_payment_or_after_a_refund_there_is_no_receipt_to_send(shop: Shop) -> None:
    await shop.paid("001")
    with pytest.raises(Conflict, match="not paid"):
        await send_again()
    await shop.control.post("next", result_code="0")
    await shop.retried()
    await refund(number=1)
    with pytest.raises(Conflict, match="not paid"):
        await send_again()


async def test_the_confirmation_of_a_free_course_goes_again_too(shop: Shop) -> None:
    free = {**order_body(), "courseName": FREE_COURSE.payment_name}
    await enrol_free(session_scope, Enrollee.model_validate(free))
    assert (await send_again()).kind == "enrolment-confirmed"
    assert (await mails(), await payments(), await history()) == (
        ["enrolment-asked", "enrolment-confirmed", "staff-enrolled", "enrolment-confirmed"],
        [],
        [],
    )


async def test_a_note_needs_an_order_and_words(shop: Shop) -> None:
    await shop.paid()
    async with session_scope() as session:
        with pytest.raises(NotFound):
            await add_note(session, "EN-000000", "text", STAFF)
    with pytest.raises(InputRejected):
        read_note({"note": "  "})
    assert (await order_detail()).notes == ()
