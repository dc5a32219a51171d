"""A status query from an order's page: the answer is shown at once when it comes at once, and stored when it comes late."""

import asyncio

import pytest

from agency_site.auth.rules import Role, Staff
from agency_site.auth.tables import AuditEntry
from agency_site.errors import UpstreamFailed
from agency_site.features.checkout.admin.orders import background as payment_query
from agency_site.features.checkout.payments.rules import PaymentState
from agency_site.features.checkout.payments.status_queries import QueryTooSoon
from agency_site.features.checkout.payments.tables import StatusQuery
from tests.integration.features.checkout.conftest import Shop, orders, payments, rows

WHO = Staff(1, "wanjiku@mwanga.example", "Wanjiku", Role.FINANCE, 1, "127.0.0.1")


async def ask(shop: Shop) -> bool:
    (order,), (payment,) = await orders(), await payments()
    assert shop
    return await payment_query.query_in_background(WHO, order.reference, payment.id or 0)


async def test_a_quick_answer_is_shown_and_recorded(shop: Shop) -> None:
    await shop.pay("600")
    await shop.decided()
    assert await ask(shop)
    (query,), (entry,) = await rows(StatusQuery), await rows(AuditEntry)
    assert (query.actor, query.outcome) == (WHO.email, "paid")
    assert (entry.actor, entry.action, entry.detail) == (WHO.email, "payment.asked", "0")
    with pytest.raises(QueryTooSoon):
        await ask(shop)


@pytest.mark.each_database
async def test_a_slow_answer_does_not_hold_the_page_and_counts_when_it_comes(
    shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    await shop.pay("600")
    await shop.decided()
    monkeypatch.setattr(payment_query, "PAGE_WAIT", 0)
    assert not await ask(shop)
    await asyncio.gather(*payment_query._running)
    assert [query.outcome for query in await rows(StatusQuery)] == ["paid"]
    assert [entry.action for entry in await rows(AuditEntry)] == ["payment.asked"]
    assert not payment_query._running


async def test_no_answer_is_reported_and_recorded(shop: Shop) -> None:
    await shop.pay("600")
    await shop.decided()
    await shop.control.post("fault", call="query", fault="bad_gateway")
    with pytest.raises(UpstreamFailed):
        await ask(shop)
    assert [entry.detail for entry in await rows(AuditEntry)] == ["no answer"]
    assert (await payments())[0].state is PaymentState.PENDING
