"""What was paid from a phone number, for notices."""

from sqlalchemy import or_
from sqlmodel import col, select
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.features.checkout.orders.rules import SETTLED_ORDERS
from agency_site.features.checkout.orders.tables import Order
from agency_site.features.checkout.payments.tables import Payment
from agency_site.notices.dealings import MOST_DEALINGS, Dealing


async def find_payment_dealings(session: AsyncSession, number: str) -> list[Dealing]:
    """Return the newest orders of a number in E.164 that are settled or have money in them, and those paid from its phone.

    An order alone is none: a stranger can enter any number.
    """
    paid = select(Payment.order_id).where(col(Payment.paid_at).is_not(None))
    is_own = col(Order.phone) == number
    has_value = or_(col(Order.state).in_(SETTLED_ORDERS), col(Order.id).in_(paid))
    is_payer = col(Order.id).in_(paid.where(col(Payment.phone) == number.removeprefix("+")))
    dealings: list[Dealing] = []
    for condition in (is_own & has_value, is_payer):
        query = select(Order).where(condition).order_by(col(Order.id).desc()).limit(MOST_DEALINGS)
        dealings += [
            Dealing(row.reference, f"Order of {row.course_name}", is_upcoming=False)
            for row in await session.exec(query)
        ]
    return dealings
