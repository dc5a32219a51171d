"""`python -m tests.integration.features.checkout.buying RUN SEED`: one process of the race in `test_place_races.py`.

It orders places in a course run, and settles, loses and refunds its payments as M-Pesa's answers would.
"""

import asyncio
import json
import random
import sys
from collections import Counter

from agency_site.db.engine import dispose_engine, session_scope
from agency_site.feature_contracts import join_features
from agency_site.features.checkout.buying.orders import (
    OrderDraft,
    find_or_create_order,
    find_or_create_payment,
)
from agency_site.features.checkout.orders.request import Enrollee
from agency_site.features.checkout.orders.rules import OrderState, RunFull
from agency_site.features.checkout.payments.queries import lock_payment
from agency_site.features.checkout.payments.settlement import PaymentResult, end_unpaid, settle
from agency_site.features.checkout.payments.transitions import MPESA
from agency_site.features.checkout.refunds.refunds import record_refund
from agency_site.features.checkout.refunds.staff_request import Refund
from agency_site.mpesa.contract import Outcome
from agency_site.places import places
from tests.example_records import PAID_COURSE

ATTEMPTS = 12


async def order_places(run: str, name: str, quantity: int) -> int | None:
    """Order places. Returns the id of the open payment; None if too few places are left."""
    enrollee = Enrollee.model_validate({
        "firstName": "Amina", "lastName": "Odhiambo", "email": f"{name}@example.com", "phone": "0712 345 678",
        "courseName": PAID_COURSE.payment_name, "run": run,
    })  # fmt: skip
    try:
        async with session_scope() as session:
            offer = await places().find_offer(session, PAID_COURSE.slug, run)
            payer = f"2547{abs(hash(name)) % 10**8:08}"
            draft = OrderDraft(
                enrollee=enrollee,
                course=PAID_COURSE,
                quantity=quantity,
                contact=f"+{payer}",
                payer=payer,
                offer=offer,
            )
            order, _ = await find_or_create_order(session, draft)
            return (await find_or_create_payment(session, order, None, payer)).payment.id
    except RunFull:
        return None


async def decide(payment_id: int, chance: random.Random, name: str) -> str:
    """Let the payment be paid, paid late, refunded, or not paid."""
    paid = PaymentResult(MPESA, "0", "paid", f"UK{name}".upper()[:32])
    kind = chance.choice(("paid", "paid", "late", "refunded", "unpaid", "unpaid"))
    if kind in ("late", "unpaid"):
        async with session_scope() as session:
            order, payment = await lock_payment(session, payment_id)
            await end_unpaid(session, order, payment, PaymentResult(MPESA, "1032", ""), Outcome.CANCELLED)
    if kind == "late":
        await asyncio.sleep(chance.random() / 50)
    if kind != "unpaid":
        async with session_scope() as session:
            order, payment = await lock_payment(session, payment_id)
            await settle(session, order, payment, paid)
        kind = kind if order.state is OrderState.PAID else "review"
    if kind == "refunded":
        async with session_scope() as session:
            refund = Refund(f"RF{name}".upper(), "wanted")
            await record_refund(session, payment_id, refund, "wanjiku@mwanga.example")
    return kind


async def main(run: str, seed: str) -> None:
    join_features()
    chance, outcomes = random.Random(seed), Counter[str]()
    for number in range(ATTEMPTS):
        name = f"buyer{seed}x{number}"
        payment_id = await order_places(run, name, chance.choice((1, 1, 2, 3)))
        outcomes[await decide(payment_id, chance, name) if payment_id else "full"] += 1
    sys.stdout.write(json.dumps(outcomes))
    await dispose_engine()


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
