"""Limits on places and coupon uses that are kept for unpaid orders: by order, phone, e-mail address and network."""

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
"""The time after which the places of a cancelled payment are free again."""

_RECENT = timedelta(days=1)
"""Older orders keep nothing, unless they are tried again; an index has state and time."""

_LIMIT_REACHED = (
    "Other orders {whose} are waiting for payment and keep their places until then. Nothing was charged. "
    "Please try again in two minutes, or call us."
)


def explain_places_limit(places: int, run: str) -> str:
    """Return the reason why so many places of a course run cannot be ordered at once; empty if they can."""
    most = settings().places_unpaid
    if not run or places <= most:
        return ""
    return f"At most {most} places of one date can be ordered at once. For a larger group, please contact us."


def require_few_places(places: int, run: str) -> None:
    """Raise InputRejected for `quantity` if an order asks for more places of a run than may be kept unpaid."""
    if reason := explain_places_limit(places, run):
        raise InputRejected(reason, (FieldError("quantity", reason),))


async def require_few_unpaid(session: AsyncSession, order: Order, phone: str) -> None:
    """Raise TooManyRequests if the unpaid orders of the phone, address or network already keep the most places."""
    wanted = order.quantity if order.run_reference else int(order.coupon_code != "")
    if not wanted:
        return
    # Counting and adding is not atomic: two requests at the same time must not both pass the limit.
    await wait_for_turn(session, f"unpaid:{order.email.lower()}")
    same_phone = select(Payment.order_id).where(
        Payment.phone == phone, col(Payment.order_id) == col(Order.id)
    )
    same_person = or_(func.lower(col(Order.email)) == order.email.lower(), same_phone.exists())
    if await _count_kept(session, order, same_person) + wanted > settings().places_unpaid:
        raise TooManyRequests(_LIMIT_REACHED.format(whose="with this phone or e-mail address"), _WAIT_SECONDS)
    if not order.network:
        return
    await wait_for_turn(session, f"unpaid:{order.network}")
    same_network = col(Order.network) == order.network
    if await _count_kept(session, order, same_network) + wanted > settings().unpaid_places_of_network:
        raise TooManyRequests(_LIMIT_REACHED.format(whose="from your network"), _WAIT_SECONDS)


async def _count_kept(session: AsyncSession, order: Order, whose: ColumnElement[bool]) -> int:
    """Count the places and coupon uses that other unpaid orders keep."""
    moment = now()
    given_up = and_(
        col(Order.state) == OrderState.UNPAID,
        col(Order.updated_at) > moment - timedelta(minutes=settings().place_kept_minutes),
        col(Order.created_at) > moment - _RECENT,
    )
    kept_places = func.sum(case((col(Order.run_reference) != "", col(Order.quantity)), else_=1))
    others = select(func.coalesce(kept_places, 0)).where(
        col(Order.id) != order.id,
        or_(col(Order.state) == OrderState.AWAITING, given_up),
        or_(col(Order.run_reference) != "", col(Order.coupon_code) != ""),
        whose,
    )
    return int((await session.exec(others)).one())
