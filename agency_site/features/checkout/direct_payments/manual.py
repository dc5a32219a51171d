"""Payments for an order without a prompt: cash, bank transfers, and M-Pesa payments by hand.

They are settled like every payment, once for each receipt. Parts of the price add up. Staff may accept an amount other than
the balance with a note, which also closes the resulting discrepancy.
"""

import secrets
from decimal import Decimal

from sqlmodel import col, select
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.clock import now
from agency_site.errors import Conflict, reject
from agency_site.features.checkout.direct_payments.staff_request import ManualPayment
from agency_site.features.checkout.orders.queries import find_order_row, lock_order
from agency_site.features.checkout.orders.rules import OrderState
from agency_site.features.checkout.orders.staff_request import REASON_LENGTH
from agency_site.features.checkout.orders.tables import Order
from agency_site.features.checkout.payments.claims import find_refusal
from agency_site.features.checkout.payments.messages import REFUSALS
from agency_site.features.checkout.payments.queries import compute_account_reference, find_balance
from agency_site.features.checkout.payments.rules import UNRECORDABLE, PaymentKind, PaymentState
from agency_site.features.checkout.payments.settlement import PaymentResult, find_unmatched_refund, settle
from agency_site.features.checkout.payments.tables import Payment
from agency_site.features.checkout.payments.transitions import record_event
from agency_site.features.checkout.reconciliation.discrepancies import (
    DiscrepancySubject,
    close_discrepancy,
    find_discrepancy,
)
from agency_site.features.checkout.refunds.staff_request import Refund
from agency_site.features.checkout.reviews.usecases import explain_returned, reject_duplicate, require_unused
from agency_site.features.checkout.transactions.tables import UnassignedTransaction
from agency_site.features.checkout.transactions.unassigned import (
    find_known_receipts,
    find_unassigned,
    read_shillings,
)
from agency_site.money import kes, kes_stated


async def record_payment(session: AsyncSession, reference: str, received: ManualPayment, actor: str) -> Order:
    """Settle money that staff have received for the order. A payment that is recorded already changes nothing.

    Less than the balance is a part, unless staff accept it in full. Raises NotFound, Conflict if the order needs no more
    money, and InputRejected for `receipt`, `amount` or `note`.
    """
    row = await find_order_row(session, reference)
    assert row.id is not None
    order = await lock_order(session, row.id)
    if await _is_recorded(session, order, received):
        return order
    before = await find_balance(session, order)
    missing = before.missing(order.state)
    refusal = await find_refusal(session, order)
    if refusal in UNRECORDABLE:
        raise Conflict(REFUSALS[refusal][1])
    accepted = received.in_full or received.amount >= missing
    differs = received.amount != missing and (accepted or order.state is OrderState.PAID)
    if differs and not received.note:
        raise reject(
            "note",
            f"The balance of the order is {kes(missing)}. Please explain why another amount is accepted.",
        )
    await _require_stated_amount(session, received)
    payment = await add_payment(session, order, received, actor, accepted=accepted)
    subject = DiscrepancySubject(order_id=order.id)
    discrepancy = (
        await find_discrepancy(session, subject) if differs and order.state is OrderState.PAID else None
    )
    if discrepancy:
        await close_discrepancy(session, subject, discrepancy.amount, received.note, actor)
    elif received.note:
        record_event(session, order, payment, actor, received.note)
    await session.flush()
    return order


async def assign_transaction(
    session: AsyncSession,
    receipt: str,
    reference: str,
    explanation: str,
    actor: str,
    *,
    in_full: bool = False,
) -> Order:
    """Settle an unassigned transaction for the order with that reference; `explanation` may be empty.

    With `in_full`, less than the balance is accepted as the full price. Raises NotFound if the transaction or the order does not
    exist, and the errors of `record_payment`.
    """
    transaction = await find_unassigned(session, receipt)
    if transaction.refund_reference:
        raise Conflict(explain_returned(receipt, transaction.refund_reference))
    amount = read_shillings(transaction)
    if not amount:
        raise Conflict(
            f"M-Pesa states {kes_stated(transaction.amount)} for this transaction. Only whole shillings can pay for an order."
        )
    received = ManualPayment(
        PaymentKind.PAYBILL, amount, receipt, transaction.booked_at, explanation, in_full
    )
    return await record_payment(session, reference, received, actor)


async def record_return(session: AsyncSession, receipt: str, refund: Refund, actor: str) -> None:
    """Record that an unassigned transaction was refunded outside of this site, and close it.

    Raises NotFound, InputRejected for `refund_reference`, and Conflict if it was closed before.
    """
    transaction = await find_unassigned(session, receipt)
    if refund.reference in await find_known_receipts(session, [refund.reference]):
        raise reject("refund_reference", "This is the reference of a payment or of another refund.")
    subject = DiscrepancySubject(transaction_id=transaction.id)
    explanation = f"Refunded as {refund.reference}: {refund.reason}"[:REASON_LENGTH]
    await close_discrepancy(session, subject, read_shillings(transaction) or 0, explanation, actor)
    async with reject_duplicate("refund_reference", "Another refund has this reference.", session):
        transaction.refund_reference = refund.reference
        session.add(transaction)


async def add_payment(
    session: AsyncSession, order: Order, received: ManualPayment, actor: str, *, accepted: bool = False
) -> Payment:
    """Store money for an order and settle it; `accepted` is that of `PaymentResult`. The order must be locked.

    Raises InputRejected for `receipt` if another payment has it.
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
    """Raise InputRejected for `receipt` if M-Pesa has already reversed that payment completely."""
    unmatched = await find_unmatched_refund(session, received.receipt)
    if unmatched and (not unmatched.amount or Decimal(unmatched.amount) >= received.amount):
        raise reject("receipt", explain_returned(received.receipt, unmatched.receipt))


async def _is_recorded(session: AsyncSession, order: Order, received: ManualPayment) -> bool:
    """Return whether the order has exactly that payment.

    Raises InputRejected if another payment has its receipt, or staff have decided that it was not received.
    """
    payment = (await session.exec(select(Payment).where(Payment.receipt == received.receipt))).one_or_none()
    if payment is None:
        return False
    if (payment.order_id, payment.kind, payment.amount) != (order.id, received.kind, received.amount):
        raise reject("receipt", f"The receipt {received.receipt} already belongs to another payment.")
    if payment.state is PaymentState.FAILED:
        raise reject(
            "receipt", f"The payment with the receipt {received.receipt} was recorded as not received."
        )
    return True


async def _require_stated_amount(session: AsyncSession, received: ManualPayment) -> None:
    """Raise InputRejected for `amount` if M-Pesa's books state another amount for that receipt."""
    booked = select(UnassignedTransaction).where(col(UnassignedTransaction.receipt) == received.receipt)
    stated = (await session.exec(booked)).one_or_none()
    if stated and stated.amount and Decimal(stated.amount) != received.amount:
        raise reject(
            "amount", f"M-Pesa's books state {kes_stated(stated.amount)} for the receipt {received.receipt}."
        )
