"""Personal data in orders is exported, and erased so that the totals stay as they were."""

import json
from typing import Any

import pytest
from sqlalchemy import text

from agency_site.db.engine import read_scope, session_scope
from agency_site.db.tables import metadata
from agency_site.errors import Conflict, InputRejected
from agency_site.features.checkout.buying.order_status import find_order
from agency_site.features.checkout.buying.usecases import retry_payment
from agency_site.features.checkout.order_details.staff_usecases import (
    add_note,
    change_contact,
    resend_receipt,
)
from agency_site.features.checkout.orders.rules import OrderState
from agency_site.features.checkout.orders.staff_request import Contact
from agency_site.features.checkout.payments.gateway import gateway
from agency_site.features.checkout.payments.rules import PaymentState
from agency_site.features.checkout.personal_data import erase, export
from agency_site.mail import personal_data as mail_people
from tests.integration.features.checkout.conftest import (
    Shop,
    callback_for,
    enrolments,
    inbox,
    mails,
    order_token,
    orders,
    payments,
)
from tests.integration.features.checkout.orders import (
    FRIDAY,
    STAFF,
    list_discrepancy_kinds,
    order_detail,
    refund,
    report,
    resolve,
    under_review,
)

EMAIL, PHONE = "amina111@example.com", "0712 345 111"
TRACES = ("amina", "wanjir", "712345111")


async def erase_person(email: str = EMAIL, phone: str = "") -> int:
    async with session_scope() as session:
        return await erase(session, email, phone, STAFF)


async def exported(email: str = EMAIL, phone: str = "") -> list[dict[str, Any]]:
    async with read_scope() as session:
        return await export(session, email, phone)


async def whole_database() -> str:
    """Return every value of every table, as text in lower case."""
    async with read_scope() as session:
        connection = await session.connection()
        parts = []
        for table in metadata.sorted_tables:
            result = await connection.execute(text(f'SELECT * FROM "{table.name}"'))
            parts += [str(row) for row in result]
    return "\n".join(parts).lower()


async def test_everything_stored_is_exported_as_json(shop: Shop) -> None:
    await shop.paid("111", key="once")
    await shop.paid("112")
    (record,) = await exported(EMAIL.upper())
    assert (record["record"], record["reference"]) == ("order", (await orders())[0].reference)
    again = json.loads(json.dumps(record))
    assert again["order"]["email"] == EMAIL
    assert again["payments"][0]["callbacks"][0]["receipt"] == (await payments())[0].receipt
    assert again["enrolment"]["places"] == 1
    assert [record["reference"] for record in await exported("", PHONE)] == [record["reference"]]
    assert (await exported("", ""), await exported("nobody@example.com")) == ([], [])
    with pytest.raises(InputRejected):
        await exported("", "12")


async def test_amounts_and_receipts_stay_and_the_personal_data_is_erased(shop: Shop) -> None:
    await shop.paid("111", key="once")
    await shop.paid("112")
    reference = (await orders())[0].reference
    async with session_scope() as session:
        await add_note(session, reference, "Amina called", STAFF)
        await resend_receipt(session, reference, STAFF, "cousin.of.amina@example.com")
    await refund("UKM0REFUND")
    async with session_scope() as session:
        # Staff should not, but may, have named the person in a reason.
        await session.exec(text("UPDATE refunds SET reason = 'Amina asked' WHERE id = 1"))  # type: ignore[call-overload]
    totals, receipt, before = await report(), (await payments())[0].receipt, (await order_detail()).order
    others = [line for line in (await whole_database()).splitlines() if "112@example.com" in line]
    assert await erase_person() == 1
    remains = await whole_database()
    assert [
        trace for trace in TRACES if trace in remains.replace("amina112", "").replace("712345112", "")
    ] == [trace for trace in TRACES[:2] if any(trace in line for line in others)]
    assert await report() == totals
    detail = await order_detail()
    assert (detail.payments[0].receipt, detail.payments[0].refunds[0].reference) == (receipt, "UKM0REFUND")
    assert (detail.order.amount, detail.order.course_slug, detail.order.created_at) == (
        before.amount,
        before.course_slug,
        before.created_at,
    )
    assert (detail.notes[0].text, detail.payments[0].refunds[0].reason) == ("[erased]", "[erased] asked")
    assert (detail.events[-1].actor, detail.events[-1].why) == (STAFF, "personal data erased")
    assert (await exported(), await exported(phone=PHONE)) == ([], [])


async def test_an_erased_order_takes_no_contact_and_sends_no_mail_and_its_page_still_opens(
    shop: Shop,
) -> None:
    await shop.paid("111")
    await erase_person()
    detail = await order_detail()
    async with session_scope() as session:
        with pytest.raises(Conflict, match="erased"):
            await resend_receipt(session, detail.order.reference, STAFF, "a@example.com")
    with pytest.raises(Conflict, match="erased"):
        async with session_scope() as session:
            await change_contact(
                session,
                detail.order.reference,
                detail.order.version,
                Contact(first_name="A", last_name="B", email="a@example.com", phone="0722000111"),
                STAFF,
            )
    async with read_scope() as session:
        view = await find_order(session, await order_token())
    assert (view.paid, view.payer) == (True, "")


async def test_whoever_paid_for_somebody_else_loses_the_number_only(shop: Shop) -> None:
    await shop.paid("111")
    order = (await orders())[0]
    async with session_scope() as session:
        await change_contact(
            session,
            order.reference,
            order.version,
            Contact(first_name="Zawadi", last_name="Kimani", email="zawadi@example.com", phone="0733000222"),
            STAFF,
        )
    assert len(await exported("", PHONE)) == 1
    assert await erase_person("", PHONE) == 1
    detail = await order_detail()
    assert (detail.order.first_name, detail.order.email) == ("Zawadi", "zawadi@example.com")
    assert (detail.payments[0].phone, "712345111" in str(detail.payments[0])) == ("", False)
    assert await exported("", PHONE) == []


async def test_what_the_contact_was_before_is_erased_with_the_order_or_with_the_person_it_was(
    shop: Shop,
) -> None:
    await shop.paid("111")
    order = (await orders())[0]
    typed_text = {
        "first_name": "Zawadi",
        "last_name": "Kimani",
        "email": "zawadi@example.com",
        "phone": "0733000222",
    }
    async with session_scope() as session:
        await change_contact(session, order.reference, order.version, Contact(**typed_text), STAFF)
    edit = (await order_detail()).events[-1].why
    assert "last_name: Wanjirũ → Kimani" in edit.splitlines()
    assert edit.splitlines()[1] in str(await exported("zawadi@example.com"))
    await erase_person("", PHONE)
    assert [event.why for event in (await order_detail()).events if event.why.startswith("contact")] == [
        "contact edited"
    ]
    async with session_scope() as session:
        changed = await change_contact(
            session, order.reference, order.version + 1, Contact(**typed_text | {"last_name": "Kamau"}), STAFF
        )
    assert changed.last_name == "Kamau"
    await erase_person("zawadi@example.com")
    remains = await whole_database()
    assert [trace for trace in ("kimani", "kamau", "zawadi", "733000222") if trace in remains] == []


async def test_an_unfinished_payment_refuses(shop: Shop) -> None:
    await shop.control.post("next", hold=True)
    await shop.pay("111")
    with pytest.raises(Conflict, match="not finished"):
        await erase_person()
    assert (await orders())[0].email == EMAIL


async def test_a_payment_under_review_is_decided_first(shop: Shop) -> None:
    await under_review(shop)
    with pytest.raises(Conflict, match="not finished"):
        await erase_person("amina700@example.com")
    await resolve(PaymentState.FAILED, receipt="")
    assert await erase_person("amina700@example.com") == 1


async def test_money_that_comes_after_the_person_was_erased_is_still_found(shop: Shop) -> None:
    await shop.control.post("next", result_code="1032")
    await shop.paid("111")
    (prompt,) = (await shop.control.ledger())["prompts"]
    await erase_person()
    with pytest.raises(Conflict, match="erased"):
        await retry_payment(session_scope, gateway(session_scope), await order_token(), payer="254712345111")
    path = f"/{(await payments())[0].attempt_key}"
    for receipt in ("UKK1B2C3D4", "UKK1B2C3D4"):
        await shop.call_back(callback_for(prompt, MpesaReceiptNumber=receipt), path=path)
    (order,), (payment,) = await orders(), await payments()
    assert (order.state, payment.state, payment.receipt) == (OrderState.PAID, PaymentState.PAID, "UKK1B2C3D4")
    assert (len(await enrolments()), await list_discrepancy_kinds()) == (1, [])
    assert await mails() == ["payment-unpaid", "staff-enrolled"]
    assert not [trace for trace in TRACES if trace in str(await inbox()) + str(payment)]
    assert (await report(FRIDAY)).balanced


async def test_our_own_address_is_no_person(shop: Shop) -> None:
    await shop.paid("111")
    for look in (export, mail_people.export):
        with pytest.raises(Conflict, match="own address"):
            async with read_scope() as session:
                await look(session, "desk@mwanga.example", "")
