"""`python -m tests.integration.features.checkout.couponing CODE SEED`: one process of the race in `test_coupons.py`.

It orders with a coupon, and settles or loses its payments as M-Pesa's answers would.
"""

import asyncio
import json
import random
import sys
from collections import Counter

from agency_site.db.engine import dispose_engine, session_scope
from agency_site.errors import InputRejected
from agency_site.feature_contracts import join_features
from agency_site.features.checkout.buying.orders import (
    OrderDraft,
    find_or_create_order,
    find_or_create_payment,
)
from agency_site.features.checkout.coupons.rules import CouponUsedUp
from agency_site.features.checkout.coupons.usecases import find_coupon
from agency_site.features.checkout.orders.request import Enrollee
from agency_site.features.checkout.orders.rules import OrderState
from agency_site.features.checkout.payments.queries import lock_payment
from agency_site.features.checkout.payments.settlement import PaymentResult, end_unpaid, settle
from agency_site.features.checkout.payments.transitions import MPESA
from agency_site.mpesa.contract import Outcome
from tests.example_records import PAID_COURSE

ATTEMPTS = 8
KINDS = ("paid", "late", "unpaid", "unpaid")
"""The results of payments. The last one of each process is paid, so that at least one is."""


async def order(code: str, name: str, payer: str) -> int | None:
    """Order with the coupon. Returns the id of the open payment; None if the coupon is used up."""
    enrollee = Enrollee.model_validate({
        "firstName": "Amina", "lastName": "Odhiambo", "email": f"{name}@example.com", "phone": "0712 345 678",
        "courseName": PAID_COURSE.payment_name, "coupon": code,
    })  # fmt: skip
    try:
        async with session_scope() as session:
            coupon = await find_coupon(session, code, PAID_COURSE.slug, "", enrollee.email)
            draft = OrderDraft(
                enrollee=enrollee,
                course=PAID_COURSE,
                quantity=1,
                contact=f"+{payer}",
                payer=payer,
                coupon=coupon,
            )
            created, _ = await find_or_create_order(session, draft)
            return (await find_or_create_payment(session, created, None, payer)).payment.id
    except (InputRejected, CouponUsedUp):
        return None


async def settle_as(kind: str, payment_id: int, name: str) -> str:
    """Let the payment be paid, paid late, or not paid. Returns its result, which may be a review."""
    if kind != "paid":
        async with session_scope() as session:
            locked_payment, payment = await lock_payment(session, payment_id)
            await end_unpaid(
                session, locked_payment, payment, PaymentResult(MPESA, "1032", ""), Outcome.CANCELLED
            )
    if kind == "unpaid":
        return kind
    async with session_scope() as session:
        locked_payment, payment = await lock_payment(session, payment_id)
        await settle(
            session, locked_payment, payment, PaymentResult(MPESA, "0", "paid", f"UK{name}".upper()[:32])
        )
    return kind if locked_payment.state is OrderState.PAID else "review"


async def main(code: str, seed: str) -> None:
    join_features()
    chance, outcomes = random.Random(seed), Counter[str]()
    for number in range(ATTEMPTS):
        name = f"buyer{seed}x{number}"
        payment_id = await order(code, name, f"2547{int(seed):02}{number:06}")
        kind = "paid" if number == ATTEMPTS - 1 else chance.choice(KINDS)
        outcomes[await settle_as(kind, payment_id, name) if payment_id else "used up"] += 1
    sys.stdout.write(json.dumps(outcomes))
    await dispose_engine()


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
