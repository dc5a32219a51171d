"""Kinds of payments are classified, and money is refused for the reason that weighs most."""

from dataclasses import replace

import pytest

from agency_site.features.checkout.coupons.rules import CouponState
from agency_site.features.checkout.orders.rules import UNPAID_ORDERS, Balance, OrderState
from agency_site.features.checkout.payments.messages import REFUSALS, explain_refusal
from agency_site.features.checkout.payments.rules import (
    BY_HAND,
    KIND_NAMES,
    METHOD_NAMES,
    PROMPTED,
    RECEIPT_LABELS,
    THROUGH_MPESA,
    OrderFacts,
    PaymentKind,
    PaymentState,
    Refusal,
    choose_arrival_refusal,
    choose_refusal,
    find_refusals,
    has_arrived,
)
from agency_site.features.checkout.payments.tables import Payment
from agency_site.places import Vacancy

PAYABLE = OrderFacts(
    state=OrderState.UNPAID,
    missing=15_000,
    is_erased=False,
    is_replaced=False,
    is_open=True,
    has_part=False,
    vacancy=Vacancy.FREE,
    coupon=CouponState.USABLE,
)


def test_every_kind_is_either_prompted_or_by_hand() -> None:
    assert set(PaymentKind) == PROMPTED | BY_HAND
    assert not PROMPTED & BY_HAND
    assert set(PaymentKind) >= THROUGH_MPESA


@pytest.mark.parametrize("table", [KIND_NAMES, METHOD_NAMES, RECEIPT_LABELS])
def test_every_kind_has_its_names(table: dict[PaymentKind, str]) -> None:
    assert set(table) == set(PaymentKind)


@pytest.mark.parametrize("kind", PaymentKind)
def test_only_money_by_hand_has_arrived_while_it_is_under_review(kind: PaymentKind) -> None:
    assert has_arrived(kind, PaymentState.NEEDS_REVIEW) is (kind in BY_HAND)


def test_the_index_against_two_open_prompts_covers_every_prompted_kind() -> None:
    (index,) = (each for each in Payment.__table__.indexes if each.name == "uq_payments_one_open_per_order")  # type: ignore[attr-defined]
    condition = str(index.dialect_options["sqlite"]["where"])
    assert [kind for kind in PaymentKind if f"'{kind.value}'" in condition] == sorted(PROMPTED)


def test_every_refusal_has_texts_for_the_buyer_and_for_staff() -> None:
    assert set(REFUSALS) == set(Refusal)
    assert all(str(explain_refusal(refusal)) for refusal in Refusal)


@pytest.mark.parametrize(
    ("changes", "refusal"),
    [
        ({}, None),
        ({"missing": 0}, Refusal.SETTLED),
        ({"state": OrderState.AWAITING}, None),
        ({"state": OrderState.NEEDS_REVIEW, "vacancy": Vacancy.FULL}, Refusal.UNDER_REVIEW),
        ({"state": OrderState.PAID, "is_replaced": True, "vacancy": Vacancy.CANCELLED}, None),
        ({"is_erased": True, "is_replaced": True}, Refusal.ERASED),
        ({"is_replaced": True, "has_part": True}, Refusal.REPLACED),
        ({"vacancy": Vacancy.CANCELLED, "has_part": True}, Refusal.RUN_CANCELLED),
        ({"vacancy": Vacancy.FULL, "has_part": True}, Refusal.NO_PLACE),
        ({"vacancy": Vacancy.ENDED}, Refusal.ENROLMENT_OVER),
        ({"is_open": False}, Refusal.COURSE_CLOSED),
        ({"is_open": False, "has_part": True}, None),
        ({"is_open": False, "vacancy": Vacancy.KEPT}, None),
        ({"coupon": CouponState.USED_UP}, Refusal.NO_COUPON),
        ({"coupon": CouponState.EXPIRED}, Refusal.COUPON_EXPIRED),
    ],
)
def test_money_is_refused_for_the_reason_that_weighs_most(
    changes: dict[str, object], refusal: Refusal | None
) -> None:
    assert choose_refusal(find_refusals(replace(PAYABLE, **changes))) is refusal  # type: ignore[arg-type]


@pytest.mark.parametrize("kind", PaymentKind)
@pytest.mark.parametrize("refusal", Refusal)
def test_money_that_has_arrived_waits_for_staff_only_for_a_lasting_reason(
    kind: PaymentKind, refusal: Refusal
) -> None:
    lasting = {Refusal.REPLACED, Refusal.RUN_CANCELLED, Refusal.NO_PLACE, Refusal.NO_COUPON}
    if kind in BY_HAND:
        lasting |= {Refusal.ERASED, Refusal.COURSE_CLOSED}
    assert (choose_arrival_refusal(kind, {refusal}) is refusal) is (refusal in lasting)
    # A reason that does not count hides none that does.
    assert choose_arrival_refusal(kind, {refusal, Refusal.NO_PLACE}) is not None


@pytest.mark.parametrize("state", OrderState)
def test_an_order_with_money_in_it_is_replaced_by_no_other(state: OrderState) -> None:
    part, nothing, returned = Balance(15_000, 1, 0), Balance(15_000, 0, 0), Balance(15_000, 1, 1)
    assert part.has_money(state) is (state is not OrderState.REFUNDED)
    for balance in (nothing, returned):
        assert balance.has_money(state) is (state not in UNPAID_ORDERS | {OrderState.REFUNDED})
