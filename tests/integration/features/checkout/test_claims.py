"""Money in an order gives it a claim, and all ways in which money comes ask the same question before they take it."""

from collections.abc import Awaitable, Callable

import pytest
from sqlmodel import select

from agency_site.content.entries import Kind
from agency_site.db.engine import session_scope
from agency_site.errors import Conflict
from agency_site.features.academy.jobs import release_given_up
from agency_site.features.academy.planning import usecases as planning
from agency_site.features.academy.planning.staff_request import SessionRequest
from agency_site.features.academy.reservations.usecases import list_unpaid, release_unpaid
from agency_site.features.academy.runs.records import RunRecord, list_sessions
from agency_site.features.academy.runs.rules import RunStatus
from agency_site.features.checkout.admin.orders.detail import OrderDetailState
from agency_site.features.checkout.buying.order_status import Stage
from agency_site.features.checkout.buying.usecases import (
    confirm_free_place,
    draft_order,
    place_order,
    request_free_place,
)
from agency_site.features.checkout.order_details.staff_usecases import change_contact
from agency_site.features.checkout.orders.request import CheckoutRequest, Enrollee
from agency_site.features.checkout.orders.rules import OrderExists, OrderState
from agency_site.features.checkout.orders.staff_request import read_contact
from agency_site.features.checkout.orders.tables import Order
from agency_site.features.checkout.payments.claims import find_refusal
from agency_site.features.checkout.payments.messages import REFUSALS
from agency_site.features.checkout.payments.rules import PaymentState, Refusal
from agency_site.mail.tables import OutboxMessage
from agency_site.mpesa.contract import PAYBILL_PATH
from agency_site.settings import settings
from tests.example_records import FREE_COURSE, PAID_COURSE
from tests.integration.backoffice.conftest import hire, open_tab
from tests.integration.features.academy.runs import ACTOR, open_run
from tests.integration.features.checkout.conftest import (
    PRICE,
    Shop,
    callback_for,
    enrolments,
    mails,
    order_body,
    order_token,
    order_view,
    orders,
    payments,
    rows,
)
from tests.integration.features.checkout.orders import STAFF, order_detail, under_review
from tests.integration.features.checkout.test_coupons import CODE, coupon
from tests.integration.features.checkout.test_course_runs import count_taken_places, now_of
from tests.integration.features.checkout.test_manual_payments import CANCELS, assign, book, record, unpaid
from tests.integration.features.checkout.test_parts import read_mails
from tests.integration.features.checkout.test_paybill import by_hand, confirmation, report_payment
from tests.integration.features.checkout.test_personal_data import erase_person
from tests.integration.publishing import delivered_content, publish

__all__ = ["delivered_content"]

pytestmark = pytest.mark.usefixtures("delivered_content")

PART, SMALL_PART = 10_000, 3_000
LATER = 24 * 3600


async def cancel(run: RunRecord) -> None:
    async with session_scope() as session:
        current = await now_of(run)
        await planning.change_status(session, run.reference, current.version, RunStatus.CANCELLED, ACTOR)


async def make_payable(shop: Shop, part: int) -> None:
    await unpaid(shop)
    await add_part(shop, part)


async def add_part(shop: Shop, part: int) -> None:
    if part:
        await report_payment(
            shop, TransID="UKKPART001", BillRefNumber=(await orders())[0].reference, TransAmount=f"{part}.00"
        )


async def make_run_order(shop: Shop, part: int) -> RunRecord:
    run = await open_run(capacity="1")
    await shop.paid(CANCELS, run=run.reference)
    await add_part(shop, part)
    return run


async def replace_order(shop: Shop, part: int) -> None:
    assert not part
    await unpaid(shop)
    await shop.control.post("next", result_code="0")
    await shop.paid(CANCELS, firstName="Aminah")


async def cancel_run(shop: Shop, part: int) -> None:
    await cancel(await make_run_order(shop, part))


async def fill_run(shop: Shop, part: int) -> None:
    run = await make_run_order(shop, part)
    await shop.later(LATER)
    await shop.paid("111", run=run.reference)


async def end_enrolment(shop: Shop, part: int) -> None:
    run = await make_run_order(shop, part)
    await shop.later(LATER)
    await release_given_up()
    async with session_scope() as session:
        current = await now_of(run)
        await planning.change_status(session, run.reference, current.version, RunStatus.PLANNED, ACTOR)


async def close_course(shop: Shop, part: int) -> None:
    await make_payable(shop, part)
    await publish(Kind.COURSE, PAID_COURSE.slug, is_open="")


async def use_up_coupon(shop: Shop, part: int) -> None:
    await coupon(uses="1", discount="KES 1,000")
    await shop.paid(CANCELS, coupon=CODE, amount=PRICE - 1_000)
    await add_part(shop, part)
    await shop.later(LATER)
    await shop.paid("111", coupon=CODE, amount=PRICE - 1_000)


async def put_under_review(shop: Shop, part: int) -> None:
    assert not part
    await under_review(shop)


async def pay_order(shop: Shop, part: int) -> None:
    await make_payable(shop, part)
    await report_payment(
        shop,
        TransID="UKKREST001",
        BillRefNumber=(await orders())[0].reference,
        TransAmount=f"{PRICE - part}.00",
    )


async def erase_buyer(shop: Shop, part: int) -> None:
    await make_payable(shop, part)
    await erase_person(f"amina{CANCELS}@example.com")


Situation = Callable[[Shop, int], Awaitable[object]]

SITUATIONS: tuple[tuple[Situation, int, Refusal | None], ...] = (
    (make_payable, 0, None),
    (make_payable, SMALL_PART, None),
    (make_payable, PART, None),
    (make_run_order, 0, None),
    (make_run_order, PART, None),
    (replace_order, 0, Refusal.REPLACED),
    (cancel_run, 0, Refusal.RUN_CANCELLED),
    (cancel_run, PART, Refusal.RUN_CANCELLED),
    (fill_run, 0, Refusal.NO_PLACE),
    (fill_run, SMALL_PART, Refusal.NO_PLACE),
    (end_enrolment, 0, Refusal.ENROLMENT_OVER),
    (close_course, 0, Refusal.COURSE_CLOSED),
    (close_course, SMALL_PART, None),
    (use_up_coupon, 0, Refusal.NO_COUPON),
    (use_up_coupon, SMALL_PART, Refusal.NO_COUPON),
    (put_under_review, 0, Refusal.UNDER_REVIEW),
    (pay_order, 0, Refusal.SETTLED),
    (pay_order, PART, Refusal.SETTLED),
    (erase_buyer, 0, Refusal.ERASED),
    (erase_buyer, PART, Refusal.ERASED),
)
"""How an order of KES 15,000 comes into a state, the part of its price that has arrived, and why no money can be taken."""

situations = pytest.mark.parametrize(
    ("situation", "part", "refusal"),
    SITUATIONS,
    ids=[f"{situation.__name__}-{part}" for situation, part, _ in SITUATIONS],
)


def test_the_situations_have_every_refusal() -> None:
    # A coupon that has expired reads like one that is used up (below).
    assert {refusal for *_, refusal in SITUATIONS if refusal} == set(Refusal) - {Refusal.COUPON_EXPIRED}


@situations
async def test_a_buyer_is_asked_for_money_only_if_it_can_be_taken(
    shop: Shop, situation: Situation, part: int, refusal: Refusal | None
) -> None:
    await situation(shop, part)
    async with session_scope() as session:
        order = (await session.exec(select(Order).order_by(Order.id))).first()  # type: ignore[arg-type]
        assert order is not None
        assert await find_refusal(session, order) is refusal
    view = await order_view()
    asks = refusal is None
    assert (view.stage is Stage.PAYABLE, view.due > 0) == (asks, asks)
    page = (await shop.http.get(f"/order/{await order_token()}")).text
    assert ("Paybill" in page) is asks
    verdict = await shop.http.post(
        f"{PAYBILL_PATH}/{settings().callback_secret}/validation",
        json=confirmation(TransID="UKKASK0001", BillRefNumber=order.reference, TransAmount="5000.00"),
    )
    assert verdict.json()["ResultCode"] == ("0" if asks else "C2B00012")
    await hire()
    tab = await open_tab(OrderDetailState, f"/admin/order?ref={order.reference}")
    can_record = refusal not in (Refusal.SETTLED, Refusal.UNDER_REVIEW)
    assert [action in tab.state.actions for action in ("prompt", "record")] == [asks, can_record]
    assert tab.state.facts["obstacle"].startswith("This order cannot be paid.") is (can_record and not asks)
    before = len(await payments())
    if asks:
        await shop.retried()
    else:
        with pytest.raises(Conflict):
            await shop.retried()
    assert len(await payments()) == before + asks


async def close(_run: RunRecord) -> None:
    await publish(Kind.COURSE, PAID_COURSE.slug, is_open="")


@pytest.mark.parametrize(
    ("stop", "in_run", "reason"),
    [
        (cancel, True, REFUSALS[Refusal.RUN_CANCELLED][0]),
        (close, False, REFUSALS[Refusal.COURSE_CLOSED][0]),
        (None, True, "You can try again"),
    ],
)
async def test_the_mail_about_a_failed_prompt_asks_for_no_money_that_cannot_be_taken(
    shop: Shop, stop: Callable[[RunRecord], Awaitable[None]] | None, in_run: bool, reason: str
) -> None:
    run = await open_run()
    await shop.control.post("next", hold=True)
    started = (await shop.pay(run=run.reference if in_run else "")).json()
    if stop:
        await stop(run)
    (prompt,), (payment,) = (await shop.control.ledger())["prompts"], await payments()
    await shop.call_back(callback_for(prompt, 1032), f"/{payment.attempt_key}")
    (mail,) = await read_mails("payment-unpaid")
    assert reason in mail
    assert ("try again" in mail, "To pay" in mail) == (stop is None, stop is None)
    assert ("again" in (await shop.status(started))["detail"]) is (stop is None)


async def test_the_mail_about_a_part_asks_for_no_rest_that_cannot_be_taken(shop: Shop) -> None:
    await end_enrolment(shop, 0)
    await confirm(shop, (await orders())[0].reference, SMALL_PART)
    (mail,) = await read_mails("payment-part")
    assert "KES 3,000 of KES 15,000 has arrived. The course run of this order has no place left" in mail
    assert ("pay the rest" in mail, "To pay" in mail) == (False, False)


async def confirm(shop: Shop, reference: str, amount: int) -> None:
    await report_payment(shop, TransID="UKKREST002", BillRefNumber=reference, TransAmount=f"{amount}.00")


async def record_cash(_shop: Shop, reference: str, amount: int) -> None:
    await record(reference, "BOOK 7", kind="cash", amount=str(amount))


async def read_books(shop: Shop, reference: str, amount: int) -> None:
    await book("UKKREST002", str(amount), account=reference)
    await shop.later(LATER + 60)


async def assign_money(_shop: Shop, reference: str, amount: int) -> None:
    await book("UKKREST002", str(amount))
    await assign("UKKREST002", reference)


@pytest.mark.parametrize(
    "way", [confirm, record_cash, read_books, assign_money], ids=lambda way: way.__name__
)
@situations
async def test_money_that_has_arrived_enrols_or_waits_for_staff(
    shop: Shop,
    situation: Situation,
    part: int,
    refusal: Refusal | None,
    way: Callable[[Shop, str, int], Awaitable[object]],
) -> None:
    await situation(shop, part)
    order, before = (await orders())[0], len(await enrolments())
    missing = order.amount - part
    try:
        await way(shop, order.reference, missing)
    except Conflict:
        assert refusal in (Refusal.SETTLED, Refusal.UNDER_REVIEW)
    # What is over for new learners is not over for money that was sent in time. What M-Pesa reports is certain, whatever
    # the prompt under review has brought; what staff type may be the same money.
    certain = refusal is Refusal.UNDER_REVIEW and way in (confirm, read_books)
    taken = certain or refusal in (None, Refusal.ENROLMENT_OVER)
    assert len(await enrolments()) == before + taken
    state = (await orders())[0].state
    if taken:
        assert state is OrderState.PAID
    elif refusal is not Refusal.SETTLED:
        assert state is OrderState.NEEDS_REVIEW


NEW_ORDERS: dict[str, dict[str, object]] = {
    "phone": {"phone": "0712 345 111"},
    "name": {"firstName": "Aminah"},
    "places": {"quantity": 2, "amount": 2 * PRICE},
    "nothing": {},
}


@pytest.mark.parametrize("change", NEW_ORDERS)
@pytest.mark.parametrize("part", [SMALL_PART, PART])
async def test_no_new_order_puts_an_order_with_money_in_it_aside(shop: Shop, part: int, change: str) -> None:
    run = await open_run(capacity="3")
    await shop.paid(CANCELS, run=run.reference)
    await add_part(shop, part)
    answer = await shop.pay(CANCELS, key="another", run=run.reference, **NEW_ORDERS[change])
    assert (answer.status_code, len(await orders()), len(await payments())) == (409, 1, 2)
    assert "order-exists" in await mails()
    assert await count_taken_places(run) == 1


async def test_a_stranger_does_not_throw_a_part_paid_buyer_out_of_a_full_run(shop: Shop) -> None:
    run = await make_run_order(shop, PART)
    email = f"amina{CANCELS}@example.com"
    for last in (CANCELS, "111"):
        assert (
            await shop.pay(last, email=email, phone=f"0722 000 {last}", firstName="Mallory")
        ).status_code == 409
    await shop.later(LATER)
    await release_given_up()
    assert (await shop.pay("112", run=run.reference)).status_code == 409
    done = await by_hand(shop, (await orders())[0].reference, PRICE - PART)
    assert (done["verdict"], (await orders())[0].state, len(await enrolments())) == ("0", OrderState.PAID, 1)


async def test_the_use_of_a_coupon_stays_with_a_part_paid_order(shop: Shop) -> None:
    await coupon(uses="1", discount="KES 1,000")
    await shop.paid(CANCELS, coupon=CODE, amount=PRICE - 1_000)
    await add_part(shop, PART)
    assert (await shop.pay(CANCELS, firstName="Aminah")).status_code == 409
    await shop.later(LATER)
    assert (await shop.pay("112", coupon=CODE, amount=PRICE - 1_000)).status_code == 422
    await confirm(shop, (await orders())[0].reference, PRICE - 1_000 - PART)
    assert (await orders())[0].state is OrderState.PAID


async def test_staff_who_charge_the_client_again_read_which_order_has_the_money(shop: Shop) -> None:
    await make_payable(shop, PART)
    request = CheckoutRequest.model_validate(order_body(CANCELS))
    draft = await draft_order(session_scope, request, contact="+254712345032", client="desk", actor=STAFF)
    with pytest.raises(OrderExists) as exists:
        await place_order(session_scope, draft)
    assert exists.value.reference == (await orders())[0].reference
    assert len(await orders()) == 1


async def test_staff_release_no_place_of_an_order_with_money_in_it(shop: Shop) -> None:
    run = await make_run_order(shop, PART)
    async with session_scope() as session:
        (unpaid_places,) = await list_unpaid(session, run.id)
        assert unpaid_places.paid == PART
        with pytest.raises(Conflict, match="KES 10,000"):
            await release_unpaid(session, run.id, unpaid_places.id)
    assert await count_taken_places(run) == 1


async def test_an_older_order_that_gets_money_is_the_present_one_again(shop: Shop) -> None:
    for name in ("Amina", "Aminah"):
        await shop.paid(CANCELS, firstName=name)
    await add_part(shop, PART)
    first, second = await orders()
    assert (first.open_key is not None, second.open_key) == (True, None)
    assert (await order_view(1)).stage is Stage.REPLACED
    assert (await shop.pay(CANCELS, firstName="Third")).status_code == 409


async def test_late_money_of_an_order_pays_it_while_the_newer_one_is_only_asked_for(shop: Shop) -> None:
    await unpaid(shop)
    await shop.control.post("next", hold=True)
    await shop.pay(CANCELS, firstName="Aminah")
    await confirm(shop, (await orders())[0].reference, PRICE)
    assert [order.state for order in await orders()] == [OrderState.PAID, OrderState.AWAITING]
    assert (await shop.pay("111", email=f"amina{CANCELS}@example.com")).status_code == 409


async def test_an_order_that_a_later_one_names_keeps_its_money_and_is_paid_beside_it(shop: Shop) -> None:
    await make_payable(shop, PART)
    first = (await orders())[0].reference
    await shop.paid("111", email=f"amina{CANCELS}@example.com", previousOrder=first)
    assert (await order_view()).stage is Stage.PAYABLE
    await confirm(shop, first, PRICE - PART)
    assert [order.state for order in await orders()] == [OrderState.PAID] * 2


async def test_a_paid_order_keeps_its_claim_when_the_one_that_names_it_was_not_paid(shop: Shop) -> None:
    first = await shop.paid("111")
    await shop.paid(CANCELS, email="amina111@example.com", previousOrder=first["reference"])
    assert (await shop.pay("112", email="amina111@example.com")).status_code == 409
    assert (
        await shop.pay("112", email="amina111@example.com", previousOrder=first["reference"])
    ).status_code == 200


async def test_a_free_place_never_waits_for_money(shop: Shop) -> None:
    free = {**order_body(), "courseName": FREE_COURSE.payment_name}
    await request_free_place(session_scope, Enrollee.model_validate(free))
    reference = (await orders())[0].reference
    await report_payment(shop, BillRefNumber=reference, TransAmount="100.00")
    assert (await payments())[0].state is PaymentState.NEEDS_REVIEW
    assert (await order_view()).stage is Stage.UNCONFIRMED
    async with session_scope() as session:
        await confirm_free_place(session, await order_token())
    assert ((await orders())[0].state, len(await enrolments())) == (OrderState.FREE, 1)
    assert (await order_detail()).payments[0].state is PaymentState.NEEDS_REVIEW


async def test_changes_of_a_run_reach_the_buyers_who_have_paid_a_part(shop: Shop) -> None:
    run = await open_run()
    await shop.paid(CANCELS, run=run.reference)
    await add_part(shop, SMALL_PART)
    await shop.paid("001", run=run.reference)
    async with session_scope() as session:
        current = await now_of(run)
        (first, *_) = await list_sessions(session, run.id)
        moved = SessionRequest.model_validate(
            {"starts_at": "2027-01-12T19:30", "minutes": "120", "topic": "Bids"}
        )
        assert (
            await planning.save_session(session, run.reference, current.version, first.id, moved, ACTOR) == 1
        )
    async with session_scope() as session:
        current = await now_of(run)
        assert (
            await planning.change_status(session, run.reference, current.version, RunStatus.CANCELLED, ACTOR)
            == 1
        )
    notices = [
        mail for mail in await rows(OutboxMessage) if mail.kind in ("session-changed", "run-cancelled")
    ]
    assert [(mail.kind, mail.to) for mail in notices] == [
        ("session-changed", f"amina{CANCELS}@example.com"),
        ("run-cancelled", f"amina{CANCELS}@example.com"),
    ]
    assert "paid towards a place" in str(notices[0].content)
    assert (await mails()).count("staff-run-cancelled") == 1
    view = await order_view()
    assert (view.stage, view.due) == (Stage.STOPPED, 0)
    assert "has been cancelled" in view.detail


async def test_a_claim_follows_the_address_that_staff_have_corrected(shop: Shop) -> None:
    await make_payable(shop, PART)
    order = (await orders())[0]
    contact = read_contact(
        {
            "first_name": "Amina",
            "last_name": "Wanjirũ",
            "email": "amina@example.com",
            "phone": "0712 345 032",
        }
    )
    async with session_scope() as session:
        await change_contact(session, order.reference, order.version, contact, STAFF)
    assert (await shop.pay("111", email="amina@example.com")).status_code == 409
    assert (await shop.pay("111", email=f"amina{CANCELS}@example.com")).status_code == 200
