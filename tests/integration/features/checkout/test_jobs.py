"""Payments whose callback never came: found by status queries, at a shared pace, by whichever process is running."""

import asyncio
from collections.abc import Callable
from datetime import timedelta

import pytest
from sqlmodel import update

from agency_site.db.engine import session_scope
from agency_site.features.checkout.jobs import poll_payments
from agency_site.features.checkout.rules import OrderState, PaymentState
from agency_site.features.checkout.tables import CallbackInbox, Payment
from tests.conftest import FRIDAY_NOON
from tests.integration.features.checkout.conftest import (
    Shop,
    callback_for,
    enrolments,
    inbox,
    mails,
    orders,
    payments,
)

DAY = 24 * 3600


async def states() -> list[PaymentState]:
    return [payment.state for payment in await payments()]


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
    assert await states() == [state]
    assert [order.state for order in await orders()] == [OrderState.UNPAID]
    assert await shop.later(DAY) == 0


async def test_one_success_of_a_query_is_not_enough(shop: Shop) -> None:
    started = await shop.paid("600")
    await shop.later(76)
    assert await states() == [PaymentState.PENDING]
    assert "confirming" in (await shop.status(started))["detail"]
    await shop.later(80)
    assert await queries(shop) == 1
    await shop.later(89)
    assert (await states(), await queries(shop)) == ([PaymentState.PAID], 2)


async def test_a_pending_prompt_is_queried_ever_more_rarely(shop: Shop) -> None:
    await shop.control.post("next", hold=True)
    await shop.pay()
    for seconds, count in ((76, 1), (89, 2), (120, 2), (150, 3), (200, 3), (271, 4), (500, 4), (520, 5)):
        await shop.later(seconds)
        assert (seconds, await queries(shop)) == (seconds, count)
    assert await states() == [PaymentState.PENDING]


async def test_after_a_day_without_an_answer_the_payment_expires_but_late_money_still_counts(
    shop: Shop,
) -> None:
    await shop.control.post("next", hold=True)
    await shop.pay()
    assert await shop.later(DAY + 1) == 1
    assert await states() == [PaymentState.EXPIRED]
    (prompt,) = (await shop.control.ledger())["prompts"]
    await shop.control.post("answer", checkout_request_id=prompt["checkout_request_id"])
    await shop.control.settled()
    assert await states() == [PaymentState.PAID]
    assert len(await enrolments()) == 1


async def test_a_success_reported_once_and_never_again_goes_to_review(shop: Shop) -> None:
    await shop.paid("600")
    await shop.later(76)
    await shop.later(DAY + 1)
    assert (await states(), await mails()) == ([PaymentState.NEEDS_REVIEW], ["staff-payment-review"])


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
    assert (await queries(shop), await states()) == (3, [PaymentState.PAID, PaymentState.PENDING])


async def test_noise_and_faults_of_the_query_decide_nothing(shop: Shop) -> None:
    await shop.paid("600")
    for number, fault in enumerate(("drop", "bad_gateway", "html_503", "unknown_text"), start=1):
        await shop.control.post("fault", call="query", fault=fault)
        await shop.later(76 + 40 * number)
        assert await states() == [PaymentState.PENDING]
    await shop.later(400)
    await shop.later(420)
    assert (await states(), len(await enrolments())) == ([PaymentState.PAID], 1)


async def test_a_lie_of_the_query_never_undoes_a_success(shop: Shop) -> None:
    await shop.control.post("switches", query_lie=True, copies=0)
    await shop.paid()
    await shop.later(76)
    (payment,) = await payments()
    assert payment.state is not PaymentState.PAID
    (prompt,) = (await shop.control.ledger())["prompts"]
    await shop.call_back(callback_for(prompt), f"/{payment.attempt_key}")
    assert (await states(), len(await enrolments())) == ([PaymentState.PAID], 1)


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
    assert await states() == [PaymentState.UNKNOWN]
    (prompt,) = (await shop.control.ledger())["prompts"]
    await shop.call_back(callback_for(prompt), f"/{prompt['callback_url'].rpartition('/')[2]}")
    assert (await states(), len(await enrolments())) == ([PaymentState.PAID], 1)


async def test_an_unknown_payment_ends_after_a_day(shop: Shop) -> None:
    await shop.paid("600")
    async with session_scope() as session:
        await session.exec(
            update(Payment).values(
                state=PaymentState.SENDING, merchant_request_id=None, checkout_request_id=None
            )
        )
    await shop.later(76)
    assert await shop.later(DAY - 1) == 0
    assert await shop.later(DAY + 1) == 1
    assert await states() == [PaymentState.EXPIRED]


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
