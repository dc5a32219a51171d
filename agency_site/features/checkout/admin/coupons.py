"""Coupons in the back office: what staff enter, what they see and what they can do."""

import re
from datetime import datetime
from enum import StrEnum
from typing import Any

from sqlalchemy import ColumnElement, and_, or_
from sqlmodel import col
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.auth.rules import Permission, Staff
from agency_site.backoffice.lists.definition import Cell, Choice, Column, Tone, moment_cell
from agency_site.backoffice.record_page import record_screens
from agency_site.backoffice.records import Action, FieldColumn, Record, Values, is_changed
from agency_site.characters import clean_amount, clean_number
from agency_site.clock import now
from agency_site.content.courses import course_by_slug, course_options
from agency_site.errors import reject
from agency_site.features.checkout.coupons.rules import MOST_PERCENT
from agency_site.features.checkout.coupons.tables import Coupon, CouponEvent
from agency_site.features.checkout.orders.request import COUPON_LENGTH, read_coupon_code
from agency_site.features.checkout.orders.rules import Discount
from agency_site.features.checkout.orders.staff_request import AMOUNT_DIGITS, parse_run
from agency_site.fields import Control, Field, Options
from agency_site.form_input import parse_whole_number
from agency_site.money import kes
from agency_site.places import places

_CODE = re.compile(r"[A-Z0-9][A-Z0-9-]{2,19}")
_MOST_USES = 100_000


class CouponState(StrEnum):
    """The present state of a coupon, derived from time and uses."""

    VALID = "Valid"
    PLANNED = "Planned"
    USED_UP = "Used up"
    ENDED = "Ended"


_TONES: dict[CouponState, Tone] = {CouponState.VALID: "good", CouponState.PLANNED: "busy"}


def find_coupon_state(coupon: Coupon, moment: datetime) -> CouponState:
    """Return the state of a coupon at that moment."""
    if coupon.ended_at or (coupon.valid_until and coupon.valid_until <= moment):
        return CouponState.ENDED
    if coupon.valid_from and coupon.valid_from > moment:
        return CouponState.PLANNED
    is_used_up = coupon.uses is not None and coupon.used >= coupon.uses
    return CouponState.USED_UP if is_used_up else CouponState.VALID


def _has_state(value: str) -> ColumnElement[bool]:
    """Return the condition of coupons that `find_coupon_state` gives that state now."""
    moment = now()
    past = and_(col(Coupon.valid_until).is_not(None), col(Coupon.valid_until) <= moment)
    over = or_(col(Coupon.ended_at).is_not(None), past)
    planned = and_(col(Coupon.valid_from).is_not(None), col(Coupon.valid_from) > moment)
    used_up = and_(col(Coupon.uses).is_not(None), col(Coupon.used) >= col(Coupon.uses))
    conditions = {
        "ended": over,
        "planned": ~over & planned,
        "used_up": ~over & ~planned & used_up,
        "valid": ~over & ~planned & ~used_up,
    }
    return conditions[value]


def _state_cell(coupon: Coupon) -> Cell:
    state = find_coupon_state(coupon, now())
    return Cell(state, _TONES.get(state, "quiet"))


def _parse_code(text: str) -> str:
    code = read_coupon_code(text)
    if not _CODE.fullmatch(code):
        raise ValueError("A code has 3 to 20 letters, digits and dashes.")
    return code


def _parse_discount(typed: str) -> Discount:
    text = clean_number(typed)
    text = clean_amount(text) if not text.endswith("%") else "".join(text.split())
    number = text.removesuffix("%")
    if not (number.isascii() and number.isdecimal() and len(number) <= AMOUNT_DIGITS and int(number)):
        raise ValueError("Please enter a percentage such as 10%, or whole shillings such as 1,500.")
    if not text.endswith("%"):
        return Discount(None, int(number))
    if int(number) > MOST_PERCENT:
        raise ValueError(f"At most {MOST_PERCENT}%.")
    return Discount(int(number), None)


def _write_discount(discount: Discount) -> str:
    return f"{discount.percent}%" if discount.percent is not None else f"{discount.amount or 0:,}"


def _store_discount(coupon: Coupon, discount: Discount) -> None:
    coupon.percent, coupon.amount = discount.percent, discount.amount


def _describe_discount(discount: Discount) -> str:
    return f"{discount.percent}%" if discount.percent is not None else kes(discount.amount or 0)


def _find_discount(coupon: Coupon) -> Discount:
    return Discount(coupon.percent, coupon.amount)


def _describe_scope(coupon: Coupon) -> str:
    """Return the course and the run of the coupon in words."""
    course = course_by_slug(coupon.course_slug) if coupon.course_slug else None
    name = course.payment_name if course else coupon.course_slug or "All courses"
    return f"{name}, {coupon.run_reference}" if coupon.run_reference else name


def _describe_uses(coupon: Coupon) -> str:
    """Return the uses in words, such as `3 of 20`."""
    return f"{coupon.used:,}" if coupon.uses is None else f"{coupon.used:,} of {coupon.uses:,}"


def _parse_uses(text: str) -> int | None:
    digits = clean_number(text)
    message = f"Enter a number from 1 to {_MOST_USES:,}, or leave this empty for any number of uses."
    return parse_whole_number(digits, _MOST_USES, message) if digits else None


async def _list_runs(session: AsyncSession, _coupon: Coupon | None) -> Options:
    return [(run.reference, run.text) for run in await places().list_coming_runs(session)]


async def _check(session: AsyncSession, coupon: Coupon, values: Values, _who: Staff) -> None:
    begins, until = values["valid_from"], values["valid_until"]
    if begins and until and begins >= until:
        raise reject("valid_until", "The coupon must end after it begins.")
    if until and until <= now() and is_changed(coupon, "valid_until"):
        raise reject(
            "valid_until",
            "This time has passed, so no order could use the coupon. To stop it now, choose End coupon.",
        )
    if coupon.uses is not None and coupon.uses < (coupon.used or 0):
        raise reject("uses", "More orders than that have used it already.")
    await _require_run(session, coupon.run_reference, coupon.course_slug)


async def _require_run(session: AsyncSession, run: str, course: str) -> None:
    if not run:
        return
    if await places().find_run_start(session, run) is None:
        raise reject("run_reference", "There is no course run with this reference.")
    coming = {each.reference: each.course_slug for each in await places().list_coming_runs(session)}
    if course and coming.get(run, course) != course:
        raise reject("run_reference", "This course run belongs to another course.")


async def _end(_session: AsyncSession, coupon: Coupon, _values: Values, _who: Staff) -> None:
    coupon.ended_at = now()


def _is_open(coupon: Any) -> bool:
    return coupon.ended_at is None


def _refuse_ended(_coupon: Coupon) -> str:
    return "This coupon has ended."


COUPONS = Record(
    table=Coupon,
    kind="coupon",
    noun=("coupon", "coupons"),
    icon="tag",
    path="/admin/coupon",
    list_path="/admin/coupons",
    see=Permission.SEE_PAYMENTS,
    work=Permission.WORK_PAYMENTS,
    reference=col(Coupon.code),
    clean_reference=read_coupon_code,
    events=CouponEvent,
    state=_state_cell,
    heading=lambda coupon: (_describe_discount(_find_discount(coupon)), _describe_scope(coupon)),
    fields=(
        Field("code", "Code", longest=COUPON_LENGTH, parser=_parse_code, typing="code", is_fixed=True,
              hint="Customers type this code: letters, digits and dashes. A space becomes a dash."),
        Field("discount", "Discount", longest=20, parser=_parse_discount, get=_find_discount, set=_store_discount,
              text=_write_discount, words=_describe_discount, columns=("percent", "amount"),
              hint="For example 10%, or 1,500 for KES 1,500 off the whole order."),
        Field("course_slug", "Course", Control.CHOICE, is_required=False, empty="All courses", choices=course_options),
        Field("run_reference", "Course run", Control.CHOICE, is_required=False, empty="All course runs",
              read_choices=_list_runs, parser=parse_run),
        Field("valid_from", "Valid from", Control.MOMENT, is_required=False, empty="at once"),
        Field("valid_until", "Valid until", Control.MOMENT, is_required=False, empty="no end"),
        Field("uses", "Number of uses", Control.NUMBER, is_required=False, empty="unlimited", parser=_parse_uses),
    ),
    column_labels={"percent": "Discount, %", "amount": "Discount, KES"},
    check=_check,
    can_create=True,
    can_edit=_is_open,
    edit_refusal=_refuse_ended,
    facts=(
        "discount",
        Column("scope", "For", lambda coupon: Cell(_describe_scope(coupon))),
        Column("used", "Used", lambda coupon: Cell(_describe_uses(coupon))),
        "valid_from",
        "valid_until",
        Column("ended", "Ended on", lambda coupon: moment_cell(coupon.ended_at), unit="Nairobi"),
    ),
    columns=(
        FieldColumn("code", sort=True, tone="strong"),
        "discount",
        Column("scope", "For", lambda coupon: Cell(_describe_scope(coupon))),
        Column("uses", "Used", lambda coupon: Cell(_describe_uses(coupon)), caption=True),
        Column("state", "State", _state_cell),
        FieldColumn("valid_from", is_shown=False),
        FieldColumn("valid_until", is_shown=False),
        Column("created", "Created", lambda coupon: moment_cell(coupon.created_at, "whole"), unit="Nairobi",
               sort=col(Coupon.created_at)),
    ),
    order="-created",
    filters=(
        Choice("state", "State", lambda: [(state.name.lower(), state) for state in CouponState], _has_state),
        Choice("course", "Course", course_options, lambda value: col(Coupon.course_slug) == value),
    ),
    search=lambda words: col(Coupon.code).contains(read_coupon_code(" ".join(words)), autoescape=True),
    search_hint="Code",
    empty="No coupons yet.",
    actions=(
        Action("end", "End coupon", _end, event="ended", done="The coupon has ended.", when=_is_open,
               refusal=_refuse_ended, title="End this coupon?",
               question="No further order can use it. This cannot be undone. Orders that use it keep their price."),
    ),
    steps={"ended": "Ended"},
)  # fmt: skip

SCREENS = record_screens(COUPONS)
