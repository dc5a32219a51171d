"""Read everything that belongs to one order."""

from collections import defaultdict
from collections.abc import Iterable
from typing import TypeVar

from sqlalchemy import or_
from sqlmodel import SQLModel, col, select
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.features.checkout.order_details.records import (
    CallbackRecord,
    EventRecord,
    NoteRecord,
    OrderDetail,
    OrderRecord,
    PaymentRecord,
    RefundRecord,
    ReportedRefundRecord,
    ReversalRecord,
    StatusQueryRecord,
)
from agency_site.features.checkout.orders.queries import find_order_row
from agency_site.features.checkout.orders.tables import Order, OrderEvent, OrderNote
from agency_site.features.checkout.payments.tables import CallbackInbox, Payment, PaymentRefund, StatusQuery
from agency_site.features.checkout.refunds.tables import ReportedRefund, Reversal
from agency_site.mail.staff_usecases import find_messages_about
from agency_site.places import places

Row = TypeVar("Row", bound=SQLModel)


async def find_order_detail(session: AsyncSession, reference: str) -> OrderDetail:
    """Return the order with that reference and everything that belongs to it. Raises NotFound."""
    return await load_order_detail(session, await find_order_row(session, reference))


async def load_order_detail(session: AsyncSession, order: Order) -> OrderDetail:
    """Return everything that belongs to one order."""
    assert order.id is not None
    return OrderDetail(
        order=OrderRecord.of(order),
        payments=await _list_payments(session, order),
        enrolment=await places().find_enrolment(session, order.id),
        events=tuple(EventRecord.of(row) for row in await _list_rows(session, OrderEvent, order)),
        notes=tuple(NoteRecord.of(row) for row in await _list_rows(session, OrderNote, order)),
        mails=await find_messages_about(session, order.reference),
    )


async def _list_rows(session: AsyncSession, table: type[Row], order: Order) -> list[Row]:
    belonging = table.order_id == order.id  # type: ignore[attr-defined]
    rows = select(table).where(belonging).order_by(table.id)  # type: ignore[attr-defined]
    return list(await session.exec(rows.execution_options(populate_existing=True)))


async def _list_payments(session: AsyncSession, order: Order) -> tuple[PaymentRecord, ...]:
    payments = await _list_rows(session, Payment, order)
    reversals = await list_reversals(session, payments)
    callbacks = await _list_callbacks(session, payments, reversals)
    queries: dict[int, list[StatusQueryRecord]] = defaultdict(list)
    payment_ids = [payment.id for payment in payments]
    of_payments = select(StatusQuery).where(col(StatusQuery.payment_id).in_(payment_ids))
    for row in await session.exec(of_payments.order_by(col(StatusQuery.id))):
        queries[row.payment_id].append(StatusQueryRecord.of(row))
    refunds = await list_refunds(session, payments)
    reported = await _list_reported_refunds(session, payments)
    return tuple(
        PaymentRecord.of(
            payment,
            refunds=tuple(RefundRecord.of(row) for row in refunds if row.payment_id == payment.id),
            reversals=tuple(ReversalRecord.of(row) for row in reversals if row.payment_id == payment.id),
            reported_refunds=tuple(
                ReportedRefundRecord.of(row) for row in reported if row.payment_id == payment.id
            ),
            callbacks=tuple(
                CallbackRecord.of(row) for row in callbacks if _is_about(row, payment, reversals)
            ),
            status_queries=tuple(queries[payment.id or 0]),
        )
        for payment in payments
    )


async def _list_reported_refunds(session: AsyncSession, payments: Iterable[Payment]) -> list[ReportedRefund]:
    """Return the reported reversals of the payments, oldest first."""
    of_payments = select(ReportedRefund).where(
        col(ReportedRefund.payment_id).in_([payment.id for payment in payments])
    )
    ordered = of_payments.order_by(col(ReportedRefund.id)).execution_options(populate_existing=True)
    return list(await session.exec(ordered))


async def list_refunds(session: AsyncSession, payments: Iterable[Payment]) -> list[PaymentRefund]:
    """Return the refunds of the payments, oldest first."""
    of_payments = select(PaymentRefund).where(
        col(PaymentRefund.payment_id).in_([payment.id for payment in payments])
    )
    return list(await session.exec(of_payments.order_by(col(PaymentRefund.id))))


async def list_reversals(session: AsyncSession, payments: Iterable[Payment]) -> list[Reversal]:
    """Return the requested reversals of the payments, oldest first."""
    of_payments = select(Reversal).where(col(Reversal.payment_id).in_([payment.id for payment in payments]))
    ordered = of_payments.order_by(col(Reversal.id)).execution_options(populate_existing=True)
    return list(await session.exec(ordered))


async def _list_callbacks(
    session: AsyncSession, payments: Iterable[Payment], reversals: Iterable[Reversal]
) -> list[CallbackInbox]:
    """Return the callbacks to the addresses of the payments or reversals, or with the id of one of their prompts."""
    attempts = [payment.attempt_key for payment in payments]
    attempts += [reversal.attempt_key for reversal in reversals]
    prompts = [payment.checkout_request_id for payment in payments if payment.checkout_request_id]
    about = or_(
        col(CallbackInbox.attempt_key).in_(attempts), col(CallbackInbox.checkout_request_id).in_(prompts)
    )
    return list(await session.exec(select(CallbackInbox).where(about).order_by(col(CallbackInbox.id))))


def _is_about(callback: CallbackInbox, payment: Payment, reversals: Iterable[Reversal]) -> bool:
    # The address decides, as it does when the callback is handled; the id decides only for old callbacks without an address.
    same_id = callback.checkout_request_id == payment.checkout_request_id
    paths = {
        payment.attempt_key,
        *(reversal.attempt_key for reversal in reversals if reversal.payment_id == payment.id),
    }
    return callback.attempt_key in paths or (same_id and not callback.attempt_key)
