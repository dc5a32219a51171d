"""Coupons: the discount of an order, and the use that is kept for it while it is being paid.

`Coupon.used` counts the uses of paid orders and the kept ones; a constraint of the database refuses more than the coupon
has. A use is released like the places of a course run: some time after the payment failed, by the job or the next buyer.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import ColumnElement, delete, func, or_, update
from sqlmodel import col, select
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.clock import now
from agency_site.errors import reject
from agency_site.features.checkout.coupons.rules import CouponState, is_valid_coupon_time
from agency_site.features.checkout.coupons.tables import Coupon, CouponUse
from agency_site.features.checkout.orders.request import read_coupon_code
from agency_site.features.checkout.orders.rules import Discount, compute_open_key
from agency_site.features.checkout.orders.tables import Order
from agency_site.settings import settings

UNKNOWN = "We have no coupon with this code for this course. Please check the code, or leave the box empty."


@dataclass(frozen=True)
class CouponOffer:
    """A coupon that a visitor may use for a course now."""

    code: str
    """Empty if staff give the discount without a coupon."""
    discount: Discount


FREE_PLACE = CouponOffer("", Discount(100, None))
"""The discount by staff on an order that costs the client nothing."""


async def find_coupon(
    session: AsyncSession, code: str, course_slug: str, run: str, email: str = ""
) -> CouponOffer:
    """Return the coupon with that code, in upper or lower case, for the course and the chosen run.

    The last use may be kept for the current order of `email` for the course. Raises InputRejected for `coupon`.
    """
    coupon_code = read_coupon_code(code)
    wanted = select(Coupon).where(Coupon.code == (coupon_code if coupon_code.isprintable() else ""))
    row = (await session.exec(wanted)).one_or_none()
    if row is None or row.course_slug not in ("", course_slug) or row.run_reference not in ("", run):
        raise reject("coupon", UNKNOWN)
    if not is_valid_coupon_time(row, now()):
        raise reject("coupon", "This coupon has expired or is not valid yet.")
    used_up = row.uses is not None and row.used >= row.uses
    if used_up and not await _has_use_for(session, row, compute_open_key(email, course_slug)):
        raise reject("coupon", "This coupon is used up.")
    return CouponOffer(row.code, Discount(row.percent, row.amount))


async def _has_use_for(session: AsyncSession, coupon: Coupon, open_key: str) -> bool:
    """Return whether a use is kept for the order with that key, or for an order whose time is over."""
    due, own = col(CouponUse.kept_until) <= now(), col(Order.open_key) == open_key
    kept_use = select(CouponUse.id).join(Order, col(Order.id) == CouponUse.order_id)
    result = await session.exec(kept_use.where(CouponUse.coupon_id == coupon.id, due | own).limit(1))
    return result.first() is not None


async def keep_use(session: AsyncSession, order: Order, *, paid: bool = False) -> bool:
    """Keep a use of the order's coupon until its payment is final. The order must be locked.

    Returns False if the coupon is used up or, before the money has arrived, has expired. True if the order has no coupon.
    """
    if not order.coupon_code:
        return True
    assert order.id is not None
    # The coupon is locked before its use is read: otherwise the job could release the use in between.
    locked = select(Coupon).where(Coupon.code == order.coupon_code).with_for_update()
    coupon = (await session.exec(locked.execution_options(populate_existing=True))).one()
    assert coupon.id is not None
    use = await _find_use(session, order.id)
    if use is not None:
        use.kept_until = None
        session.add(use)
        await session.flush()
        return True
    await release_due_uses(session, coupon.id)
    valid = paid or is_valid_coupon_time(coupon, now())
    if not valid or not await _take(session, coupon.id):
        return False
    session.add(CouponUse(order_id=order.id, coupon_id=coupon.id))
    await session.flush()
    return True


async def list_coupon_states(
    session: AsyncSession, orders: Sequence[Order]
) -> Mapping[int | None, CouponState]:
    """Answer for each order, by its id, as `keep_use` would, from what is committed. Nothing is locked or kept."""
    states: dict[int | None, CouponState] = {order.id: CouponState.USABLE for order in orders}
    discounted = [order for order in orders if order.coupon_code]
    if not discounted:
        return states
    own = select(CouponUse.order_id).where(col(CouponUse.order_id).in_([order.id for order in discounted]))
    keeping = set(await session.exec(own))
    codes = {order.coupon_code for order in discounted if order.id not in keeping}
    coupons = {
        coupon.code: coupon
        for coupon in await session.exec(select(Coupon).where(col(Coupon.code).in_(codes)))
    }
    ids = [coupon.id for coupon in coupons.values()]
    due = select(CouponUse.coupon_id, func.count()).where(
        col(CouponUse.coupon_id).in_(ids), col(CouponUse.kept_until) <= now()
    )
    released = dict((await session.exec(due.group_by(col(CouponUse.coupon_id)))).all())
    for order in discounted:
        if order.id not in keeping:
            coupon = coupons[order.coupon_code]
            states[order.id] = _find_state(coupon, released.get(coupon.id or 0, 0))
    return states


def _find_state(coupon: Coupon, released: int) -> CouponState:
    """Return the state of a coupon for an order that keeps no use of it; `released` uses of others are over."""
    if coupon.uses is not None and coupon.used - released >= coupon.uses:
        return CouponState.USED_UP
    return CouponState.USABLE if is_valid_coupon_time(coupon, now()) else CouponState.EXPIRED


async def give_up_use(session: AsyncSession, order_id: int) -> None:
    """Keep the use only for a while longer, after the order's payment has ended without money."""
    await _keep_until(session, order_id, now() + timedelta(minutes=settings().place_kept_minutes))


async def release_use(session: AsyncSession, order_id: int) -> None:
    """Stop keeping the use of an order that another order replaces."""
    await _keep_until(session, order_id, now())


async def _keep_until(session: AsyncSession, order_id: int, moment: datetime) -> None:
    extended = update(CouponUse).where(col(CouponUse.order_id) == order_id).values(kept_until=moment)
    await session.exec(extended.execution_options(synchronize_session=False))


async def find_due_coupons(session: AsyncSession) -> list[int]:
    """Return the ids of coupons with uses whose time is over."""
    due = select(CouponUse.coupon_id).where(col(CouponUse.kept_until) <= now()).distinct()
    return list(await session.exec(due))


async def release_due_uses(session: AsyncSession, coupon_id: int) -> int:
    """Release the uses of a coupon whose time is over. Returns the number of released uses."""
    # The coupon is locked first, as when a use is taken: so the uses and `Coupon.used` change together.
    await session.exec(select(Coupon.id).where(Coupon.id == coupon_id).with_for_update())
    due_uses: tuple[ColumnElement[bool], ...] = (
        col(CouponUse.coupon_id) == coupon_id,
        col(CouponUse.kept_until) <= now(),
    )
    returned = (await session.exec(delete(CouponUse).where(*due_uses).returning(col(CouponUse.id)))).all()
    if returned:
        fewer = (
            update(Coupon).where(col(Coupon.id) == coupon_id).values(used=col(Coupon.used) - len(returned))
        )
        await session.exec(fewer.execution_options(synchronize_session=False))
    return len(returned)


async def _take(session: AsyncSession, coupon_id: int) -> bool:
    fits = or_(col(Coupon.uses).is_(None), col(Coupon.used) < col(Coupon.uses))
    increment = update(Coupon).where(col(Coupon.id) == coupon_id, fits).values(used=col(Coupon.used) + 1)
    return (await session.exec(increment.execution_options(synchronize_session=False))).rowcount == 1


async def _find_use(session: AsyncSession, order_id: int) -> CouponUse | None:
    wanted = select(CouponUse).where(CouponUse.order_id == order_id)
    return (await session.exec(wanted.execution_options(populate_existing=True))).one_or_none()
