"""The private order page, trying again, the receipt, and free courses."""

from datetime import timedelta
from io import BytesIO

import pytest
from pypdf import PdfReader

from agency_site.db.engine import read_scope, session_scope
from agency_site.errors import Conflict, InputRejected, NotFound
from agency_site.features.checkout.buying.order_status import ShownState, Stage, find_order
from agency_site.features.checkout.buying.usecases import (
    confirm_free_place,
    request_free_place,
    retry_payment,
)
from agency_site.features.checkout.orders.queries import find_order_token
from agency_site.features.checkout.orders.request import Enrollee
from agency_site.features.checkout.orders.rules import OrderState
from agency_site.features.checkout.payments.gateway import gateway
from agency_site.features.checkout.payments.rules import PaymentState
from agency_site.features.checkout.payments.search import search_orders
from agency_site.form_input import fold
from agency_site.mail.tables import OutboxMessage
from tests.conftest import FRIDAY_NOON
from tests.example_records import FREE_COURSE
from tests.integration.features.checkout.conftest import (
    COURSE,
    PRICE,
    Shop,
    enrolments,
    mails,
    order_body,
    order_token,
    order_view,
    orders,
    payments,
    rows,
)
from tests.integration.features.checkout.orders import enrol_free

FREE = FREE_COURSE.payment_name


def enrollee(**changes: object) -> Enrollee:
    return Enrollee.model_validate({**order_body(), "courseName": FREE, **changes})


async def test_the_order_page_shows_the_true_state_on_any_device(shop: Shop) -> None:
    await shop.paid(quantity=2, amount=2 * PRICE)
    view = await order_view()
    assert (view.status.state, view.status.status) == (ShownState.PAID, "payment valid")
    assert (view.course_name, view.quantity, view.amount) == (COURSE, 2, 30_000)
    assert (view.paid, view.free, view.retry_at) == (True, False, None)
    assert view.receipt == (await payments())[0].receipt
    assert view.payer == "0712 *** 111"
    assert view.paid_at == FRIDAY_NOON


async def test_a_wrong_link_opens_nothing(shop: Shop) -> None:
    await shop.paid()
    for wrong in ("", "x", "EN-7F3K9Q", "\ud800", (await order_token())[:-1]):
        with pytest.raises(NotFound):
            async with read_scope() as session:
                await find_order(session, wrong)


async def test_the_receipt_can_be_fetched_once_paid(shop: Shop) -> None:
    await shop.control.post("next", result_code="1032")
    await shop.paid()
    assert (await shop.http.get(f"/api/orders/{await order_token()}/receipt.pdf")).status_code == 404
    await shop.retried()
    answer = await shop.http.get(f"/api/orders/{await order_token()}/receipt.pdf")
    assert (answer.status_code, answer.headers["content-type"]) == (200, "application/pdf")
    assert "no-store" in answer.headers["cache-control"]
    text = PdfReader(BytesIO(answer.content)).pages[0].extract_text()
    assert (await orders())[0].reference in text
    assert "KES 15,000" in text
    assert (await shop.http.get("/api/orders/nobody/receipt.pdf")).status_code == 404


async def test_trying_again_waits_for_a_live_prompt_and_then_pays_the_same_order(shop: Shop) -> None:
    await shop.control.post("next", hold=True)
    first = (await shop.pay()).json()
    assert (await order_view()).retry_at is None
    same = await retry_payment(session_scope, gateway(session_scope), await order_token())
    assert same.merchant_request_id == first["MerchantRequestID"]
    await shop.control.post("answer", checkout_request_id=first["CheckoutRequestID"], result_code="1037")
    await shop.control.settled()
    assert (await order_view()).retry_at == FRIDAY_NOON
    again = await retry_payment(
        session_scope, gateway(session_scope), await order_token(), payer="254722000111"
    )
    await shop.control.settled()
    assert again.reference == first["reference"]
    assert [payment.phone for payment in await payments()] == ["254712345111", "254722000111"]
    assert ((await orders())[0].state, await shop.charged()) == (OrderState.PAID, PRICE)


async def test_a_prompt_that_m_pesa_never_decides_may_be_followed_after_a_quarter_of_an_hour(
    shop: Shop,
) -> None:
    await shop.control.post("next", hold=True)
    await shop.pay()
    for seconds in (76, 89, 150):
        await shop.later(seconds)
    assert (await order_view()).retry_at == FRIDAY_NOON + timedelta(minutes=15)
    await shop.later(14 * 60)
    await retry_payment(session_scope, gateway(session_scope), await order_token())
    assert len(await payments()) == 1
    await shop.control.post("advance", seconds=60)
    await shop.later(15 * 60)
    await retry_payment(session_scope, gateway(session_scope), await order_token())
    await shop.control.settled()
    assert await shop.charged() == PRICE


async def test_money_for_a_prompt_given_up_is_still_found_by_a_query(shop: Shop) -> None:
    await shop.control.post("next", hold=True, copies=0)
    first = (await shop.pay()).json()
    for seconds in (76, 89, 150):
        await shop.later(seconds)
    await shop.control.post("switches", copies=0)
    await shop.control.post("fault", call="push", fault="busy")
    await shop.later(900)
    with pytest.raises(Exception, match="Payment failed"):
        await retry_payment(session_scope, gateway(session_scope), await order_token())
    await shop.control.post("answer", checkout_request_id=first["CheckoutRequestID"])
    await shop.later(1141)
    await shop.later(1154)
    assert [payment.state for payment in await payments()] == [PaymentState.PAID, PaymentState.FAILED]
    assert (len(await enrolments()), (await order_view()).paid) == (1, True)


@pytest.mark.parametrize("last", ["111", "900"])
async def test_what_is_paid_or_under_review_cannot_be_paid_again(shop: Shop, last: str) -> None:
    await shop.paid(last)
    with pytest.raises(Conflict):
        await retry_payment(session_scope, gateway(session_scope), await order_token())
    assert (await shop.control.ledger())["calls"]["push"] == 1


async def test_trying_an_unknown_order_again_is_not_found(shop: Shop) -> None:
    with pytest.raises(NotFound):
        await retry_payment(session_scope, gateway(session_scope), "nobody")


async def test_a_free_course_enrols_once_its_mailed_link_confirms_it(shop: Shop) -> None:
    for _ in range(2):
        await request_free_place(session_scope, enrollee(), client="tab")
    assert [(order.state, order.amount) for order in await orders()] == [(OrderState.UNPAID, 0)]
    assert (await enrolments(), await mails()) == ([], ["enrolment-asked"])
    assert (await order_view()).stage is Stage.UNCONFIRMED
    token_of_free_order = await order_token()
    assert f"/order/{token_of_free_order}" in (await rows(OutboxMessage))[0].text
    with pytest.raises(Conflict):
        await retry_payment(session_scope, gateway(session_scope), token_of_free_order)
    for _ in range(2):
        async with session_scope() as session:
            await confirm_free_place(session, token_of_free_order)
    assert [(order.state, order.amount) for order in await orders()] == [(OrderState.FREE, 0)]
    assert (len(await enrolments()), await mails()) == (
        1,
        ["enrolment-asked", "enrolment-confirmed", "staff-enrolled"],
    )
    assert (await order_view()).status.state is ShownState.PAID
    assert (await shop.control.ledger())["calls"]["push"] == 0


async def test_who_asks_for_a_free_place_never_learns_what_the_address_has(shop: Shop) -> None:
    assert shop
    await enrol_free(session_scope, enrollee(), client="tab")
    before = await rows(OutboxMessage)
    await request_free_place(session_scope, enrollee(), client="a stranger's tab")
    await request_free_place(session_scope, enrollee(email="new@example.com"))
    assert [row.kind for row in (await rows(OutboxMessage))[len(before) :]] == [
        "order-exists",
        "enrolment-asked",
    ]
    assert [order.state for order in await orders()] == [OrderState.FREE, OrderState.UNPAID]


async def test_a_stranger_who_typed_an_address_does_not_keep_its_owner_from_a_free_place(shop: Shop) -> None:
    assert shop
    await request_free_place(session_scope, enrollee(firstName="Stranger"), client="a stranger's tab")
    await enrol_free(session_scope, enrollee())
    first, second = await orders()
    assert (first.state, second.state, len(await enrolments())) == (OrderState.UNPAID, OrderState.FREE, 1)
    async with session_scope() as session:
        with pytest.raises(Conflict):
            await confirm_free_place(session, find_order_token(first) or "")


async def test_a_course_with_a_price_is_not_given_away_nor_a_free_one_charged(shop: Shop) -> None:
    with pytest.raises(InputRejected):
        await enrol_free(session_scope, enrollee(courseName=COURSE))
    refused = await shop.pay(courseName=FREE, amount=0)
    assert (refused.status_code, refused.json()["errors"][0]["field"]) == (422, "courseName")
    assert await orders() == []


async def test_an_unknown_payment_id_is_not_found_and_invalid(shop: Shop) -> None:
    for unknown in ("1-2-3", "a" * 500, "%00", "%E2%80%AE"):
        answer = await shop.http.get(f"/api/check-payment-status/{unknown}")
        assert (answer.status_code, answer.json()["status"]) == (404, "payment invalid")


async def test_an_older_paid_order_keeps_its_receipt_when_a_later_one_is_made(shop: Shop) -> None:
    first = await shop.paid()
    await shop.paid(previousOrder=first["reference"])
    assert len({order.token_hash for order in await orders()}) == 2
    assert (await order_view()).paid


async def test_staff_find_an_order_by_what_m_pesa_shows(shop: Shop) -> None:
    await shop.paid()
    (payment,) = await payments()
    async with read_scope() as session:
        connection = await session.connection()
        reference = (await orders())[0].reference
        for text in (payment.account_reference, f"{reference}-C1", f"{reference}c12".lower()):
            order_ids = (await connection.execute(search_orders([fold(text)]))).scalars().all()
            assert order_ids == [payment.order_id], text
