"""Finding or creating the order and the payment of a request, so that the same request never creates two.

One person has one present order for a course: the one that has `open_key`. While it is paid or may still be, another
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

from agency_site.clock import format_wait, now
from agency_site.content.course_schema import Course
from agency_site.db.deduplication import wait_for_turn
from agency_site.errors import Conflict
from agency_site.features.checkout.buying.unpaid_places import require_few_unpaid
from agency_site.features.checkout.coupons.rules import CouponUsedUp
from agency_site.features.checkout.coupons.usecases import CouponOffer, keep_use, release_use
from agency_site.features.checkout.orders.queries import find_order_token, order_search
from agency_site.features.checkout.orders.request import NO_COMPANY, Company, Enrollee
from agency_site.features.checkout.orders.rules import (
    LINK,
    REFERENCE,
    UNPAID_ORDERS,
    OrderExists,
    OrderState,
    RunFull,
    compute_open_key,
    digest_client,
    find_unit_price,
)
from agency_site.features.checkout.orders.tables import Order
from agency_site.features.checkout.payments.messages import PROMPT_LIVE, REPLACED, SUBSCRIBER_BUSY
from agency_site.features.checkout.payments.queries import (
    compute_account_reference,
    describe_attempt,
    find_balance,
    find_newest_prompt,
)
from agency_site.features.checkout.payments.rules import (
    OPEN,
    PaymentState,
    PromptLimit,
    TooManyPrompts,
    compute_prompt_wait,
    find_retry_time,
)
from agency_site.features.checkout.payments.settlement import describe_sale
from agency_site.features.checkout.payments.tables import Payment
from agency_site.features.checkout.payments.transitions import (
    VISITOR,
    append_event,
    transition_order,
    transition_payment,
)
from agency_site.ids import new_reference, token_hash
from agency_site.places import Offer, places
from agency_site.settings import settings
from agency_site.signing import private_token

_REFERENCE_TRIES = 5

DAY = timedelta(days=1)


@dataclass(frozen=True, kw_only=True)
class OrderDraft:
    """What a visitor orders, with everything that an order stores."""

    enrollee: Enrollee
    course: Course
    quantity: int
    contact: str
    """E.164."""
    payer: str
    """Digits of the phone that gets the prompt; empty where none is sent."""
    client: str = ""
    """Secret of the tab or HTTP client; empty: it has none, and no order is ever recognised as its own."""
    offer: Offer | None = None
    """The course run that is chosen."""
    coupon: CouponOffer | None = None
    company: Company = NO_COMPANY
    actor: str = VISITOR
    """Who orders: the visitor, or a member of staff for a client."""
    place: str = ""
    """Private token of a place that a waiting list keeps; empty: there is none."""
    state: OrderState = OrderState.AWAITING
    """Of the new order, unless it costs nothing: awaiting a prompt that follows at once, or unpaid."""
    network: str = ""
    """The network around the client's address (`client_address.wide_network`); empty if it is unknown."""

    @property
    def unit_price(self) -> int:
        """Whole shillings a place."""
        return find_unit_price(self.course, self.offer)

    @property
    def coupon_code(self) -> str:
        """Of the coupon that is used; empty: none."""
        return self.coupon.code if self.coupon else ""

    @property
    def discount(self) -> int:
        """Whole shillings that the coupon takes off."""
        return self.coupon.discount.of(self.unit_price * self.quantity) if self.coupon else 0

    @property
    def amount(self) -> int:
        """The total in whole shillings."""
        return self.unit_price * self.quantity - self.discount

    @property
    def run(self) -> str:
        """Reference of the course run that is chosen; empty: none."""
        return self.offer.run if self.offer else ""

    @property
    def open_key(self) -> str:
        """What the person's present order for the course has."""
        return compute_open_key(self.enrollee.email, self.course.slug)


@dataclass(frozen=True)
class OpenPayment:
    """The payment that a request is about."""

    order: Order
    payment: Payment
    new: bool
    """Created by this request: its prompt is still to be sent, by this request alone."""


async def find_or_create_order(session: AsyncSession, draft: OrderDraft) -> tuple[Order, bool]:
    """The order of this request, locked until the transaction ends, and whether it is new.

    The same details from the same client find its order again. Raises OrderExists where another order for the course is
    paid or may still be, unless the request names it.
    """
    for _ in range(_REFERENCE_TRIES):
        present = await _lock_present_order(session, draft.open_key)
        if present is not None and _is_repeated(present, draft):
            return present, False
        named = present is not None and present.reference == draft.enrollee.previous_order
        if present is not None and not named and await has_claim(session, present):
            own = _is_own(present, draft)
            raise OrderExists(present.reference, find_order_token(present) or "") if own else OrderExists()
        order = _build_order(draft)
        try:
            async with session.begin_nested():
                if present is not None:
                    order.previous_order_id = present.id if named else None
                    await _release_open_key(session, present)
                    assert present.id is not None
                    if not named:
                        await places().release_places(session, present.id)
                        await release_use(session, present.id)
                session.add(order)
                await session.flush()
        except IntegrityError:
            # Another request was faster, or the reference exists already.
            continue
        where = "ordered on the site" if draft.actor == VISITOR else "ordered for the client"
        append_event(session, order, None, "", order.state.value, draft.actor, where)
        return order, True
    raise OrderExists


async def _lock_present_order(session: AsyncSession, key: str) -> Order | None:
    """The person's present order for the course, locked until the transaction ends."""
    locked = select(Order).where(Order.open_key == key).with_for_update()
    return (await session.exec(locked.execution_options(populate_existing=True))).one_or_none()


def _is_own(order: Order, draft: OrderDraft) -> bool:
    return bool(order.client_digest) and order.client_digest == digest_client(draft.client)


def _is_repeated(order: Order, draft: OrderDraft) -> bool:
    """Whether the client that created the order sends the same again: neither names nor contact of an order change."""
    if order.reference == draft.enrollee.previous_order or order.state is OrderState.REFUNDED:
        return False
    stored = (
        order.first_name,
        order.last_name,
        order.phone,
        order.quantity,
        order.amount,
        order.run_reference,
        order.coupon_code,
        order.company_name,
        order.company_pin,
    )
    sent = draft.enrollee.first_name, draft.enrollee.last_name, draft.contact
    return _is_own(order, draft) and stored == (
        *sent,
        draft.quantity,
        draft.amount,
        draft.run,
        draft.coupon_code,
        draft.company.company_name,
        draft.company.company_pin,
    )


async def has_claim(session: AsyncSession, order: Order) -> bool:
    """Whether the order is paid, or may become so by itself."""
    if order.state in (OrderState.UNPAID, OrderState.REFUNDED):
        return False
    newest = await find_newest_prompt(session, order)
    return newest is None or not _can_retry(order, newest)


async def is_replaced(session: AsyncSession, order: Order) -> bool:
    """Whether another order of the person for the course is paid, or may still be."""
    if order.open_key or not order.email:
        return False
    key = compute_open_key(order.email, order.course_slug)
    present = (await session.exec(select(Order).where(Order.open_key == key))).one_or_none()
    return present is not None and await has_claim(session, present)


def is_unconfirmed(order: Order) -> bool:
    """Whether it is a free place that its mailbox has yet to confirm."""
    return order.state is OrderState.UNPAID and not order.amount


async def make_present_order(session: AsyncSession, order: Order) -> None:
    """Make an order that may be paid again the person's present one for its course. The order must be locked.

    Raises Conflict while another one is paid, or may still be.
    """
    if order.open_key:
        return
    key = compute_open_key(order.email, order.course_slug)
    present = await _lock_present_order(session, key)
    if present is not None:
        if await has_claim(session, present):
            raise Conflict(REPLACED)
        await _release_open_key(session, present)
    try:
        async with session.begin_nested():
            order.open_key = key
            session.add(order)
            await session.flush()
    except IntegrityError:
        raise Conflict(REPLACED) from None


async def _release_open_key(session: AsyncSession, order: Order) -> None:
    order.open_key = None
    session.add(order)
    await session.flush()


def _build_order(draft: OrderDraft) -> Order:
    reference, moment = new_reference(REFERENCE), now()
    token = private_token(LINK, reference)
    order = Order(
        reference=reference,
        # A place in a free course is confirmed by the mailed link.
        state=draft.state if draft.amount or draft.course.free else OrderState.FREE,
        first_name=draft.enrollee.first_name,
        last_name=draft.enrollee.last_name,
        email=draft.enrollee.email,
        phone=draft.contact,
        company_name=draft.company.company_name,
        company_pin=draft.company.company_pin,
        course_slug=draft.course.slug,
        course_name=draft.course.payment_name,
        quantity=draft.quantity,
        run_reference=draft.run,
        unit_price=draft.unit_price,
        coupon_code=draft.coupon_code,
        discount=draft.discount,
        amount=draft.amount,
        token_hash=token_hash(token),
        open_key=draft.open_key,
        client_digest=digest_client(draft.client),
        network=draft.network,
        created_at=moment,
        updated_at=moment,
    )
    order.search = order_search(order)
    return order


async def find_or_create_payment(
    session: AsyncSession, order: Order, newest: Payment | None, phone: str, actor: str = VISITOR
) -> OpenPayment:
    """The order's `newest` prompt, or a new one where no prompt can be open. The order must be locked.

    Raises Conflict where a prompt may be open on another phone, TooManyPrompts, TooManyRequests where other orders of the
    phone or the address keep as much unpaid as they may, RunFull, and CouponUsedUp.
    """
    if newest and not _can_retry(order, newest):
        if newest.state in OPEN and newest.phone != phone:
            raise Conflict(PROMPT_LIVE)
        return OpenPayment(order, newest, new=False)
    await _require_allowance(session, phone)
    if newest and newest.state in OPEN:
        # It is still polled for late money.
        await transition_payment(
            session,
            order,
            newest,
            PaymentState.EXPIRED,
            actor=actor,
            why="tried again after the prompt's time",
            settled_at=now(),
            result_code="",
        )
    if actor == VISITOR:
        await require_few_unpaid(session, order, phone)
    if not await places().reserve_places(session, describe_sale(order)):
        raise RunFull
    if not await keep_use(session, order):
        raise CouponUsedUp
    return OpenPayment(order, await _create_payment(session, order, phone, actor), new=True)


def _can_retry(order: Order, newest: Payment) -> bool:
    if order.state not in UNPAID_ORDERS:
        return False
    allowed = find_retry_time(describe_attempt(newest), settings().mpesa_prompt_window)
    return allowed is not None and allowed <= now()


async def _require_allowance(session: AsyncSession, phone: str) -> None:
    """Count the phone's prompts over all orders, one transaction at a time. Raises TooManyPrompts."""
    await wait_for_turn(session, f"prompts:{phone}")
    moment, limits = now(), _build_limits()
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
    wait = ceil(compute_prompt_wait(sent, limits, moment).total_seconds())
    if wait > 0:
        raise TooManyPrompts(
            "This phone has been sent as many M-Pesa requests as one phone may get for now. Nothing was charged. "
            f"Please try again in {format_wait(wait)}, or use another number.",
            wait,
        )


def _build_limits() -> tuple[PromptLimit, ...]:
    return (
        PromptLimit(settings().payment_prompts_per_10_minutes, timedelta(minutes=10)),
        PromptLimit(settings().payment_prompts_per_day, DAY),
    )


async def _create_payment(session: AsyncSession, order: Order, phone: str, actor: str) -> Payment:
    assert order.id is not None
    moment = now()
    payment = Payment(
        order_id=order.id,
        account_reference=await compute_account_reference(session, order),
        # Hexadecimal: random letters could spell one of the words that M-Pesa refuses in addresses.
        attempt_key=secrets.token_hex(16),
        # The row is visible to others only once this transaction has committed, and then the prompt is being sent.
        state=PaymentState.SENDING,
        phone=phone,
        amount=(await find_balance(session, order)).missing(order.state),
        created_at=moment,
        # Should this process be killed now, the polling job handles the payment then.
        due_at=moment + timedelta(seconds=settings().mpesa_first_query_seconds),
    )
    session.add(payment)
    await session.flush()
    created, sending = PaymentState.CREATED.value, PaymentState.SENDING.value
    append_event(session, order, payment, "", created, actor, "payment requested")
    append_event(session, order, payment, created, sending, actor, "sending")
    if order.state is OrderState.UNPAID:
        await transition_order(session, order, OrderState.AWAITING, actor, "tried again")
    return payment
