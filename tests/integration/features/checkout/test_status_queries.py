"""Status queries by staff: at once, within the shared pace, with the same consequences as those of the polling job."""

import asyncio
from datetime import timedelta

import pytest

from agency_site import clock
from agency_site.db.engine import session_scope
from agency_site.errors import Conflict, NotFound, UpstreamFailed
from agency_site.features.checkout.orders.rules import OrderState
from agency_site.features.checkout.payments.gateway import compute_app_key, gateway
from agency_site.features.checkout.payments.rules import PaymentState
from agency_site.features.checkout.payments.status_queries import QueryReport, QueryTooSoon, query_for_staff
from agency_site.mpesa.contract import Outcome
from agency_site.settings import settings
from tests.conftest import FRIDAY_NOON
from tests.integration.features.checkout.conftest import Shop, enrolments, inbox, orders, payments
from tests.integration.features.checkout.orders import STAFF, order_detail, under_review


async def ask(number: int = 0) -> QueryReport:
    payment = (await payments())[number]
    return await query_for_staff(
        session_scope, gateway(session_scope), compute_app_key(settings()), payment.id or 0, STAFF
    )


def wait(shop: Shop, seconds: float) -> None:
    shop.move(FRIDAY_NOON + timedelta(seconds=seconds))


async def test_a_success_counts_once_two_queries_have_reported_it(shop: Shop) -> None:
    await shop.paid("600")
    first = await ask()
    assert (first.outcome, first.confirming, first.state) == (Outcome.PAID, True, PaymentState.PENDING)
    with pytest.raises(QueryTooSoon) as soon:
        await ask()
    assert (soon.value.seconds, "in 12 seconds" in soon.value.message) == (12, True)
    wait(shop, 12)
    second = await ask()
    assert (second.confirming, second.state) == (False, PaymentState.PAID)
    assert ((await orders())[0].state, len(await enrolments())) == (OrderState.PAID, 1)
    seen = await order_detail()
    assert [query.actor for query in seen.payments[0].status_queries] == [STAFF, STAFF]
    assert [event.why for event in seen.events if event.actor == STAFF] == ["status query: result 0"] * 2


async def test_a_refusal_ends_the_payment(shop: Shop) -> None:
    await shop.control.post("switches", copies=0)
    await shop.paid("032")
    assert (await ask()).state is PaymentState.CANCELLED
    assert (await orders())[0].state is OrderState.UNPAID


@pytest.mark.parametrize("last", ["111", "700"])
async def test_an_answer_about_a_decided_payment_is_written_down_and_changes_nothing(
    shop: Shop, last: str
) -> None:
    if last == "700":
        await under_review(shop)
    else:
        await shop.paid(last)
    await shop.control.post("switches", query_lie=True)
    before = (await payments())[0]
    wait(shop, 2 * 24 * 3600)
    report = await ask()
    after = (await payments())[0]
    assert (report.state, after.state, after.due_at) == (before.state, before.state, None)
    assert after.success_seen_at == before.success_seen_at
    assert len((await order_detail()).payments[0].status_queries) == before.queries + 1


@pytest.mark.each_database
async def test_staff_and_reconciliation_share_one_pace(shop: Shop) -> None:
    for last in ("600", "611"):
        await shop.control.post("next", copies=0)
        await shop.paid(last)
    wait(shop, 76)
    ends = await asyncio.gather(ask(0), ask(1), shop.later(76), return_exceptions=True)
    assert (await shop.control.ledger())["calls"]["query"] == 1
    assert sum(isinstance(end, QueryTooSoon) for end in ends) >= 1


async def test_no_answer_is_reported_and_noted(shop: Shop) -> None:
    await shop.paid("600")
    await shop.control.post("fault", call="query", fault="bad_gateway")
    with pytest.raises(UpstreamFailed, match="says nothing about the payment"):
        await ask()
    assert (await payments())[0].state is PaymentState.PENDING
    (query,) = (await order_detail()).payments[0].status_queries
    assert query.outcome == ""


async def test_a_payment_without_an_id_of_m_pesa_cannot_be_queried(shop: Shop) -> None:
    await shop.pay("500")
    with pytest.raises(Conflict, match="no ID"):
        await ask()
    with pytest.raises(NotFound):
        await query_for_staff(session_scope, gateway(session_scope), compute_app_key(settings()), 4711, STAFF)
    assert (await shop.control.ledger())["calls"]["query"] == 0
    assert (clock.now(), await inbox()) == (FRIDAY_NOON, [])
