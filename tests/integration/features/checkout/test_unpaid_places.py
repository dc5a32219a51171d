"""Unpaid orders of strangers keep few places and coupon uses, and only for a short while."""

from collections.abc import Callable
from datetime import timedelta

import pytest

from agency_site.db.engine import session_scope
from agency_site.errors import Conflict
from agency_site.features.academy.jobs import release_given_up
from agency_site.features.academy.reservations.usecases import list_unpaid, release_unpaid
from agency_site.features.checkout.jobs import return_coupon_uses
from agency_site.features.checkout.orders.rules import OrderState
from tests.conftest import FRIDAY_NOON
from tests.example_records import THIRD_COURSE
from tests.integration.features.academy.runs import open_run
from tests.integration.features.checkout.conftest import PRICE, Shop, orders
from tests.integration.features.checkout.test_coupons import buy, coupon, stored
from tests.integration.features.checkout.test_course_runs import count_taken_places


async def test_places_of_a_cancelled_prompt_are_free_within_two_minutes(shop: Shop) -> None:
    run = await open_run(capacity="2")
    await shop.paid("032", run=run.reference)
    assert ((await orders())[0].state, await count_taken_places(run)) == (OrderState.UNPAID, 1)
    shop.move(FRIDAY_NOON + timedelta(seconds=85))
    await release_given_up()
    assert await count_taken_places(run) == 0


async def test_a_use_of_a_coupon_comes_back_within_two_minutes(shop: Shop) -> None:
    await coupon(uses="1")
    await buy(shop, "032")
    assert (await stored()).used == 1
    shop.move(FRIDAY_NOON + timedelta(seconds=85))
    await return_coupon_uses()
    assert (await stored()).used == 0


async def test_an_order_keeps_at_most_five_places_of_a_run(shop: Shop) -> None:
    run = await open_run(capacity="16")
    answer = await shop.pay(run=run.reference, quantity=12, amount=12 * PRICE)
    assert (answer.status_code, await count_taken_places(run), await orders()) == (422, 0, [])
    assert answer.json()["errors"] == [
        {
            "field": "quantity",
            "message": "At most 5 places of one date can be ordered at once. For a larger group, please contact us.",
        }
    ]
    answer = await shop.pay(run=run.reference, amount=12 * PRICE)
    assert (answer.status_code, await count_taken_places(run)) == (422, 0)
    await shop.paid(run=run.reference, quantity=5, amount=5 * PRICE)
    assert await count_taken_places(run) == 5


async def test_places_without_a_date_keep_nothing_and_are_not_bounded(shop: Shop) -> None:
    await shop.paid(quantity=12, amount=12 * PRICE)


@pytest.mark.parametrize(
    "same", [{"email": "one@example.com"}, {"phone": "0712 345 700"}], ids=["address", "phone"]
)
async def test_one_person_keeps_at_most_five_places(shop: Shop, same: dict[str, str]) -> None:
    run = await open_run(capacity="16")
    other = await open_run(capacity="16", course_slug=THIRD_COURSE.slug)
    first = {"email": "one@example.com", "phone": "0712 345 700"}
    assert (await shop.pay(**first, run=run.reference, quantity=3, amount=3 * PRICE)).status_code == 200
    second = {
        "email": "two@example.com",
        "phone": "0712 345 701",
        "courseName": THIRD_COURSE.payment_name,
    } | same
    answer = await shop.pay(**second, run=other.reference, quantity=3, amount=3 * PRICE)
    assert (answer.status_code, await count_taken_places(other)) == (429, 0)
    assert "with this phone or e-mail address" in answer.json()["message"]
    assert answer.headers["retry-after"] == "120"


async def test_one_network_keeps_at_most_so_many_places(shop: Shop, configure: Callable[..., object]) -> None:
    configure(unpaid_places=3)
    run = await open_run(capacity="16")
    for number in range(3):
        await shop.paid("032", email=f"{number}@example.com", phone=f"071234{number}032", run=run.reference)
    refused = await shop.pay("111", email="4@example.com", phone="0712344111", run=run.reference)
    assert (refused.status_code, await count_taken_places(run)) == (429, 3)
    assert "from your network" in refused.json()["message"]
    # Without a date nothing is kept, and what was given up counts no longer.
    await shop.paid("112", email="5@example.com", phone="0712345112")
    shop.move(FRIDAY_NOON + timedelta(minutes=2))
    await shop.paid("111", email="4@example.com", phone="0712344111", run=run.reference)


async def test_paid_places_count_for_nothing(shop: Shop, configure: Callable[..., object]) -> None:
    configure(unpaid_places=1, places_unpaid=1)
    run = await open_run(capacity="16")
    for number in range(3):
        body = {"email": f"{number}@example.com", "phone": "0712345111"}
        await shop.paid("111", **body, run=run.reference)
    assert await count_taken_places(run) == 3


async def test_trying_again_counts_the_order_once(shop: Shop, configure: Callable[..., object]) -> None:
    configure(unpaid_places=2, places_unpaid=2)
    run = await open_run(capacity="16")
    await shop.paid("032", run=run.reference, quantity=2, amount=2 * PRICE)
    await shop.retried()
    assert await count_taken_places(run) == 2


async def test_staff_see_what_unpaid_orders_keep_and_release_it(shop: Shop) -> None:
    run = await open_run(capacity="16")
    await shop.paid("111", run=run.reference, email="paid@example.com")
    await shop.pay("700", run=run.reference, quantity=3, amount=3 * PRICE)
    async with session_scope() as session:
        (unpaid,) = await list_unpaid(session, run.id)
        assert (unpaid.name, unpaid.email, unpaid.places) == ("Amina Wanjirũ", "amina700@example.com", 3)
        await release_unpaid(session, run.id, unpaid.id)
    assert await count_taken_places(run) == 1
    async with session_scope() as session:
        with pytest.raises(Conflict):
            await release_unpaid(session, run.id, unpaid.id)
    # Money that comes all the same takes the places again.
    await shop.outlast()
    assert await count_taken_places(run) == 4
