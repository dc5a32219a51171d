"""Money for an order that came without a prompt of ours: cash, bank transfers, M-Pesa payments by the payer's own hand.

It is settled like every payment, once for each receipt. Parts of the price add up. Staff may accept another amount than the order
lacks as all with a note, which closes the discrepancy that follows.
"""

import secrets
from decimal import Decimal

from sqlmodel import col, select
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.clock import now
from agency_site.errors import Conflict
from agency_site.features.checkout.direct_payments.staff_request import ManualPayment
from agency_site.features.checkout.orders.queries import find_order_row, lock_order
from agency_site.features.checkout.orders.rules import OrderState
from agency_site.features.checkout.orders.staff_request import REASON_LENGTH, reject
from agency_site.features.checkout.orders.tables import Order
from agency_site.features.checkout.payments.queries import compute_account_reference, find_balance
from agency_site.features.checkout.payments.rules import PaymentKind, PaymentState
from agency_site.features.checkout.payments.settlement import PaymentResult, find_unmatched_refund, settle
from agency_site.features.checkout.payments.tables import Payment
from agency_site.features.checkout.payments.transitions import note
from agency_site.features.checkout.reconciliation.discrepancies import (
    DiscrepancySubject,
    close_discrepancy,
    find_discrepancy,
)
from agency_site.features.checkout.refunds.staff_request import Refund
from agency_site.features.checkout.reviews.usecases import reject_duplicate, require_unused, was_returned
from agency_site.features.checkout.transactions.tables import UnassignedTransaction
from agency_site.features.checkout.transactions.unassigned import (
    find_known_receipts,
    find_unassigned,
    read_shillings,
)
from agency_site.money import kes, kes_stated


async def record_payment(session: AsyncSession, reference: str, received: ManualPayment, actor: str) -> Order:
    """Settle money that staff have received for the order of that reference; what is recorded already changes nothing.

    Less than the order lacks is a part, unless staff accept it as all. Raises NotFound, Conflict when the order needs no
    more money, and InputRejected for `receipt`, `amount` or `note`.
    """
    found = await find_order_row(session, reference)
    assert found.id is not None
    order = await lock_order(session, found.id)
    if await _is_recorded(session, order, received):
        return order
    before = await find_balance(session, order)
    missing = before.missing(order.state)
    if order.state is OrderState.NEEDS_REVIEW or not missing:
        raise Conflict(_explain_refusal(order.state))
    accepted = received.in_full or received.amount >= missing
    differs = received.amount != missing and (accepted or order.state is OrderState.PAID)
    if differs and not received.note:
        raise reject("note", f"The order lacks {kes(missing)}. Please say why another amount is accepted.")
    await _require_stated_amount(session, received)
    payment = await add_payment(session, order, received, actor, accepted=accepted)
    subject = DiscrepancySubject(order_id=order.id)
    odd = await find_discrepancy(session, subject) if differs and order.state is OrderState.PAID else None
    if odd:
        await close_discrepancy(session, subject, odd.amount, received.note, actor)
    elif received.note:
        note(session, order, payment, actor, received.note)
    await session.flush()
    return order


def _explain_refusal(state: OrderState) -> str:
    if state is OrderState.NEEDS_REVIEW:
        return "A payment of this order is under review. Please decide it first: it may be the same money."
    return "This order needs no more money. Close an unassigned payment with a note, or return it."


async def assign_transaction(
    session: AsyncSession,
    receipt: str,
    reference: str,
    explanation: str,
    actor: str,
    *,
    in_full: bool = False,
) -> Order:
    """Settle a transaction that belongs to no payment for the order of that reference; `explanation` may be empty.

    `in_full`: less than the order lacks is accepted as all. Raises NotFound where there is no such transaction or order, and as
    `record_payment`.
    """
    transaction = await find_unassigned(session, receipt)
    if transaction.refund_reference:
        raise Conflict(was_returned(receipt, transaction.refund_reference))
    amount = read_shillings(transaction)
    if not amount:
        raise Conflict(
            f"M-Pesa states {kes_stated(transaction.amount)} for this transaction. Only whole shillings can pay for an order."
        )
    received = ManualPayment(
        PaymentKind.PAYBILL, amount, receipt, transaction.booked_at, explanation, in_full
    )
    return await record_payment(session, reference, received, actor)


async def record_return(session: AsyncSession, receipt: str, returned: Refund, actor: str) -> None:
    """Record that a transaction which belongs to no payment was returned to its payer, outside of this site, and close it.

    Raises NotFound where there is no such transaction, InputRejected for `refund_reference`, and Conflict where it was closed.
    """
    transaction = await find_unassigned(session, receipt)
    if returned.reference in await find_known_receipts(session, [returned.reference]):
        raise reject("refund_reference", "This reference is known already, of a payment or another return.")
    subject = DiscrepancySubject(transaction_id=transaction.id)
    explanation = f"Returned as {returned.reference}: {returned.reason}"[:REASON_LENGTH]
    await close_discrepancy(session, subject, read_shillings(transaction) or 0, explanation, actor)
    async with reject_duplicate("refund_reference", "Another return has this reference.", session):
        transaction.refund_reference = returned.reference
        session.add(transaction)


async def add_payment(
    session: AsyncSession, order: Order, received: ManualPayment, actor: str, *, accepted: bool = False
) -> Payment:
    """Store money for an order, which must be locked, and settle it; `accepted` as in `PaymentResult`.

    Raises InputRejected for a receipt that is used.
    """
    assert order.id is not None
    payment = Payment(
        order_id=order.id,
        kind=received.kind,
        account_reference=await compute_account_reference(session, order),
        attempt_key=secrets.token_hex(16),
        state=PaymentState.CREATED,
        phone="",
        amount=received.amount,
        receipt=received.receipt,
        paid_at=received.paid_at,
        created_at=now(),
    )
    await require_unused(session, payment, received.receipt)
    await _require_not_returned(session, received)
    async with reject_duplicate(
        "receipt", f"The receipt {received.receipt} already belongs to another payment.", session
    ):
        session.add(payment)
    order.updated_at = now()
    session.add(order)
    await settle(session, order, payment, PaymentResult(actor, "", "", received.receipt, accepted))
    return payment


async def _require_not_returned(session: AsyncSession, received: ManualPayment) -> None:
    """Raises InputRejected for `receipt` where M-Pesa has reported the return of that money, all of it, before the money."""
    back = await find_unmatched_refund(session, received.receipt)
    if back and (not back.amount or Decimal(back.amount) >= received.amount):
        raise reject("receipt", was_returned(received.receipt, back.receipt))


async def _is_recorded(session: AsyncSession, order: Order, received: ManualPayment) -> bool:
    """Whether the order has that very payment. Raises InputRejected where another one has its receipt, or staff have decided
    that it was not received."""
    known = (await session.exec(select(Payment).where(Payment.receipt == received.receipt))).one_or_none()
    if known is None:
        return False
    if (known.order_id, known.kind, known.amount) != (order.id, received.kind, received.amount):
        raise reject("receipt", f"The receipt {received.receipt} already belongs to another payment.")
    if known.state is PaymentState.FAILED:
        raise reject(
            "receipt", f"The payment with the receipt {received.receipt} was recorded as not received."
        )
    return True


async def _require_stated_amount(session: AsyncSession, received: ManualPayment) -> None:
    """Raises InputRejected for `amount` where M-Pesa's books state another one for that receipt."""
    booked = select(UnassignedTransaction).where(col(UnassignedTransaction.receipt) == received.receipt)
    stated = (await session.exec(booked)).one_or_none()
    if stated and stated.amount and Decimal(stated.amount) != received.amount:
        raise reject(
            "amount", f"M-Pesa's books state {kes_stated(stated.amount)} for the receipt {received.receipt}."
        )
