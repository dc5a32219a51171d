"""What only a person decides about money: payments under review, missing receipts, refunds.

Each verb holds the order first, like everybody who changes an order or its payments (`history`).
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from sqlalchemy.exc import IntegrityError
from sqlmodel import col, select
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.clock import now
from agency_site.errors import NotFound
from agency_site.features.checkout.enrolments import enrol
from agency_site.features.checkout.messages import CHECKED_UNPAID
from agency_site.features.checkout.records import OrderChanged, OrderFile
from agency_site.features.checkout.rules import BOOKED, STAFF_STEPS, OrderState, PaymentState
from agency_site.features.checkout.settlement import mail_unpaid, other_with
from agency_site.features.checkout.staff_request import reason_given, receipt_number, refund_number, refused
from agency_site.features.checkout.staff_usecases import CHANGED, file_of
from agency_site.features.checkout.tables import CallbackInbox, Enrolment, Order, Payment
from agency_site.features.checkout.transitions import decide, lock_payment, note, take_version


async def resolve_review(
    session: AsyncSession,
    payment_id: int,
    version: int,
    outcome: PaymentState,
    reason: str,
    receipt: str,
    actor: str,
) -> OrderFile:
    """Decide a payment under review; `version` is that of the order which was looked at.

    PAID needs M-Pesa's receipt, enrols if nobody was yet, and sends the confirmation. FAILED leaves the order payable
    again. Raises NotFound, InputRejected for `outcome`, `reason` and `receipt`, and OrderChanged when the order has
    moved on.
    """
    if outcome not in STAFF_STEPS[PaymentState.NEEDS_REVIEW]:
        raise refused("outcome", "A payment under review is either paid or not.")
    why = reason_given(reason)
    number = receipt_number(receipt) if outcome is PaymentState.PAID else ""
    order, payment = await _held(session, payment_id)
    if not await take_version(session, order, version) or payment.state is not PaymentState.NEEDS_REVIEW:
        raise OrderChanged(CHANGED, await file_of(session, order))
    if outcome is PaymentState.PAID:
        await _accept(session, order, payment, number, why, actor)
    else:
        await _dismiss(session, order, payment, why, actor)
    await session.flush()
    return await file_of(session, order)


async def _accept(
    session: AsyncSession, order: Order, payment: Payment, receipt: str, why: str, actor: str
) -> None:
    await _require_fitting(session, payment, receipt)
    async with _unique("receipt", f"The receipt {receipt} already belongs to another payment.", session):
        await decide(
            session,
            order,
            payment,
            PaymentState.PAID,
            actor=actor,
            why=f"accepted: {why}",
            receipt=receipt,
            settled_at=now(),
            **_NOT_WATCHED,
        )
    seat = await _enrolment(session, order)
    if order.state is OrderState.PAID and seat is None:
        await enrol(session, order, payment)
    else:
        note(session, order, payment, actor, "the order was settled already: this money is to be returned")


async def _dismiss(session: AsyncSession, order: Order, payment: Payment, why: str, actor: str) -> None:
    await decide(
        session,
        order,
        payment,
        PaymentState.FAILED,
        actor=actor,
        why=f"no money for this order: {why}",
        settled_at=now(),
        result_code=CHECKED_UNPAID,
        # A success that a query once told of would keep the order from being paid again.
        success_seen_at=None,
        **_NOT_WATCHED,
    )
    await mail_unpaid(session, order, payment)


_NOT_WATCHED = {"due_at": None, "leased_until": None}


async def enter_receipt(session: AsyncSession, payment_id: int, receipt: str, actor: str) -> OrderFile:
    """Add M-Pesa's receipt to a paid payment of which only status queries have told: they state none.

    A receipt that staff mistyped may be replaced by the one that M-Pesa has stated since. Raises NotFound,
    InputRejected for `receipt`, and OrderChanged when the payment has its receipt or is not paid.
    """
    number = receipt_number(receipt)
    order, payment = await _held(session, payment_id)
    mistyped = payment.receipt and await _stated(session, payment, number)
    if payment.state not in BOOKED or (payment.receipt and not mistyped):
        raise OrderChanged("This payment wants no receipt.", await file_of(session, order))
    await _require_unused(session, payment, number)
    why = f"receipt {number} entered" + (f" instead of {payment.receipt}" if mistyped else "")
    async with _unique("receipt", f"The receipt {number} already belongs to another payment.", session):
        payment.receipt = number
        session.add(payment)
        await session.flush()
    order.version += 1
    session.add(order)
    note(session, order, payment, actor, why)
    await session.flush()
    return await file_of(session, order)


async def mark_refunded(
    session: AsyncSession, payment_id: int, refund_reference: str, reason: str, actor: str
) -> OrderFile:
    """Note that the whole of a paid payment has been given back, outside of this site, under that reference.

    The receipt stays. Unless another payment still pays for it, the order is refunded and its enrolment has ended.
    Raises NotFound, InputRejected for `refund_reference` and `reason`, OrderChanged when the payment is not paid.
    """
    number, why = refund_number(refund_reference), reason_given(reason)
    order, payment = await _held(session, payment_id)
    if payment.state is not PaymentState.PAID:
        raise OrderChanged("Only a paid payment can be given back.", await file_of(session, order))
    if (await session.exec(select(Payment.id).where(Payment.receipt == number))).first() is not None:
        raise refused(
            "refund_reference", "This is the receipt of a payment to us. A refund has one of its own."
        )
    async with _unique("refund_reference", "Another refund carries this reference already.", session):
        await decide(
            session,
            order,
            payment,
            PaymentState.REFUNDED,
            actor=actor,
            why=f"given back as {number}: {why}",
            refund_reference=number,
            refund_reason=why,
            refunded_at=now(),
            **_NOT_WATCHED,
        )
    order.version += 1
    session.add(order)
    if order.state is OrderState.REFUNDED:
        await _end(session, order)
    await session.flush()
    return await file_of(session, order)


async def _end(session: AsyncSession, order: Order) -> None:
    # Who orders the same again means a new order.
    order.open_key = None
    session.add(order)
    if (seat := await _enrolment(session, order)) and not seat.ended_at:
        seat.ended_at = now()
        session.add(seat)


async def _held(session: AsyncSession, payment_id: int) -> tuple[Order, Payment]:
    if await session.get(Payment, payment_id) is None:
        raise NotFound("There is no such payment.")
    return await lock_payment(session, payment_id)


async def _enrolment(session: AsyncSession, order: Order) -> Enrolment | None:
    return (await session.exec(select(Enrolment).where(Enrolment.order_id == order.id))).one_or_none()


async def _require_fitting(session: AsyncSession, payment: Payment, receipt: str) -> None:
    if payment.receipt and payment.receipt != receipt:
        raise refused("receipt", f"M-Pesa itself states the receipt {payment.receipt} for this payment.")
    await _require_unused(session, payment, receipt)


async def _stated(session: AsyncSession, payment: Payment, receipt: str) -> bool:
    """Whether M-Pesa has told of that receipt, and of no other, on this payment's path."""
    told = select(CallbackInbox.receipt).where(
        CallbackInbox.attempt_key == payment.attempt_key, CallbackInbox.receipt != ""
    )
    return set(await session.exec(told)) == {receipt} != {payment.receipt}


async def _require_unused(session: AsyncSession, payment: Payment, receipt: str) -> None:
    if await other_with(session, payment, receipt):
        raise refused("receipt", f"The receipt {receipt} already belongs to another payment.")
    refunds = select(Payment.id).where(col(Payment.refund_reference) == receipt)
    if (await session.exec(refunds)).first() is not None:
        raise refused("receipt", f"{receipt} is the reference of a refund.")


@asynccontextmanager
async def _unique(field: str, message: str, session: AsyncSession) -> AsyncIterator[None]:
    """Two people who enter the same number for two orders at once both see it unused; the database refuses one."""
    try:
        async with session.begin_nested():
            yield
    except IntegrityError:
        raise refused(field, message) from None
