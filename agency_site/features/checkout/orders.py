"""Finding or making the order and the payment of a request, so that the same request never makes two.

One person has one present order for a course: the one that holds `open_key`. While it is paid or may still be, another
order for the course must name it.
"""

import secrets
from dataclasses import dataclass
from datetime import timedelta
from math import ceil

from sqlalchemy import and_, or_
from sqlalchemy.exc import IntegrityError
from sqlmodel import col, select
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.clock import now, spoken_wait
from agency_site.content.course_schema import Course
from agency_site.db.deduplication import wait_for_turn
from agency_site.errors import Conflict
from agency_site.features.checkout.emails import known_token
from agency_site.features.checkout.messages import PROMPT_LIVE, REPLACED, SUBSCRIBER_BUSY
from agency_site.features.checkout.request import Enrollee
from agency_site.features.checkout.rules import (
    LINK,
    OPEN,
    REFERENCE,
    Attempt,
    OrderExists,
    OrderState,
    PaymentState,
    PromptLimit,
    TooManyPrompts,
    client_digest,
    open_key,
    prompts_wait,
    retry_at,
)
from agency_site.features.checkout.tables import Order, Payment
from agency_site.features.checkout.transitions import VISITOR, begin, newest_payment, step, step_order
from agency_site.form_input import search_text
from agency_site.ids import new_reference, token_hash
from agency_site.settings import settings
from agency_site.signing import private_token

REFERENCE_TRIES = 5
DAY = timedelta(days=1)


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
    client: str = ""
    """Secret of the tab or HTTP client that asks; empty: it has none, and no order is ever known as its own."""

    @property
    def amount(self) -> int:
        """The total in whole shillings."""
        return self.course.payment_price * self.quantity

    @property
    def key(self) -> str:
        """What the person's present order for the course holds."""
        return open_key(self.enrollee.email, self.course.slug)


@dataclass(frozen=True)
class Opened:
    """The payment that a request is about."""

    order: Order
    payment: Payment
    fresh: bool
    """Just made by this request: its push is still to be sent, by this request alone."""


async def order_for(session: AsyncSession, wanted: Wanted) -> tuple[Order, bool]:
    """The order of this request, held until the transaction ends, and whether it was just made.

    The same words from the same client find its order again. Raises OrderExists where another order for the course is
    paid or may still be, unless the request names it.
    """
    for _ in range(REFERENCE_TRIES):
        present = await _present(session, wanted.key)
        if present is not None and _is_repeated(present, wanted):
            return present, False
        named = present is not None and present.reference == wanted.enrollee.previous_order
        if present is not None and not named and await has_claim(session, present):
            raise _exists(present, wanted)
        order = _draft(wanted)
        try:
            async with session.begin_nested():
                if present is not None:
                    order.previous_order_id = present.id if named else None
                    await _release(session, present)
                session.add(order)
                await session.flush()
        except IntegrityError:
            # Another request was faster, or the reference exists already: look again.
            continue
        begin(session, order, None, VISITOR, "ordered on the site")
        return order, True
    raise OrderExists


async def _present(session: AsyncSession, key: str) -> Order | None:
    """The person's present order for the course, held until the transaction ends."""
    held = select(Order).where(Order.open_key == key).with_for_update()
    return (await session.exec(held.execution_options(populate_existing=True))).one_or_none()


def _is_own(order: Order, wanted: Wanted) -> bool:
    return bool(order.client_digest) and order.client_digest == client_digest(wanted.client)


def _is_repeated(order: Order, wanted: Wanted) -> bool:
    """Whether the client that made the order sends the same again: neither names nor contact of an order change."""
    if order.reference == wanted.enrollee.previous_order or order.state is OrderState.REFUNDED:
        return False
    stored = (order.first_name, order.last_name, order.phone, order.quantity, order.amount)
    sent = wanted.enrollee.first_name, wanted.enrollee.last_name, wanted.contact
    return _is_own(order, wanted) and stored == (*sent, wanted.quantity, wanted.amount)


def _exists(order: Order, wanted: Wanted) -> OrderExists:
    if not _is_own(order, wanted):
        return OrderExists()
    return OrderExists(order.reference, known_token(order) or "")


async def has_claim(session: AsyncSession, order: Order) -> bool:
    """Whether the order is paid, or may be without anybody doing anything more."""
    if order.state in (OrderState.UNPAID, OrderState.REFUNDED):
        return False
    newest = await newest_payment(session, order)
    return newest is None or not _may_follow(order, newest)


async def is_replaced(session: AsyncSession, order: Order) -> bool:
    """Whether another order of the person for the course is paid, or may still be."""
    if order.open_key or not order.email:
        return False
    key = open_key(order.email, order.course_slug)
    present = (await session.exec(select(Order).where(Order.open_key == key))).one_or_none()
    return present is not None and await has_claim(session, present)


async def make_present(session: AsyncSession, order: Order) -> None:
    """Let an order that may be paid again become the person's present one for its course. Hold the order.

    Raises Conflict while another one is paid, or may still be.
    """
    if order.open_key:
        return
    key = open_key(order.email, order.course_slug)
    present = await _present(session, key)
    if present is not None:
        if await has_claim(session, present):
            raise Conflict(REPLACED)
        await _release(session, present)
    try:
        async with session.begin_nested():
            order.open_key = key
            session.add(order)
            await session.flush()
    except IntegrityError:
        raise Conflict(REPLACED) from None


async def _release(session: AsyncSession, order: Order) -> None:
    order.open_key = None
    session.add(order)
    await session.flush()


def order_search(order: Order) -> str:
    """What the lists of orders are searched in."""
    return search_text(order.reference, order.first_name, order.last_name, order.email, order.phone)


def _draft(wanted: Wanted) -> Order:
    reference, moment = new_reference(REFERENCE), now()
    token = private_token(LINK, reference)
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
        client_digest=client_digest(wanted.client),
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
    """The order's present payment, or a new one where that can meet no live prompt. Hold the order.

    Raises Conflict where a prompt may be live on another phone, and TooManyPrompts.
    """
    newest = await newest_payment(session, order)
    if newest and not _may_follow(order, newest):
        if newest.state in OPEN and newest.phone != phone:
            raise Conflict(PROMPT_LIVE)
        return Opened(order, newest, fresh=False)
    await _require_allowance(session, phone)
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


async def _require_allowance(session: AsyncSession, phone: str) -> None:
    """Count the phone's prompts over all orders, one transaction at a time. Raises TooManyPrompts."""
    await wait_for_turn(session, f"prompts:{phone}")
    moment, limits = now(), _prompt_limits()
    reached = or_(
        col(Payment.state) != PaymentState.FAILED,
        col(Payment.merchant_request_id).is_not(None),
        col(Payment.result_code) == SUBSCRIBER_BUSY,
    )
    recent = select(Payment.created_at).where(
        and_(col(Payment.phone) == phone, col(Payment.created_at) > moment - DAY, reached)
    )
    most = max(limit.most for limit in limits)
    sent = (await session.exec(recent.order_by(col(Payment.created_at).desc()).limit(most))).all()
    wait = ceil(prompts_wait(sent, limits, moment).total_seconds())
    if wait > 0:
        raise TooManyPrompts(
            "This phone has been sent as many M-Pesa requests as one phone may get for now. Nothing was charged. "
            f"Please try again in {spoken_wait(wait)}, or use another number.",
            wait,
        )


def _prompt_limits() -> tuple[PromptLimit, ...]:
    return (
        PromptLimit(settings().payment_prompts_per_10_minutes, timedelta(minutes=10)),
        PromptLimit(settings().payment_prompts_per_day, DAY),
    )


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
