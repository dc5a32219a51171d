"""Rules of coupons."""

from datetime import datetime
from enum import StrEnum
from typing import Protocol

from agency_site.errors import Conflict


class CouponUsedUp(Conflict):
    """The coupon of the order has no use left, or has expired."""

    def __init__(self) -> None:
        super().__init__(
            "The coupon of this order is used up or has expired. Nothing was charged. Please order again without it."
        )


class CouponState(StrEnum):
    """The answer to whether an order can use its coupon now."""

    USABLE = "usable"
    """The order has no coupon, or has its use, or can get one."""
    EXPIRED = "expired"
    USED_UP = "used_up"


MOST_PERCENT = 100


class Period(Protocol):
    """The period in which a coupon may be used, unless staff end it earlier."""

    valid_from: datetime | None
    valid_until: datetime | None
    ended_at: datetime | None


def is_valid_coupon_time(coupon: Period, moment: datetime) -> bool:
    """Return whether the coupon may be used at that moment."""
    has_begun = coupon.valid_from is None or coupon.valid_from <= moment
    is_over = coupon.valid_until is not None and coupon.valid_until <= moment
    return has_begun and not is_over and coupon.ended_at is None
