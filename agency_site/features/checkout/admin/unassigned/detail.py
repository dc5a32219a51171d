"""The state of an unassigned payment's page: M-Pesa's facts about it, and the order to assign it to."""

from dataclasses import dataclass
from typing import Any, ClassVar

import reflex as rx
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.auth import audit
from agency_site.auth.rules import Permission, Staff
from agency_site.backoffice.access_control import staff_event
from agency_site.backoffice.detail_page import DetailPage
from agency_site.backoffice.lists.definition import when
from agency_site.backoffice.state import StaffState
from agency_site.clock import in_nairobi
from agency_site.db.engine import session_scope
from agency_site.features.checkout.admin.dashboard import report_address
from agency_site.features.checkout.admin.labels import CHARGE, ORDER_STATES
from agency_site.features.checkout.admin.orders.list import order_address
from agency_site.features.checkout.direct_payments.manual import assign_transaction, record_return
from agency_site.features.checkout.direct_payments.staff_request import read_in_full, read_optional_note
from agency_site.features.checkout.orders.staff_request import read_order_reference
from agency_site.features.checkout.orders.tables import Order
from agency_site.features.checkout.refunds.staff_request import read_refund
from agency_site.features.checkout.transactions.tables import UnassignedTransaction
from agency_site.features.checkout.transactions.unassigned import find_transaction, suggest_orders
from agency_site.money import kes, kes_stated
from agency_site.phone_numbers import format_phone_number
from agency_site.ui.forms import submitted


@dataclass
class SuggestedOrder:
    """An unpaid order that the payment may be for."""

    reference: str
    href: str
    text: str


class TransactionState(DetailPage, StaffState):
    """The open payment; its receipt is its reference."""

    VIEW: ClassVar = Permission.SEE_PAYMENTS
    EDIT: ClassVar = Permission.WORK_PAYMENTS

    suggestions: rx.Field[list[SuggestedOrder]] = rx.field(default_factory=list)

    @staff_event(Permission.WORK_PAYMENTS)
    async def assign(self, who: Staff, form: dict[str, Any]) -> Any:
        fields = submitted(form)
        order_reference, explanation = read_order_reference(fields), read_optional_note(fields)
        in_full = read_in_full(fields)
        async with session_scope() as session:
            order = await assign_transaction(
                session, self.reference, order_reference, explanation, who.email, in_full=in_full
            )
            reference = order.reference
            await audit.record(session, who, "transaction.assigned", "order", reference, self.reference)
        return rx.redirect(order_address(reference))

    @staff_event(Permission.WORK_PAYMENTS)
    async def record_return(self, who: Staff, form: dict[str, Any]) -> None:
        """Close the payment, because it was refunded to the payer."""
        returned = read_refund(submitted(form))

        async def work(session: AsyncSession) -> None:
            await record_return(session, self.reference, returned, who.email)
            await audit.record(session, who, "transaction.returned", "transaction", self.reference)

        await self._run(who, work, "Refund recorded.")

    async def _read(self, session: AsyncSession, _who: Staff, reference: str) -> dict[str, Any]:
        transaction, order = await find_transaction(session, reference)
        suggested = [] if order else await suggest_orders(session, transaction)
        return {
            "reference": transaction.receipt,
            "facts": _transaction_facts(transaction, order),
            "suggestions": [_suggest(order) for order in suggested],
        }


def _transaction_facts(transaction: UnassignedTransaction, order: str) -> dict[str, str]:
    """Return the facts of the page; `order` is the reference of the assigned order, or empty."""
    day = in_nairobi(transaction.booked_at).date()
    return {
        "amount": kes_stated(transaction.amount) if transaction.amount else "Not stated",
        "account": transaction.account,
        "short_code": transaction.short_code,
        "phone": format_phone_number(transaction.phone),
        "booked": when(transaction.booked_at),
        "note": transaction.closing_note,
        "order": order,
        "new_order": f"{CHARGE}?transaction={transaction.receipt}",
        "closed": "yes" if transaction.closed_at else "",
        "returned": transaction.refund_reference or "",
        "report": report_address(day, day),
    }


def _suggest(order: Order) -> SuggestedOrder:
    name = f"{order.first_name} {order.last_name}".strip() or "Erased"
    text = f"{name}, {order.course_name}, {kes(order.amount)}, {ORDER_STATES[order.state].lower()}"
    return SuggestedOrder(order.reference, order_address(order.reference), text)
