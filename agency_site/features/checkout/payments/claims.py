"""Whether an order has a claim to its course, and whether money may be taken for it.

All ways in which money comes ask here: prompts, the validation of payments by hand, confirmations, statements, records and
assignments of staff, the pages and mails that ask the buyer to pay.
"""

from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence

from sqlalchemy import ColumnElement
from sqlalchemy.exc import IntegrityError
from sqlmodel import col, select
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.clock import now
from agency_site.content.courses import course_by_slug
from agency_site.features.checkout.coupons.usecases import list_coupon_states
from agency_site.features.checkout.orders.rules import UNPAID_ORDERS, OrderState, compute_open_key
from agency_site.features.checkout.orders.tables import Order
from agency_site.features.checkout.payments.queries import (
    describe_attempt,
    describe_sale,
    list_balances,
    list_newest_prompts,
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

Holds = Callable[[AsyncSession, Sequence[Order]], Awaitable[Collection[int | None]]]
"""The ids of those orders that keep another one from replacing them."""

_TRIES = 3


async def list_with_money(session: AsyncSession, orders: Sequence[Order]) -> Collection[int | None]:
    """Return the ids of the orders for which money has arrived, may have arrived, or is not needed because they are free."""
    balances = await list_balances(session, orders)
    return {order.id for order in orders if balances[order.id].has_money(order.state)}


async def list_with_claim(session: AsyncSession, orders: Sequence[Order]) -> Collection[int | None]:
    """Return the ids of the orders that have money in them, or may become paid without another prompt."""
    claims = set(await list_with_money(session, orders))
    awaiting = [order for order in orders if order.id not in claims and order.state is OrderState.AWAITING]
    newest = await list_newest_prompts(session, awaiting) if awaiting else {}
    return claims | {
        order.id for order in awaiting if order.id not in newest or not can_retry(order, newest[order.id])
    }


def can_retry(order: Order, newest: Payment) -> bool:
    """Return whether another prompt may follow the order's newest one."""
    if order.state not in UNPAID_ORDERS:
        return False
    allowed = find_retry_time(describe_attempt(newest), settings().mpesa_prompt_window)
    return allowed is not None and allowed <= now()


async def find_claimant(session: AsyncSession, order: Order, holds: Holds = list_with_claim) -> Order | None:
    """Return the order if it has a claim, else the next one with a claim of those that it names one after the other, or None."""
    return (await _list_claimants(session, [order], holds)).get(order.id)


async def _list_claimants(
    session: AsyncSession, orders: Sequence[Order], holds: Holds
) -> Mapping[int | None, Order]:
    """Return the claimant of each order that has one, by the order's id."""
    candidates = {order.id: order for order in orders}
    claimants: dict[int | None, Order] = {}
    while candidates:
        holding = await holds(session, list(candidates.values()))
        claimants |= {first: order for first, order in candidates.items() if order.id in holding}
        earlier = {
            first: order.previous_order_id
            for first, order in candidates.items()
            if order.id not in holding and order.previous_order_id
        }
        named_orders = await _list_orders(session, col(Order.id).in_(earlier.values())) if earlier else []
        named = {order.id: order for order in named_orders}
        candidates = {first: named[previous] for first, previous in earlier.items()}
    return claimants


async def _list_orders(session: AsyncSession, which: ColumnElement[bool]) -> Sequence[Order]:
    return (await session.exec(select(Order).where(which))).all()


async def is_replaced(session: AsyncSession, order: Order) -> bool:
    """Return whether another order of the person for the course has a claim, so that this one cannot be paid."""
    return order.id in await _list_replaced(session, [order])


async def _list_replaced(session: AsyncSession, orders: Sequence[Order]) -> Collection[int | None]:
    """Return the ids of those orders that cannot be paid because another one of the person for the course has a claim."""
    keys = {
        order.id: compute_open_key(order.email, order.course_slug)
        for order in orders
        if order.email and not order.open_key
    }
    present = await _list_orders(session, col(Order.open_key).in_(keys.values())) if keys else []
    claimants = await _list_claimants(session, present, list_with_claim)
    rivals = {order.open_key: claimants[order.id] for order in present if order.id in claimants}
    rivalled = [
        order for order in orders if (rival := rivals.get(keys.get(order.id))) and rival.id != order.id
    ]
    if not rivalled:
        return frozenset()
    wanted = await _list_named(session, rivalled) & set(await list_with_money(session, rivalled))
    return {order.id for order in rivalled} - wanted


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


async def _list_named(session: AsyncSession, orders: Sequence[Order]) -> set[int | None]:
    """Return the ids of those orders that a later one names: the buyer wanted both."""
    named = select(Order.previous_order_id).where(
        col(Order.previous_order_id).in_([order.id for order in orders])
    )
    return set(await session.exec(named))


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
    return (await list_refusals(session, [order]))[order.id]


async def list_refusals(
    session: AsyncSession, orders: Sequence[Order]
) -> Mapping[int | None, Refusal | None]:
    """Return for each order, by its id, why its buyer cannot be asked for money now, or None."""
    facts = await _gather_facts(session, orders, await _list_replaced(session, orders))
    return {order_id: choose_refusal(find_refusals(of_order)) for order_id, of_order in facts.items()}


async def find_arrival_refusal(session: AsyncSession, order: Order, kind: PaymentKind) -> Refusal | None:
    """Return why staff must decide about money that has arrived for the order, or None. The order must be locked.

    The order becomes the present one, unless another order of the person has money in it.
    """
    is_present = await make_present_order(session, order, list_with_money)
    is_kept = is_present or await _list_named(session, [order])
    facts = await _gather_facts(session, [order], () if is_kept else (order.id,))
    return choose_arrival_refusal(kind, find_refusals(facts[order.id]))


async def _gather_facts(
    session: AsyncSession, orders: Sequence[Order], replaced: Collection[int | None]
) -> Mapping[int | None, OrderFacts]:
    balances = await list_balances(session, orders)
    sales = [describe_sale(order) for order in orders]
    vacancies = await places().list_vacancies(session, sales)
    coupons = await list_coupon_states(session, orders)
    facts: dict[int | None, OrderFacts] = {}
    for order, sale in zip(orders, sales, strict=True):
        balance, course = balances[order.id], course_by_slug(order.course_slug)
        facts[order.id] = OrderFacts(
            state=order.state,
            missing=balance.missing(order.state),
            is_erased=not order.email,
            is_replaced=order.id in replaced,
            is_open=course is not None and course.is_open,
            has_part=balance.net > 0,
            vacancy=vacancies[sale.order_id],
            coupon=coupons[order.id],
        )
    return facts
