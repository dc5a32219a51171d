"""Read orders by reference, token and e-mail address."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Select, func
from sqlalchemy import select as rows_of
from sqlmodel import col, select
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.db.found_rows import find_one
from agency_site.errors import NotFound
from agency_site.features.checkout.orders.rules import LINK, OrderState
from agency_site.features.checkout.orders.tables import Order
from agency_site.form_input import search_text
from agency_site.ids import parse_reference, token_hash
from agency_site.places import UNKNOWN_ORDER
from agency_site.signing import find_private_token


def select_buyers() -> Select[Any]:
    """Select name, addresses and phone of the buyer of each order."""
    is_free = (col(Order.state) == OrderState.FREE).label("is_free")
    columns: Sequence[Any] = (Order.first_name, Order.last_name, Order.email, Order.phone, is_free)
    return rows_of(col(Order.id).label("order_id"), *columns)


async def find_order_id(session: AsyncSession, token: str) -> int:
    """Return the id of the order that the private token opens. Raises NotFound."""
    order_id = (
        await session.exec(select(Order.id).where(Order.token_hash == token_hash(token)))
    ).one_or_none()
    if order_id is None:
        raise NotFound(UNKNOWN_ORDER)
    return order_id


def find_order_token(order: Order) -> str | None:
    """Return the token of the order's private link; None if its secret key is not in the settings any more."""
    return find_private_token(LINK, order.reference, order.token_hash)


def format_name(order: Order) -> str:
    return f"{order.first_name} {order.last_name}".strip()


def build_order_search(order: Order) -> str:
    """Return the text in which lists search for the order."""
    person = (order.first_name, order.last_name, order.email, order.phone)
    return search_text(order.reference, *person, order.company_name, order.company_pin)


async def find_order_row(session: AsyncSession, reference: str) -> Order:
    """Return the order with that reference, in upper or lower case. Raises NotFound."""
    wanted = select(Order).where(Order.reference == parse_reference(reference))
    return await find_one(session, wanted, "There is no order with this reference.", fresh=True)


async def find_company(session: AsyncSession, email: str) -> tuple[str, str]:
    """Return the name and KRA PIN of the company in the newest order of that address; two empty texts if none has one."""
    same_address = func.lower(col(Order.email)) == email.lower()
    newest = select(Order.company_name, Order.company_pin).where(same_address, Order.company_name != "")
    company = (await session.exec(newest.order_by(col(Order.id).desc()).limit(1))).first()
    return company or ("", "")


async def lock_order(session: AsyncSession, order_id: int) -> Order:
    """Return the current order, locked until the transaction ends."""
    locked = select(Order).where(Order.id == order_id).with_for_update()
    return (await session.exec(locked.execution_options(populate_existing=True))).one()
