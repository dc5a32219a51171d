"""Finding or making the order and the payment of a press, so that the same press never makes two."""

import secrets
from dataclasses import dataclass
from datetime import timedelta

from sqlalchemy import update
from sqlalchemy.exc import IntegrityError
from sqlmodel import col, select
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.checkout.history import VISITOR, begin, newest_payment, step, step_order
from agency_site.checkout.request import Enrollee
from agency_site.checkout.rules import (
    LINK,
    OPEN,
    REFERENCE,
    SETTLED_ORDERS,
    Attempt,
    OrderState,
    PaymentState,
    open_key,
    retry_at,
)
from agency_site.checkout.tables import Order, Payment
from agency_site.clock import now
from agency_site.content.course_schema import Course
from agency_site.inputs import search_text
from agency_site.references import new_reference, private_token, token_hash
from agency_site.settings import settings

REFERENCE_TRIES = 5


@dataclass(frozen=True)
class Wanted:
    """What a visitor asks for, with everything worked out that an order stores."""

    enrollee: Enrollee
    course: Course
    quantity: int
    contact: str
    """E.164."""
    payer: str
    """Digits of the phone that pays; the contact where nothing is paid."""

    @property
    def amount(self) -> int:
        """The total in whole shillings."""
        return self.course.payment_price * self.quantity

    @property
    def key(self) -> str:
        """By what the same press is known again."""
        return open_key(self.enrollee.email, self.course.slug, self.amount, self.quantity, self.payer)


@dataclass(frozen=True)
class Opened:
    """The payment that a press is about."""

    order: Order
    payment: Payment
    fresh: bool
    """Just made by this press: its push is still to be sent, by this press alone."""


async def order_for(session: AsyncSession, wanted: Wanted) -> tuple[Order, bool]:
    """The order of this press, held until the transaction ends, and whether it was just made.

    A press that says the same finds the order of the first one while that is not settled, and a while longer.
    """
    await _let_go(session, wanted.key)
    for _ in range(REFERENCE_TRIES):
        if found := await _held(session, wanted.key):
            return _with_newest_names(found, wanted), False
        order = _draft(wanted)
        try:
            async with session.begin_nested():
                session.add(order)
                await session.flush()
        except IntegrityError:
            # Another press was faster, or the reference exists already: look again.
            continue
        begin(session, order, None, VISITOR, "ordered on the site")
        return order, True
    raise RuntimeError("no free reference found")


async def _let_go(session: AsyncSession, key: str) -> None:
    """After the repeat window, somebody who orders the same again means it."""
    window = timedelta(seconds=settings().payment_repeat_window_seconds)
    await session.exec(
        update(Order)
        .where(
            col(Order.open_key) == key,
            col(Order.state).in_(SETTLED_ORDERS),
            col(Order.updated_at) <= now() - window,
        )
        .values(open_key=None)
        .execution_options(synchronize_session=False)
    )


async def _held(session: AsyncSession, key: str) -> Order | None:
    held = select(Order).where(Order.open_key == key).with_for_update()
    return (await session.exec(held.execution_options(populate_existing=True))).one_or_none()


def _with_newest_names(order: Order, wanted: Wanted) -> Order:
    """Somebody who tries again may have mended a name; what is settled stays as it was written."""
    if order.state is OrderState.UNPAID:
        order.first_name, order.last_name = wanted.enrollee.first_name, wanted.enrollee.last_name
        order.phone = wanted.contact
        order.search = order_search(order)
        order.version += 1
    return order


def order_search(order: Order) -> str:
    """What the lists of orders are searched in."""
    return search_text(order.reference, order.first_name, order.last_name, order.email, order.phone)


def _draft(wanted: Wanted) -> Order:
    reference, moment = new_reference(REFERENCE), now()
    token = private_token(LINK, reference, settings().secret_key.get_secret_value())
    order = Order(
        reference=reference,
        state=OrderState.FREE if wanted.course.free else OrderState.AWAITING,
        first_name=wanted.enrollee.first_name,
        last_name=wanted.enrollee.last_name,
        email=wanted.enrollee.email,
        phone=wanted.contact,
        course_slug=wanted.course.slug,
        course_name=wanted.course.payment_name,
        quantity=wanted.quantity,
        unit_price=wanted.course.payment_price,
        amount=wanted.amount,
        token_hash=token_hash(token),
        open_key=wanted.key,
        created_at=moment,
        updated_at=moment,
    )
    order.search = order_search(order)
    return order


def attempt_of(payment: Payment) -> Attempt:
    """What decides whether another push may follow."""
    return Attempt(
        state=payment.state,
        sent_at=payment.sent_at or payment.created_at,
        queries=payment.queries,
        success_seen=payment.success_seen_at is not None,
    )


async def payment_for(session: AsyncSession, order: Order, phone: str) -> Opened:
    """The order's present payment, or a new one where that can meet no live prompt. Hold the order."""
    newest = await newest_payment(session, order)
    if newest and not _may_follow(order, newest):
        return Opened(order, newest, fresh=False)
    if newest and newest.state in OPEN:
        # Still watched for late money where M-Pesa gave an id to ask about.
        watched = newest.due_at if newest.checkout_request_id else None
        await step(
            session,
            order,
            newest,
            PaymentState.EXPIRED,
            actor=VISITOR,
            why="tried again after the prompt's time",
            due_at=watched,
            settled_at=now(),
            result_code="",
        )
    return Opened(order, await _new_payment(session, order, phone), fresh=True)


def _may_follow(order: Order, newest: Payment) -> bool:
    if order.state not in (OrderState.AWAITING, OrderState.UNPAID):
        return False
    window = timedelta(seconds=settings().mpesa_prompt_window_seconds)
    allowed = retry_at(attempt_of(newest), window)
    return allowed is not None and allowed <= now()


async def _new_payment(session: AsyncSession, order: Order, phone: str) -> Payment:
    assert order.id is not None
    moment = now()
    payment = Payment(
        order_id=order.id,
        # Hexadecimal: random letters could spell one of the words that M-Pesa refuses in addresses.
        attempt_key=secrets.token_hex(16),
        phone=phone,
        amount=order.amount,
        created_at=moment,
        # Should this process die now, reconciliation takes the payment up then.
        due_at=moment + timedelta(seconds=settings().mpesa_first_query_seconds),
    )
    session.add(payment)
    await session.flush()
    begin(session, order, payment, VISITOR, "payment requested")
    await step(session, order, payment, PaymentState.SENDING, actor=VISITOR, why="sending", sent_at=moment)
    await step_order(session, order, OrderState.AWAITING, VISITOR, "tried again")
    return payment
