"""The list of coupons."""

import reflex as rx
from sqlalchemy import ColumnElement, and_, or_
from sqlmodel import col, select

from agency_site.auth.rules import Permission
from agency_site.backoffice.lists.definition import Cell, Choice, Column, ListDefinition, Tone, moment_cell
from agency_site.backoffice.lists.view import list_screen, new_record_link
from agency_site.backoffice.state import has_permission
from agency_site.clock import now
from agency_site.content.courses import course_options
from agency_site.features.checkout.admin.coupons.labels import (
    COUPON,
    COUPON_STATES,
    COUPONS,
    CouponState,
    describe_discount,
    describe_scope,
    describe_uses,
    find_coupon_state,
)
from agency_site.features.checkout.coupons.tables import Coupon
from agency_site.features.checkout.orders.request import read_coupon_code

_TONES: dict[CouponState, Tone] = {CouponState.VALID: "good", CouponState.PLANNED: "busy"}


def _has_state(value: str) -> ColumnElement[bool]:
    """Return the condition of coupons that `find_coupon_state` gives that state now."""
    moment = now()
    past = and_(col(Coupon.valid_until).is_not(None), col(Coupon.valid_until) <= moment)
    over = or_(col(Coupon.ended_at).is_not(None), past)
    planned = and_(col(Coupon.valid_from).is_not(None), col(Coupon.valid_from) > moment)
    used_up = and_(col(Coupon.uses).is_not(None), col(Coupon.used) >= col(Coupon.uses))
    conditions = {
        CouponState.ENDED: over,
        CouponState.PLANNED: ~over & planned,
        CouponState.USED_UP: ~over & ~planned & used_up,
        CouponState.VALID: ~over & ~planned & ~used_up,
    }
    return conditions[CouponState(value)]


def _state_cell(coupon: Coupon) -> Cell:
    state = find_coupon_state(coupon, now())
    return Cell(COUPON_STATES[state], _TONES.get(state, "quiet"))


COUPON_LIST_DEFINITION = ListDefinition(
    name="coupons",
    title="Coupons",
    noun=("coupon", "coupons"),
    kind="coupon",
    path=COUPONS,
    permission=Permission.SEE_PAYMENTS,
    rows=lambda: select(Coupon),
    identity=col(Coupon.id),
    reference=lambda coupon: coupon.code,
    columns=(
        Column("code", "Code", lambda coupon: Cell(coupon.code, "strong"), sort=col(Coupon.code)),
        Column("discount", "Discount", lambda coupon: Cell(describe_discount(coupon.percent, coupon.amount))),
        Column("scope", "For", lambda coupon: Cell(describe_scope(coupon))),
        Column("uses", "Used", lambda coupon: Cell(describe_uses(coupon)), caption=True),
        Column("state", "State", _state_cell),
        Column("from", "Valid from", lambda coupon: moment_cell(coupon.valid_from), unit="Nairobi", is_shown=False),
        Column("until", "Valid until", lambda coupon: moment_cell(coupon.valid_until), unit="Nairobi", is_shown=False),
        Column("created", "Created", lambda coupon: moment_cell(coupon.created_at, "whole"), unit="Nairobi",
               sort=col(Coupon.created_at)),
    ),
    order="-created",
    href=lambda coupon: f"{COUPON}?ref={coupon.code}",
    filters=(
        Choice("state", "State", lambda: tuple((state.value, name) for state, name in COUPON_STATES.items()), _has_state),
        Choice("course", "Course", course_options, lambda value: col(Coupon.course_slug) == value),
    ),
    search=lambda words: col(Coupon.code).contains(read_coupon_code(" ".join(words)), autoescape=True),
    search_hint="Code",
    empty="No coupons yet.",
)  # fmt: skip


def _new_coupon_link() -> rx.Component:
    return rx.cond(has_permission(Permission.WORK_PAYMENTS), new_record_link("New coupon", COUPON))


COUPON_LIST = list_screen(COUPON_LIST_DEFINITION, _new_coupon_link(), icon="tag")
