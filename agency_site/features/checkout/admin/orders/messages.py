"""Text messages to the buyer of an order, and the order's private link, which is the payment link of an unpaid one."""

from typing import ClassVar

from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.auth.rules import Permission, Staff
from agency_site.backoffice.state import StaffState
from agency_site.backoffice.texts.dialog import MessageDialog, TextTarget
from agency_site.content.staff_texts import ORDER_TEXTS
from agency_site.features.checkout.orders.queries import find_order_row, find_order_token, format_name
from agency_site.settings import settings


class OrderMessages(MessageDialog, StaffState):
    """The dialog that is open for an order."""

    WORK: ClassVar = Permission.WORK_PAYMENTS
    TEXTS: ClassVar = ORDER_TEXTS

    async def _find_target(self, session: AsyncSession, _who: Staff, reference: str) -> TextTarget:
        order = await find_order_row(session, reference)
        token = find_order_token(order) if order.email else None
        return TextTarget(
            "order",
            order.reference,
            format_name(order),
            order.phone,
            f"{settings().site_url}/order/{token}" if token else "",
            order.reference,
            {"course": order.course_name},
        )
