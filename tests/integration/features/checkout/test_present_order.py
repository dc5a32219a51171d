"""One person has one current order for a course: its owner, the answer to other requests, and ordering again on purpose."""

import pytest

from agency_site.db.engine import session_scope
from agency_site.errors import Conflict
from agency_site.features.checkout.buying.order_status import Stage
from agency_site.features.checkout.buying.usecases import StartedPayment, retry_payment, start_payment
from agency_site.features.checkout.orders.request import CheckoutRequest
from agency_site.features.checkout.orders.rules import OrderExists, OrderState
from agency_site.features.checkout.orders.tables import Order
from agency_site.features.checkout.payments.gateway import gateway
from agency_site.features.checkout.payments.rules import PaymentState
from agency_site.mail.tables import OutboxMessage
from tests.example_records import OTHER_COURSE
from tests.integration.features.checkout.conftest import (
    PRICE,
    Shop,
    mails,
    order_body,
    order_token,
    order_view,
    orders,
    payments,
    rows,
)

STRANGER = {"firstName": "Mallory", "lastName": "Otieno"}


async def submit_dialog(
    client: str = "tab", contact: str = "+254712345111", **changes: object
) -> StartedPayment:
    """Submit the dialog of the payment page."""
    request = CheckoutRequest.model_validate(order_body(**changes))  # type: ignore[arg-type]
    return await start_payment(session_scope, gateway(session_scope), request, contact=contact, client=client)


def names(order: Order) -> tuple[str, str]:
    return order.first_name, order.last_name


@pytest.mark.parametrize("last", ["111", "700", "900"])
@pytest.mark.parametrize("client", ["", "another tab"])
async def test_whoever_knows_email_phone_and_course_gets_neither_link_nor_reference(
    shop: Shop, last: str, client: str
) -> None:
    await shop.control.post("next", hold=last == "700")
    first = await shop.pay(last)
    reference = first.json()["reference"]
    with pytest.raises(OrderExists) as refused:
        await submit_dialog(client, email=f"amina{last}@example.com", phone=f"0712 345 {last}", **STRANGER)
    assert (refused.value.reference, refused.value.token) == ("", "")
    answer = await shop.pay(last, **STRANGER)
    assert answer.status_code == 409
    for secret in (reference, await order_token(), *(first.json()[name] for name in ("MerchantRequestID",))):
        assert secret not in answer.text + str(refused.value)
    assert [names(order) for order in await orders()] == [("Amina", "Wanjirũ")]
    assert (await shop.control.ledger())["calls"]["push"] == 1
    # The owner is notified once, with the link.
    notices = [mail for mail in await rows(OutboxMessage) if mail.kind == "order-exists"]
    assert [mail.to for mail in notices] == [f"amina{last}@example.com"]
    assert await order_token() in notices[0].text


async def test_the_names_of_an_unpaid_order_cannot_be_changed(shop: Shop) -> None:
    await shop.paid("032")
    await shop.pay("032", **STRANGER)
    assert [names(order) for order in await orders()] == [("Amina", "Wanjirũ"), ("Mallory", "Otieno")]
    assert len({order.token_hash for order in await orders()}) == 2


async def test_the_tab_that_made_the_order_gets_its_link_again(shop: Shop) -> None:
    await shop.control.post("next", hold=True)
    first = await submit_dialog()
    assert (await submit_dialog()).token == first.token
    for otherwise in ({"quantity": 2, "amount": 2 * PRICE}, {"firstName": "Aminah"}):
        with pytest.raises(OrderExists) as refused:
            await submit_dialog(**otherwise)
        assert (refused.value.reference, refused.value.token) == (first.reference, first.token)
    assert "order-exists" not in await mails()


async def test_another_phone_while_a_prompt_may_be_live_needs_an_order_that_names_the_first(
    shop: Shop,
) -> None:
    await shop.control.post("next", hold=True)
    first = await submit_dialog()
    with pytest.raises(Conflict, match="still be open"):
        await submit_dialog(phone="0722 000 111")
    with pytest.raises(Conflict, match="still be open"):
        await retry_payment(session_scope, gateway(session_scope), first.token, payer="254722000111")
    assert len((await shop.control.ledger())["prompts"]) == 1
    second = await submit_dialog(phone="0722 000 111", previousOrder=first.reference)
    assert second.reference != first.reference
    assert [order.previous_order_id for order in await orders()] == [None, (await orders())[0].id]


@pytest.mark.parametrize("client", ["tab", "another tab"])
async def test_a_paid_course_is_paid_again_only_by_an_order_that_names_the_first(
    shop: Shop, client: str
) -> None:
    first = await shop.paid()
    await shop.later(40 * 24 * 3600)
    for named in ({}, {"previousOrder": "EN-AAAAAA"}):
        with pytest.raises(OrderExists):
            await submit_dialog(client, **named)
    assert await shop.charged() == PRICE
    second = await shop.paid(previousOrder=first["reference"].lower())
    assert await shop.charged() == 2 * PRICE
    # Each order is followed once: the next must name the newest.
    assert (await shop.pay(previousOrder=first["reference"])).status_code == 409
    assert (await shop.pay(previousOrder=second["reference"])).status_code == 200


async def test_an_unpaid_order_need_not_be_named(shop: Shop) -> None:
    await shop.paid("032")
    await shop.control.post("next", result_code="0")
    await shop.paid("032")
    assert [order.state for order in await orders()] == [OrderState.UNPAID, OrderState.PAID]
    assert [order.previous_order_id for order in await orders()] == [None, None]


async def test_an_order_whose_place_another_has_taken_cannot_be_paid_any_more(shop: Shop) -> None:
    await shop.paid("032")
    assert (await order_view()).stage is Stage.PAYABLE
    await shop.control.post("next", result_code="0")
    await shop.paid("032")
    assert (await order_view()).stage is Stage.REPLACED
    with pytest.raises(Conflict, match="nothing to pay here"):
        await shop.retried()
    assert await shop.charged() == PRICE


async def test_an_older_order_may_be_paid_when_the_newer_one_was_not(shop: Shop) -> None:
    for _ in range(2):
        await shop.paid("032")
    await shop.control.post("next", result_code="0")
    await shop.retried()
    assert [order.state for order in await orders()] == [OrderState.PAID, OrderState.UNPAID]
    assert (await shop.pay("032")).status_code == 409
    assert (await order_view(1)).stage is Stage.REPLACED


async def test_an_unanswered_request_is_waited_for_and_then_looked_up_by_staff(shop: Shop) -> None:
    await shop.control.post("fault", call="push", fault="bad_gateway")
    await shop.pay()
    for seconds in (1, 91, 899):
        await shop.later(seconds)
        assert ((await order_view()).stage, (await order_view()).retry_at) == (Stage.WAITING, None)
        assert "do not pay" in (await order_view()).detail.lower()
    await shop.later(901)
    assert ((await order_view()).stage, (await order_view()).retry_at) == (Stage.REVIEW, None)
    assert "do not pay" in (await order_view()).detail.lower()


@pytest.mark.parametrize(
    ("last", "stage"),
    [("111", Stage.ENROLLED), ("900", Stage.REVIEW), ("032", Stage.PAYABLE), ("500", Stage.PAYABLE)],
)
async def test_an_order_has_one_stage(shop: Shop, last: str, stage: Stage) -> None:
    await shop.pay(last)
    await shop.control.settled()
    assert (await order_view()).stage is stage


async def test_a_phone_gets_three_prompts_in_ten_minutes_over_all_orders_and_addresses(shop: Shop) -> None:
    for number in range(3):
        await shop.paid(email=f"a{number}@example.com")
    for full in (await shop.pay(email="b@example.com"), await shop.pay(courseName=OTHER_COURSE.payment_name)):
        assert (full.status_code, full.headers["Retry-After"]) == (429, "600")
        assert "another number" in full.json()["message"]
    assert len(await orders()) == 3
    assert (await shop.pay("112")).status_code == 200
    await shop.later(601)
    assert (await shop.pay(email="b@example.com")).status_code == 200


async def test_a_phone_gets_ten_prompts_a_day_and_retries_count(shop: Shop) -> None:
    await shop.paid("032")
    for number in range(1, 10):
        await shop.later(number * 700)
        await shop.retried()
    await shop.later(8000)
    with pytest.raises(Exception, match="as many M-Pesa requests"):
        await shop.retried()
    assert (await shop.pay("032", email="b@example.com")).headers["Retry-After"] == str(24 * 3600 - 8000)
    await shop.later(24 * 3600 + 1)
    await shop.retried()
    assert len(await payments()) == 11


async def test_what_never_reached_the_phone_does_not_count(shop: Shop) -> None:
    await shop.control.post("fault", call="push", fault="spike", times=5)
    for number in range(5):
        assert (await shop.pay(email=f"a{number}@example.com")).status_code == 502
    assert (await shop.pay(email="b@example.com")).status_code == 200
    assert [payment.state for payment in await payments()][:5] == [PaymentState.FAILED] * 5
