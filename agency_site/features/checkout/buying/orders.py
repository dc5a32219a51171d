"""Find or create the order and the payment of a request, so that the same request never creates two.

A person has one current order for each course: the one with an `open_key`. While it is paid, or may become paid, another
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
from agency_site.features.checkout.orders.queries import build_order_search, find_order_token
from agency_site.features.checkout.orders.request import NO_COMPANY, Company, Enrollee
from agency_site.features.checkout.orders.rules import (
    LINK,
    REFERENCE,
    OrderExists,
    OrderState,
    RunFull,
    compute_open_key,
    digest_client,
    find_unit_price,
)
from agency_site.features.checkout.orders.tables import Order
from agency_site.features.checkout.payments.claims import (
    can_retry,
    find_claimant,
    find_refusal,
    lock_present_order,
    release_open_key,
)
from agency_site.features.checkout.payments.messages import (
    PROMPT_LIVE,
    SUBSCRIBER_BUSY,
    explain_refusal,
)
from agency_site.features.checkout.payments.queries import (
    compute_account_reference,
    describe_sale,
    find_balance,
)
from agency_site.features.checkout.payments.rules import (
    OPEN,
    PaymentState,
    PromptLimit,
    TooManyPrompts,
    compute_prompt_wait,
)
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
    """The content of a new order, before it is stored."""

    enrollee: Enrollee
    course: Course
    quantity: int
    contact: str
    """E.164."""
    payer: str
    """Digits of the phone that gets the prompt; empty if none is sent."""
    client: str = ""
    """Secret of the tab or HTTP client; without one no order is recognised as the client's own."""
    offer: Offer | None = None
    """The course run that is chosen."""
    coupon: CouponOffer | None = None
    company: Company = NO_COMPANY
    actor: str = VISITOR
    """The visitor, or the member of staff who orders for a client."""
    place: str = ""
    """Private token of a place that a waiting list keeps; empty if there is none."""
    state: OrderState = OrderState.AWAITING
    """Of the new order, unless it costs nothing: awaiting a prompt that follows at once, or unpaid."""
    network: str = ""
    """The network around the client's address (`client_address.wide_network`); empty if it is unknown."""

    @property
    def unit_price(self) -> int:
        """The price of a place in whole shillings."""
        return find_unit_price(self.course, self.offer)

    @property
    def coupon_code(self) -> str:
        """The code of the coupon; empty if none is used."""
        return self.coupon.code if self.coupon else ""

    @property
    def discount(self) -> int:
        """The whole shillings that the coupon takes off."""
        return self.coupon.discount.of(self.unit_price * self.quantity) if self.coupon else 0

    @property
    def amount(self) -> int:
        """The total in whole shillings."""
        return self.unit_price * self.quantity - self.discount

    @property
    def run(self) -> str:
        """Reference of the chosen course run; empty if none is chosen."""
        return self.offer.run if self.offer else ""

    @property
    def open_key(self) -> str:
        """The key of the person's current order for the course."""
        return compute_open_key(self.enrollee.email, self.course.slug)


@dataclass(frozen=True)
class OpenPayment:
    """The payment that a request is about."""

    order: Order
    payment: Payment
    new: bool
    """Created by this request: its prompt is still to be sent, by this request alone."""


async def find_or_create_order(session: AsyncSession, draft: OrderDraft) -> tuple[Order, bool]:
    """Return the order of this request, locked until the transaction ends, and whether it is new.

    A request with the same details from the same client returns its order. Raises OrderExists if another order for the
    course is paid, or may become paid, and the request does not name it.
    """
    # Two requests of one person for one course may arrive together: a double click, or a client that repeats. If there is a
    # current order, its lock makes them take turns. Before the first order there is no row to lock: both requests insert, the
    # unique `open_key` admits one, and the other repeats this loop, where it now finds and locks the first one's order.
    for _ in range(_REFERENCE_TRIES):
        present = await lock_present_order(session, draft.open_key)
        if present is not None and _is_repeated(present, draft):
            return present, False
        claimant = await find_claimant(session, present) if present is not None else None
        named = draft.enrollee.previous_order in {order.reference for order in (present, claimant) if order}
        if claimant is not None and not named:
            own = draft.actor != VISITOR or _is_own(claimant, draft)
            raise OrderExists(claimant.reference, find_order_token(claimant) or "") if own else OrderExists()
        order = _build_order(draft)
        try:
            # A savepoint: if the insert fails, the former order has its key, places and coupon use back, and the transaction
            # goes on. The former order must give up its key before the insert, because the key is unique, and its places and
            # coupon use before the caller reserves: a buyer who corrects an order needs no second place in a full run. An
            # order that the request names is kept beside the new one, with its places.
            async with session.begin_nested():
                if present is not None:
                    order.previous_order_id = present.id if named else None
                    await release_open_key(session, present)
                    assert present.id is not None
                    if not named:
                        await places().release_places(session, present.id)
                        await release_use(session, present.id)
                session.add(order)
                await session.flush()
        except IntegrityError:
            # Another request was faster, or the random reference is taken: try again with both anew.
            continue
        where = "ordered on the site" if draft.actor == VISITOR else "ordered for the client"
        append_event(session, order, None, "", order.state.value, draft.actor, where)
        return order, True
    raise OrderExists


def _is_own(order: Order, draft: OrderDraft) -> bool:
    return bool(order.client_digest) and order.client_digest == digest_client(draft.client)


def _is_repeated(order: Order, draft: OrderDraft) -> bool:
    """Return whether the client that created the order has sent the same details again."""
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
    return _is_own(order, draft) and stored == (
        draft.enrollee.first_name,
        draft.enrollee.last_name,
        draft.contact,
        draft.quantity,
        draft.amount,
        draft.run,
        draft.coupon_code,
        draft.company.company_name,
        draft.company.company_pin,
    )


def is_unconfirmed(order: Order) -> bool:
    """Return whether the order is for a free place that has not been confirmed by e-mail yet.

    Money that arrived for it all the same may be under review: earlier releases put the order under review, too.
    """
    return order.state in (OrderState.UNPAID, OrderState.NEEDS_REVIEW) and not order.amount


def _build_order(draft: OrderDraft) -> Order:
    reference, moment = new_reference(REFERENCE), now()
    token = private_token(LINK, reference)
    order = Order(
        reference=reference,
        # A place in a free course is confirmed with the mailed link; a paid course that a coupon makes free is not.
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
        **draft.enrollee.origin.columns(),
        created_at=moment,
        updated_at=moment,
    )
    order.search = build_order_search(order)
    return order


async def find_or_create_payment(
    session: AsyncSession, order: Order, newest: Payment | None, phone: str, actor: str = VISITOR
) -> OpenPayment:
    """Return the order's `newest` prompt, or a new one if no prompt can be open. The order must be locked.

    Raises Conflict if a prompt may be open on another phone, TooManyPrompts, TooManyRequests if other orders of the
    phone, address or network already keep the most unpaid places, RunFull, and CouponUsedUp.
    """
    if newest and not can_retry(order, newest):
        if newest.state in OPEN and newest.phone != phone:
            raise Conflict(PROMPT_LIVE)
        return OpenPayment(order, newest, new=False)
    await _require_allowance(session, phone)
    if newest and newest.state in OPEN:
        # A late payment still counts: the expired prompt is queried as before.
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
    if refusal := await find_refusal(session, order):
        raise explain_refusal(refusal)
    if actor == VISITOR:
        await require_few_unpaid(session, order, phone)
    if not await places().reserve_places(session, describe_sale(order)):
        raise RunFull
    if not await keep_use(session, order):
        raise CouponUsedUp
    return OpenPayment(order, await _create_payment(session, order, phone, actor), new=True)


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
    prompt_times = (await session.exec(recent.order_by(col(Payment.created_at).desc()).limit(most))).all()
    wait = ceil(compute_prompt_wait(prompt_times, limits, moment).total_seconds())
    if wait > 0:
        raise TooManyPrompts(
            "This phone has had as many M-Pesa requests as one phone may get for now. Nothing was charged. "
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
        # Hexadecimal: a random word could be one that M-Pesa rejects in callback addresses.
        attempt_key=secrets.token_hex(16),
        # `sending` from the start: other transactions see the row only after the commit, when the prompt is being sent.
        state=PaymentState.SENDING,
        phone=phone,
        amount=(await find_balance(session, order)).missing(order.state),
        created_at=moment,
        # If this process is killed before it stores M-Pesa's answer, status polling takes the payment over at this time.
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
