"""Rules of coupons."""

from datetime import datetime
from typing import Protocol

from agency_site.errors import Conflict


class CouponUsedUp(Conflict):
    """The coupon of the order has no use left, or its time is over."""

    def __init__(self) -> None:
        super().__init__(
            "The coupon of this order is used up, or its time is over. Nothing was charged. Please order again without it."
        )


MOST_PERCENT = 100


class Period(Protocol):
    """What may be used between two moments, unless it was ended."""

    valid_from: datetime | None
    valid_until: datetime | None
    ended_at: datetime | None


def is_valid_coupon_time(coupon: Period, moment: datetime) -> bool:
    """Whether the coupon may be used at that moment."""
    begun = coupon.valid_from is None or coupon.valid_from <= moment
    over = coupon.valid_until is not None and coupon.valid_until <= moment
    return begun and not over and coupon.ended_at is None
