"""How many places and coupon uses are kept before anything is paid: by one order, phone, e-mail address and network."""

from datetime import timedelta

from sqlalchemy import ColumnElement, and_, case, func, or_
from sqlmodel import col, select
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.clock import now
from agency_site.db.deduplication import wait_for_turn
from agency_site.errors import FieldError, InputRejected, TooManyRequests
from agency_site.features.checkout.orders.rules import OrderState
from agency_site.features.checkout.orders.tables import Order
from agency_site.features.checkout.payments.tables import Payment
from agency_site.settings import settings

_WAIT_SECONDS = 120
"""After which places of a payment that was cancelled are free again."""

_RECENT = timedelta(days=1)
"""Older orders keep nothing, unless they are tried again; an index has state and time."""

_KEPT = (
    "Other orders {whose} wait for their payment and keep their places meanwhile. Nothing was charged. "
    "Please try again in two minutes, or call us."
)


def explain_places_limit(places: int, run: str) -> str:
    """Explain why so many places of a course run cannot be ordered at once; empty if they can."""
    most = settings().places_unpaid
    if not run or places <= most:
        return ""
    return f"At most {most} places of one date can be ordered at once. For a larger group, please contact us."


def require_few_places(places: int, run: str) -> None:
    """Raise InputRejected for `quantity` where an order asks for more places of a run than are kept unpaid."""
    if reason := explain_places_limit(places, run):
        raise InputRejected(reason, (FieldError("quantity", reason),))


async def require_few_unpaid(session: AsyncSession, order: Order, phone: str) -> None:
    """Raise TooManyRequests where unpaid orders of the phone, the address or the network keep as much as they may."""
    wanted = order.quantity if order.run_reference else int(order.coupon_code != "")
    if not wanted:
        return
    # Two requests at once must not both find room.
    await wait_for_turn(session, f"unpaid:{order.email.lower()}")
    of_phone = select(Payment.order_id).where(Payment.phone == phone, col(Payment.order_id) == col(Order.id))
    of_person = or_(func.lower(col(Order.email)) == order.email.lower(), of_phone.exists())
    if await _count_kept(session, order, of_person) + wanted > settings().places_unpaid:
        raise TooManyRequests(_KEPT.format(whose="with this phone or e-mail address"), _WAIT_SECONDS)
    if not order.network:
        return
    await wait_for_turn(session, f"unpaid:{order.network}")
    of_network = col(Order.network) == order.network
    if await _count_kept(session, order, of_network) + wanted > settings().unpaid_places_of_network:
        raise TooManyRequests(_KEPT.format(whose="from your network"), _WAIT_SECONDS)


async def _count_kept(session: AsyncSession, order: Order, whose: ColumnElement[bool]) -> int:
    """Places and coupon uses that other orders keep without being paid."""
    moment = now()
    given_up = and_(
        col(Order.state) == OrderState.UNPAID,
        col(Order.updated_at) > moment - timedelta(minutes=settings().place_kept_minutes),
        col(Order.created_at) > moment - _RECENT,
    )
    kept = func.sum(case((col(Order.run_reference) != "", col(Order.quantity)), else_=1))
    others = select(func.coalesce(kept, 0)).where(
        col(Order.id) != order.id,
        or_(col(Order.state) == OrderState.AWAITING, given_up),
        or_(col(Order.run_reference) != "", col(Order.coupon_code) != ""),
        whose,
    )
    return int((await session.exec(others)).one())
