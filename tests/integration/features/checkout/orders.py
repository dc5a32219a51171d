"""Use cases of staff, each in its own session, and orders in the states that staff handle."""

from datetime import date
from typing import Any

from agency_site.db.engine import read_scope, session_scope
from agency_site.features.checkout.buying.usecases import confirm_free_place, request_free_place
from agency_site.features.checkout.order_details.queries import find_order_detail, load_order_detail
from agency_site.features.checkout.order_details.records import OrderDetail
from agency_site.features.checkout.orders.queries import find_order_token
from agency_site.features.checkout.orders.request import Enrollee
from agency_site.features.checkout.orders.staff_request import read_receipt_number
from agency_site.features.checkout.orders.tables import Order
from agency_site.features.checkout.payments.rules import PaymentState
from agency_site.features.checkout.payments.transitions import Scope
from agency_site.features.checkout.reconciliation.discrepancies import DiscrepancyKind
from agency_site.features.checkout.reconciliation.report import ReconciliationReport, reconciliation_report
from agency_site.features.checkout.refunds.refunds import record_refund
from agency_site.features.checkout.refunds.staff_request import read_refund
from agency_site.features.checkout.reviews.staff_request import read_decision
from agency_site.features.checkout.reviews.usecases import enter_receipt, resolve_review
from tests.conftest import FRIDAY_NOON
from tests.integration.features.checkout.conftest import Shop, orders, payments, rows

STAFF, OTHER = "wanjiku@mwanga.example", "otieno@mwanga.example"
RECEIPT = "UKL9Z8Y7X6"
DAY = 24 * 3600
FRIDAY = date(2026, 11, 20)


async def order_detail(number: int = 0) -> OrderDetail:
    """Return everything about the order of that number."""
    reference = (await orders())[number].reference
    async with read_scope() as session:
        return await find_order_detail(session, reference)


async def under_review(shop: Shop, last: str = "700") -> dict[str, Any]:
    """Create an order whose payment M-Pesa reported once; its callback is still to come. Returns the prompt."""
    await shop.pay(last)
    prompt = await shop.decided()
    await shop.later(76)
    await shop.later(DAY + 1)
    assert (await payments())[-1].state is PaymentState.NEEDS_REVIEW
    return prompt


async def resolve(
    outcome: PaymentState = PaymentState.PAID,
    receipt: str = RECEIPT,
    *,
    number: int = 0,
    version: int | None = None,
    actor: str = STAFF,
) -> OrderDetail:
    payment = (await payments())[number]
    order = next(order for order in await orders() if order.id == payment.order_id)
    seen = order.version if version is None else version
    reason = "compared with the statement"
    decision = read_decision({"outcome": outcome, "reason": reason, "receipt": receipt})
    async with session_scope() as session:
        return await load_order_detail(
            session, await resolve_review(session, payment.id or 0, seen, decision, actor)
        )


async def refund(reference: str = "UKM0REFUND", *, number: int = 0, amount: str = "") -> OrderDetail:
    payment = (await payments())[number]
    form = {"refund_amount": amount, "refund_reference": reference, "reason": "course was cancelled"}
    async with session_scope() as session:
        return await load_order_detail(
            session, await record_refund(session, payment.id or 0, read_refund(form), STAFF)
        )


async def add_receipt(receipt: str, *, number: int = 0) -> OrderDetail:
    payment = (await payments())[number]
    async with session_scope() as session:
        order = await enter_receipt(
            session, payment.id or 0, read_receipt_number({"receipt": receipt}), STAFF
        )
        return await load_order_detail(session, order)


async def report(first: date = FRIDAY, last: date | None = None) -> ReconciliationReport:
    assert FRIDAY_NOON.date() == FRIDAY
    return await reconciliation_report(read_scope, first, last)


async def list_discrepancy_kinds() -> list[DiscrepancyKind]:
    """Return the kinds of the discrepancies of Friday and the two days after it, sorted."""
    seen = await report(FRIDAY, date(2026, 11, 22))
    return sorted(discrepancy.kind for discrepancy in seen.discrepancies)


async def enrol_free(scope: Scope, enrollee: Enrollee, client: str = "") -> str:
    """Request a place in a free course and confirm it as the mailed link does. Returns the token of the order."""
    await request_free_place(scope, enrollee, client=client)
    token = find_order_token((await rows(Order))[-1]) or ""
    async with scope() as session:
        await confirm_free_place(session, token)
    return token
