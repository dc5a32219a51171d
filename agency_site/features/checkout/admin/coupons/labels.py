"""Texts about coupons for staff: discount, scope, uses, state. No I/O."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from enum import StrEnum

from agency_site.backoffice.detail_page import HistoryLine, edit_words
from agency_site.backoffice.lists.definition import when
from agency_site.content.courses import course_by_slug
from agency_site.db.event_log import LoggedEvent
from agency_site.features.checkout.coupons.staff_request import CouponRequest
from agency_site.features.checkout.coupons.staff_usecases import CouponChange, CouponRecord
from agency_site.features.checkout.coupons.tables import Coupon
from agency_site.form_input import moment_field_value
from agency_site.money import kes

COUPONS, COUPON = "/admin/coupons", "/admin/coupon"


class CouponState(StrEnum):
    """The present state of a coupon, derived from time and uses."""

    PLANNED = "planned"
    VALID = "valid"
    USED_UP = "used_up"
    ENDED = "ended"


COUPON_STATES: Mapping[CouponState, str] = {
    CouponState.VALID: "Valid",
    CouponState.PLANNED: "Planned",
    CouponState.USED_UP: "Used up",
    CouponState.ENDED: "Ended",
}

FIELD_LABELS: Mapping[str, str] = {
    "code": "Code",
    "discount": "Discount",
    "course_slug": "Course",
    "run_reference": "Course run",
    "valid_from": "Valid from",
    "valid_until": "Valid until",
    "uses": "Number of uses",
}
"""The fields that two editors may change differently."""

_COLUMNS = {**FIELD_LABELS, "percent": "Discount, %", "amount": "Discount, KES"}

_CHANGES = {CouponChange.CREATED: "Created", CouponChange.EDITED: "Edited", CouponChange.ENDED: "Ended"}


def find_coupon_state(coupon: Coupon | CouponRecord, moment: datetime) -> CouponState:
    """Return the state of a coupon at that moment."""
    if coupon.ended_at or (coupon.valid_until and coupon.valid_until <= moment):
        return CouponState.ENDED
    if coupon.valid_from and coupon.valid_from > moment:
        return CouponState.PLANNED
    used_up = coupon.uses is not None and coupon.used >= coupon.uses
    return CouponState.USED_UP if used_up else CouponState.VALID


def describe_discount(percent: int | None, amount: int | None) -> str:
    """Return the discount in words, such as `10%` or `KES 1,500`."""
    return f"{percent}%" if percent is not None else kes(amount or 0)


def describe_scope(coupon: Coupon | CouponRecord) -> str:
    """Return the course and the run of the coupon in words."""
    course = course_by_slug(coupon.course_slug) if coupon.course_slug else None
    name = course.payment_name if course else coupon.course_slug or "All courses"
    return f"{name}, {coupon.run_reference}" if coupon.run_reference else name


def describe_uses(coupon: Coupon | CouponRecord) -> str:
    """Return the uses in words, such as `3 of 20`."""
    return f"{coupon.used:,}" if coupon.uses is None else f"{coupon.used:,} of {coupon.uses:,}"


def coupon_fields(coupon: CouponRecord | CouponRequest) -> dict[str, str]:
    """Return the fields of a coupon for its form and for comparing two versions; `CouponRequest` reads them back."""
    discount = coupon if isinstance(coupon, CouponRecord) else coupon.discount
    return {
        "code": coupon.code,
        "discount": f"{discount.percent}%" if discount.percent is not None else f"{discount.amount or 0:,}",
        "course_slug": coupon.course_slug,
        "run_reference": coupon.run_reference,
        "valid_from": moment_field_value(coupon.valid_from),
        "valid_until": moment_field_value(coupon.valid_until),
        "uses": str(coupon.uses or ""),
    }


def coupon_facts(coupon: CouponRecord, moment: datetime) -> dict[str, str]:
    state = find_coupon_state(coupon, moment)
    return {
        "state": state.value,
        "state_name": COUPON_STATES[state],
        "tone": "good" if state is CouponState.VALID else "quiet",
        "discount": describe_discount(coupon.percent, coupon.amount),
        "scope": describe_scope(coupon),
        "used": describe_uses(coupon),
        "from": when(coupon.valid_from),
        "until": when(coupon.valid_until),
        "ended": when(coupon.ended_at),
    }


def coupon_history(events: Sequence[LoggedEvent]) -> list[HistoryLine]:
    """Return the history of a coupon, newest first."""
    return [
        HistoryLine(
            _CHANGES[CouponChange(event.what)], edit_words(event.note, _COLUMNS), when(event.at), event.actor
        )
        for event in reversed(events)
    ]
