"""Coupons: what one takes off an order, and its uses, kept for an order while it is paid for.

`Coupon.used` counts the uses that are kept and those of paid orders; the database refuses more than the coupon has. A use is
given back like the places of a course run: some time after the payment was given up, by the job or the next buyer.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import ColumnElement, delete, or_, update
from sqlmodel import col, select
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.clock import now
from agency_site.features.checkout.coupons.rules import is_valid_coupon_time
from agency_site.features.checkout.coupons.tables import Coupon, CouponUse
from agency_site.features.checkout.orders.request import read_coupon_code
from agency_site.features.checkout.orders.rules import Discount, compute_open_key
from agency_site.features.checkout.orders.staff_request import reject
from agency_site.features.checkout.orders.tables import Order
from agency_site.settings import settings

UNKNOWN = "We know no coupon of this code for this course. Please check it, or leave the box empty."


@dataclass(frozen=True)
class CouponOffer:
    """A coupon that a visitor may use for a course now."""

    code: str
    """Empty if staff give the discount without a coupon."""
    discount: Discount


FREE_PLACE = CouponOffer("", Discount(100, None))
"""What staff take off an order that costs the client nothing."""


async def find_coupon(
    session: AsyncSession, code: str, course_slug: str, run: str, email: str = ""
) -> CouponOffer:
    """The coupon of that code, in any letter case, for the course and the chosen run.

    The last use may be kept for the present order of `email` for the course. Raises InputRejected for `coupon`.
    """
    typed = read_coupon_code(code)
    wanted = select(Coupon).where(Coupon.code == (typed if typed.isprintable() else ""))
    row = (await session.exec(wanted)).one_or_none()
    if row is None or row.course_slug not in ("", course_slug) or row.run_reference not in ("", run):
        raise reject("coupon", UNKNOWN)
    if not is_valid_coupon_time(row, now()):
        raise reject("coupon", "This coupon cannot be used now: its time is over, or has not come.")
    used_up = row.uses is not None and row.used >= row.uses
    if used_up and not await _has_use_for(session, row, compute_open_key(email, course_slug)):
        raise reject("coupon", "This coupon is used up.")
    return CouponOffer(row.code, Discount(row.percent, row.amount))


async def _has_use_for(session: AsyncSession, coupon: Coupon, open_key: str) -> bool:
    """Whether a use is kept for the order of that key, or its time is over."""
    due, own = col(CouponUse.kept_until) <= now(), col(Order.open_key) == open_key
    kept = select(CouponUse.id).join(Order, col(Order.id) == CouponUse.order_id)
    found = await session.exec(kept.where(CouponUse.coupon_id == coupon.id, due | own).limit(1))
    return found.first() is not None


async def keep_use(session: AsyncSession, order: Order, *, paid: bool = False) -> bool:
    """Keep a use of the order's coupon until its payment is final; True where it has none. The order must be locked.

    False: it is used up or, before the money is here, not valid any more.
    """
    if not order.coupon_code:
        return True
    assert order.id is not None
    # Locked first: until then the use could be given back.
    locked = select(Coupon).where(Coupon.code == order.coupon_code).with_for_update()
    coupon = (await session.exec(locked.execution_options(populate_existing=True))).one()
    assert coupon.id is not None
    kept = await _find_use(session, order.id)
    if kept is not None:
        kept.kept_until = None
        session.add(kept)
        await session.flush()
        return True
    await give_back_due(session, coupon.id)
    valid = paid or is_valid_coupon_time(coupon, now())
    if not valid or not await _take(session, coupon.id):
        return False
    session.add(CouponUse(order_id=order.id, coupon_id=coupon.id))
    await session.flush()
    return True


async def give_up_use(session: AsyncSession, order_id: int) -> None:
    """The order's payment has ended without money: keep its use only for a while longer."""
    await _keep_until(session, order_id, now() + timedelta(minutes=settings().place_kept_minutes))


async def release_use(session: AsyncSession, order_id: int) -> None:
    """Keep the use of an order no longer: another order has replaced it."""
    await _keep_until(session, order_id, now())


async def _keep_until(session: AsyncSession, order_id: int, moment: datetime) -> None:
    kept = update(CouponUse).where(col(CouponUse.order_id) == order_id).values(kept_until=moment)
    await session.exec(kept.execution_options(synchronize_session=False))


async def find_due_coupons(session: AsyncSession) -> list[int]:
    """Ids of the coupons with uses whose time is over."""
    due = select(CouponUse.coupon_id).where(col(CouponUse.kept_until) <= now()).distinct()
    return list(await session.exec(due))


async def give_back_due(session: AsyncSession, coupon_id: int) -> int:
    """Give back the uses of a coupon whose time is over; how many orders they were kept for."""
    # Locked first, like whoever takes a use: so uses and their number change together.
    await session.exec(select(Coupon.id).where(Coupon.id == coupon_id).with_for_update())
    mine: tuple[ColumnElement[bool], ...] = (
        col(CouponUse.coupon_id) == coupon_id,
        col(CouponUse.kept_until) <= now(),
    )
    returned = (await session.exec(delete(CouponUse).where(*mine).returning(col(CouponUse.id)))).all()
    if returned:
        fewer = (
            update(Coupon).where(col(Coupon.id) == coupon_id).values(used=col(Coupon.used) - len(returned))
        )
        await session.exec(fewer.execution_options(synchronize_session=False))
    return len(returned)


async def _take(session: AsyncSession, coupon_id: int) -> bool:
    fits = or_(col(Coupon.uses).is_(None), col(Coupon.used) < col(Coupon.uses))
    taken = update(Coupon).where(col(Coupon.id) == coupon_id, fits).values(used=col(Coupon.used) + 1)
    return (await session.exec(taken.execution_options(synchronize_session=False))).rowcount == 1


async def _find_use(session: AsyncSession, order_id: int) -> CouponUse | None:
    wanted = select(CouponUse).where(CouponUse.order_id == order_id)
    return (await session.exec(wanted.execution_options(populate_existing=True))).one_or_none()
