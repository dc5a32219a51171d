"""Whether an order has a claim to its course, and whether money may be taken for it.

All ways in which money comes ask here: prompts, the validation of payments by hand, confirmations, statements, records and
assignments of staff, the pages and mails that ask the buyer to pay.
"""

from collections.abc import Awaitable, Callable

from sqlalchemy.exc import IntegrityError
from sqlmodel import select
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.clock import now
from agency_site.content.courses import course_by_slug
from agency_site.features.checkout.coupons.usecases import find_coupon_state
from agency_site.features.checkout.orders.rules import UNPAID_ORDERS, OrderState, compute_open_key
from agency_site.features.checkout.orders.tables import Order
from agency_site.features.checkout.payments.queries import (
    describe_attempt,
    describe_sale,
    find_balance,
    find_newest_prompt,
)
from agency_site.features.checkout.payments.rules import (
    OrderFacts,
    PaymentKind,
    Refusal,
    choose_arrival_refusal,
    choose_refusal,
    find_refusals,
    find_retry_time,
)
from agency_site.features.checkout.payments.tables import Payment
from agency_site.places import places
from agency_site.settings import settings

Holds = Callable[[AsyncSession, Order], Awaitable[bool]]
"""Whether an order keeps another one from replacing it."""

_TRIES = 3


async def has_money(session: AsyncSession, order: Order) -> bool:
    """Return whether money has arrived for the order, may have arrived, or is not needed because it is free."""
    return (await find_balance(session, order)).has_money(order.state)


async def has_claim(session: AsyncSession, order: Order) -> bool:
    """Return whether the order has money in it, or may become paid without another prompt."""
    if await has_money(session, order):
        return True
    if order.state is not OrderState.AWAITING:
        return False
    newest = await find_newest_prompt(session, order)
    return newest is None or not can_retry(order, newest)


def can_retry(order: Order, newest: Payment) -> bool:
    """Return whether another prompt may follow the order's newest one."""
    if order.state not in UNPAID_ORDERS:
        return False
    allowed = find_retry_time(describe_attempt(newest), settings().mpesa_prompt_window)
    return allowed is not None and allowed <= now()


async def find_claimant(session: AsyncSession, order: Order, holds: Holds = has_claim) -> Order | None:
    """Return the order if it has a claim, else the next one with a claim of those that it names one after the other, or None."""
    claimant: Order | None = order
    while claimant is not None and not await holds(session, claimant):
        earlier = claimant.previous_order_id
        claimant = await session.get(Order, earlier) if earlier else None
    return claimant


async def is_replaced(session: AsyncSession, order: Order) -> bool:
    """Return whether another order of the person for the course has a claim, so that this one cannot be paid."""
    if order.open_key or not order.email:
        return False
    key = compute_open_key(order.email, order.course_slug)
    present = (await session.exec(select(Order).where(Order.open_key == key))).one_or_none()
    rival = await _find_rival(session, order, present, has_claim)
    return rival is not None and not (await _is_named(session, order) and await has_money(session, order))


async def make_present_order(session: AsyncSession, order: Order, holds: Holds) -> bool:
    """Make this order the person's present one for its course, unless another one `holds`. The order must be locked.

    Returns False if another one does.
    """
    if order.open_key or not order.email:
        return True
    key = compute_open_key(order.email, order.course_slug)
    for _ in range(_TRIES):
        present = await lock_present_order(session, key)
        if await _find_rival(session, order, present, holds) is not None:
            return False
        try:
            async with session.begin_nested():
                if present is not None:
                    await release_open_key(session, present)
                order.open_key = key
                session.add(order)
                await session.flush()
        except IntegrityError:
            # A new order was faster: try again with it.
            await session.refresh(order)
            continue
        return True
    return False


async def find_free_key(session: AsyncSession, email: str, course_slug: str) -> str | None:
    """Return the key of the present order of that address, taken from an order without a claim; None if one has a claim."""
    key = compute_open_key(email, course_slug)
    present = await lock_present_order(session, key)
    if present is None:
        return key
    if await find_claimant(session, present) is not None:
        return None
    await release_open_key(session, present)
    return key


async def _find_rival(
    session: AsyncSession, order: Order, present: Order | None, holds: Holds
) -> Order | None:
    claimant = await find_claimant(session, present, holds) if present is not None else None
    return None if claimant is None or claimant.id == order.id else claimant


async def _is_named(session: AsyncSession, order: Order) -> bool:
    """Return whether a later order names this one: the buyer wanted both."""
    later = select(Order.id).where(Order.previous_order_id == order.id)
    return (await session.exec(later)).first() is not None


async def lock_present_order(session: AsyncSession, key: str) -> Order | None:
    """Return the person's present order for the course, locked until the transaction ends."""
    locked = select(Order).where(Order.open_key == key).with_for_update()
    return (await session.exec(locked.execution_options(populate_existing=True))).one_or_none()


async def release_open_key(session: AsyncSession, order: Order) -> None:
    order.open_key = None
    session.add(order)
    await session.flush()


async def find_refusal(session: AsyncSession, order: Order) -> Refusal | None:
    """Return why the buyer cannot be asked for money now, or None."""
    facts = await _gather_facts(session, order, is_replaced=await is_replaced(session, order))
    return choose_refusal(find_refusals(facts))


async def find_arrival_refusal(session: AsyncSession, order: Order, kind: PaymentKind) -> Refusal | None:
    """Return why staff must decide about money that has arrived for the order, or None. The order must be locked.

    The order becomes the present one, unless another order of the person has money in it.
    """
    is_present = await make_present_order(session, order, has_money) or await _is_named(session, order)
    facts = await _gather_facts(session, order, is_replaced=not is_present)
    return choose_arrival_refusal(kind, find_refusals(facts))


async def _gather_facts(session: AsyncSession, order: Order, *, is_replaced: bool) -> OrderFacts:
    balance, course = await find_balance(session, order), course_by_slug(order.course_slug)
    return OrderFacts(
        state=order.state,
        missing=balance.missing(order.state),
        is_erased=not order.email,
        is_replaced=is_replaced,
        is_open=course is not None and course.is_open,
        has_part=balance.net > 0,
        vacancy=await places().find_vacancy(session, describe_sale(order)),
        coupon=await find_coupon_state(session, order),
    )
