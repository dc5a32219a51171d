"""Payments whose callback never came: found by status queries, at a shared pace, by whichever process is running."""

import asyncio
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from sqlmodel import update

from agency_site.db.engine import read_scope, session_scope
from agency_site.errors import Conflict
from agency_site.features.checkout import jobs
from agency_site.features.checkout.buying.order_status import Stage, find_order
from agency_site.features.checkout.jobs import poll_payments
from agency_site.features.checkout.orders.rules import OrderState
from agency_site.features.checkout.payments.queries import lock_payment
from agency_site.features.checkout.payments.rules import PaymentState
from agency_site.features.checkout.payments.tables import CallbackInbox, Payment
from tests.conftest import FRIDAY_NOON
from tests.integration.features.checkout.conftest import (
    Shop,
    callback_for,
    enrolments,
    inbox,
    mails,
    order_token,
    orders,
    payment_states,
    payments,
)

HOUR, DAY = 3600, 24 * 3600


async def queries(shop: Shop) -> int:
    return int((await shop.control.ledger())["calls"]["query"])


@pytest.mark.parametrize(
    ("last", "state"),
    [
        ("001", PaymentState.FAILED),
        ("032", PaymentState.CANCELLED),
        ("037", PaymentState.EXPIRED),
        ("200", PaymentState.FAILED),
    ],
)
async def test_a_lost_refusal_is_found_by_one_query(shop: Shop, last: str, state: PaymentState) -> None:
    await shop.control.post("switches", copies=0)
    await shop.paid(last)
    assert await shop.later(76) == 1
    assert await payment_states() == [state]
    assert [order.state for order in await orders()] == [OrderState.UNPAID]
    assert await shop.later(DAY) == 0


async def test_one_success_of_a_query_is_not_enough(shop: Shop) -> None:
    started = await shop.paid("600")
    await shop.later(76)
    assert await payment_states() == [PaymentState.PENDING]
    assert "confirming" in (await shop.status(started))["detail"]
    await shop.later(80)
    assert await queries(shop) == 1
    await shop.later(89)
    assert (await payment_states(), await queries(shop)) == ([PaymentState.PAID], 2)


async def test_a_pending_prompt_is_queried_ever_more_rarely(shop: Shop) -> None:
    await shop.control.post("next", hold=True)
    await shop.pay()
    for seconds, count in ((76, 1), (89, 2), (120, 2), (150, 3), (200, 3), (271, 4), (500, 4), (520, 5)):
        await shop.later(seconds)
        assert (seconds, await queries(shop)) == (seconds, count)
    assert await payment_states() == [PaymentState.PENDING]


@pytest.mark.parametrize("fast", [0, 1, 2])
async def test_a_query_that_a_fast_clock_has_put_off_is_sent_once_the_clock_is_right(
    shop: Shop, fast: int
) -> None:
    await shop.control.post("next", hold=True)
    clocks = [HOUR if fast == number else 0 for number in range(3)]
    shop.move(FRIDAY_NOON + timedelta(seconds=clocks[0]))
    await shop.pay()
    await shop.later(clocks[1] + 76)
    await shop.later(clocks[2] + 89)
    before = await queries(shop)
    await shop.later(300)
    assert await queries(shop) == before + 1
    await shop.later(301)
    assert await queries(shop) == before + 1


async def test_a_reading_of_the_books_that_a_fast_clock_has_put_off_follows_once_the_clock_is_right(
    shop: Shop, books_are_read: None
) -> None:
    await shop.control.post("switches", copies=0)
    shop.move(FRIDAY_NOON + timedelta(seconds=HOUR))
    await shop.paid("032")
    await shop.later(HOUR + 76)
    (put_off,) = await payments()
    assert put_off.due_at is not None
    assert put_off.due_at > FRIDAY_NOON + timedelta(seconds=HOUR)
    await shop.later(0)
    (payment,) = await payments()
    assert payment.due_at is None or payment.due_at < FRIDAY_NOON + timedelta(minutes=10)


async def test_after_a_day_of_no_payment_it_expires_but_late_money_still_counts(shop: Shop) -> None:
    await shop.control.post("next", hold=True)
    await shop.pay()
    for seconds in (76, 89, 150):
        await shop.later(seconds)
    assert await shop.later(DAY + 1) == 1
    assert await payment_states() == [PaymentState.EXPIRED]
    (prompt,) = (await shop.control.ledger())["prompts"]
    await shop.control.post("answer", checkout_request_id=prompt["checkout_request_id"])
    await shop.control.settled()
    assert await payment_states() == [PaymentState.PAID]
    assert len(await enrolments()) == 1


async def test_a_payment_that_m_pesa_never_said_a_word_about_is_decided_by_staff(shop: Shop) -> None:
    await shop.control.post("next", hold=True)
    await shop.pay()
    await shop.control.post("fault", call="query", fault="bad_gateway", times=0)
    for seconds in (76, 150, DAY - 1):
        await shop.later(seconds)
    assert await payment_states() == [PaymentState.PENDING]
    await shop.later(DAY + 30)
    assert (await payment_states(), await mails()) == ([PaymentState.NEEDS_REVIEW], ["staff-payment-review"])


async def test_an_answer_that_is_stored_while_a_job_decides_wins(
    shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    await shop.paid("600")
    async with session_scope() as session:
        await session.exec(
            update(Payment).values(
                state=PaymentState.SENDING, merchant_request_id=None, checkout_request_id=None
            )
        )
    (payment,) = await payments()

    async def lock_late(session: Any, payment_id: int) -> Any:
        claimed.append(payment_id)
        monkeypatch.setattr(jobs, "lock_payment", lock_payment)
        locked_payment = await lock_payment(session, payment_id)
        # As the process that sent the prompt stores the answer between claim and decision.
        locked_payment[1].merchant_request_id, locked_payment[1].checkout_request_id = "m-1", "c-1"
        locked_payment[1].state, locked_payment[1].due_at = (
            PaymentState.PENDING,
            FRIDAY_NOON + timedelta(seconds=151),
        )
        return locked_payment

    claimed: list[int] = []
    monkeypatch.setattr(jobs, "lock_payment", lock_late)
    await shop.later(76)
    assert claimed == [payment.id]
    (payment,) = await payments()
    assert (payment.state, payment.leased_until) == (PaymentState.PENDING, None)
    assert payment.due_at == FRIDAY_NOON + timedelta(seconds=151)


async def test_a_success_reported_once_and_never_again_goes_to_review(shop: Shop) -> None:
    await shop.paid("600")
    await shop.later(76)
    await shop.later(DAY + 1)
    assert (await payment_states(), await mails()) == ([PaymentState.NEEDS_REVIEW], ["staff-payment-review"])


@pytest.mark.each_database
async def test_the_whole_system_keeps_one_pace_oldest_first(shop: Shop) -> None:
    await shop.control.post("switches", query_limit=5)
    for last in ("611", "612", "613"):
        await shop.control.post("next", copies=0)
        await shop.paid(last)
    for round_, count in ((76, 1), (77, 1), (88.5, 2), (101, 3)):
        await asyncio.gather(shop.later(round_), *(poll_payments() for _ in range(3)))
        assert await queries(shop) == count
    assert [payment.queries for payment in await payments()] == [1, 1, 1]


async def test_a_busy_m_pesa_gets_the_pause_that_it_requests(
    shop: Shop, configure: Callable[..., object]
) -> None:
    configure(mpesa_query_interval_seconds=1)
    await shop.control.post("switches", query_limit=1, copies=0)
    for last in ("611", "612"):
        await shop.paid(last)
    await shop.later(76)
    await shop.later(78)
    assert await queries(shop) == 2
    await shop.control.post("switches", query_limit=0)
    # The first payment's confirmation is due, but the refusal of the second requested 12 seconds.
    await shop.later(88)
    assert await queries(shop) == 2
    await shop.later(91)
    assert (await queries(shop), await payment_states()) == (3, [PaymentState.PAID, PaymentState.PENDING])


async def test_noise_and_faults_of_the_query_decide_nothing(shop: Shop) -> None:
    await shop.paid("600")
    for number, fault in enumerate(("drop", "bad_gateway", "html_503", "unknown_text"), start=1):
        await shop.control.post("fault", call="query", fault=fault)
        await shop.later(76 + 40 * number)
        assert await payment_states() == [PaymentState.PENDING]
    await shop.later(400)
    await shop.later(420)
    assert (await payment_states(), len(await enrolments())) == ([PaymentState.PAID], 1)


async def test_a_lie_of_the_query_never_undoes_a_success(shop: Shop) -> None:
    await shop.control.post("switches", query_lie=True, copies=0)
    await shop.paid()
    await shop.later(76)
    (payment,) = await payments()
    assert payment.state is not PaymentState.PAID
    (prompt,) = (await shop.control.ledger())["prompts"]
    await shop.call_back(callback_for(prompt), f"/{payment.attempt_key}")
    assert (await payment_states(), len(await enrolments())) == ([PaymentState.PAID], 1)


async def test_a_process_killed_while_sending_leaves_an_unknown_payment_that_its_callback_settles(
    shop: Shop,
) -> None:
    await shop.paid("600")
    async with session_scope() as session:
        # As a killed process would have left it: sent, but the answer never stored.
        await session.exec(
            update(Payment).values(
                state=PaymentState.SENDING, merchant_request_id=None, checkout_request_id=None
            )
        )
    assert await shop.later(76) == 1
    assert await payment_states() == [PaymentState.UNKNOWN]
    (prompt,) = (await shop.control.ledger())["prompts"]
    await shop.call_back(callback_for(prompt), f"/{prompt['callback_url'].rpartition('/')[2]}")
    assert (await payment_states(), len(await enrolments())) == ([PaymentState.PAID], 1)


async def test_a_payment_with_an_unknown_result_is_decided_by_staff_and_blocks_another_prompt(
    shop: Shop,
) -> None:
    await shop.paid("600")
    async with session_scope() as session:
        await session.exec(
            update(Payment).values(
                state=PaymentState.SENDING, merchant_request_id=None, checkout_request_id=None, sent_at=None
            )
        )
    for seconds in (76, 600, 929):
        await shop.later(seconds)
        assert await payment_states() == [PaymentState.UNKNOWN]
    await shop.later(931)
    assert (await payment_states(), await mails()) == ([PaymentState.NEEDS_REVIEW], ["staff-payment-review"])
    async with read_scope() as session:
        order = await find_order(session, await order_token())
    assert (order.stage, order.retry_at) == (Stage.REVIEW, None)
    assert order.detail.startswith(
        "We could not find out from M-Pesa whether you were charged. Please do not pay again"
    )
    with pytest.raises(Conflict, match="Our staff are checking"):
        await shop.retried()
    assert await shop.later(DAY + 1) == 0


async def test_a_callback_that_was_stored_but_not_handled_is_taken_up(shop: Shop) -> None:
    await shop.paid()
    async with session_scope() as session:
        # As a process killed between the two would have left it.
        await session.exec(update(CallbackInbox).values(handled_at=None, due_at=FRIDAY_NOON, note=""))
    assert await shop.later(1) == 1
    assert [stored.note for stored in await inbox()] == ["repeated: nothing changed"]
    assert len(await enrolments()) == 1


async def test_a_claimed_payment_of_a_killed_worker_comes_back(shop: Shop) -> None:
    await shop.paid("600")
    async with session_scope() as session:
        await session.exec(update(Payment).values(leased_until=FRIDAY_NOON + timedelta(seconds=100)))
    assert await shop.later(76) == 0
    assert await shop.later(101) == 1
