"""Who has ordered: checkout's part of the contract with the academy (`agency_site.places`), and the search for orders."""

import re
from collections.abc import Sequence
from typing import Any

from sqlalchemy import CompoundSelect, Select, union
from sqlalchemy import select as rows_of
from sqlmodel import col, select
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.backoffice.lists.definition import holding
from agency_site.errors import NotFound
from agency_site.features.checkout.rules import OrderState
from agency_site.features.checkout.tables import Order, Payment
from agency_site.ids import ALPHABET, LENGTH, token_hash
from agency_site.phone_numbers import whole_number
from agency_site.places import UNKNOWN_ORDER

SHORTEST_NUMBER = 3
"""Digits that a number must have to be searched among the phones that paid."""


_CREDIT_NOTE = re.compile(rf"(?<=-[{ALPHABET.lower()}]{{{LENGTH}}})-?c\d{{1,4}}$")
_holding = holding(
    col(Order.search), reference=col(Order.reference), email=col(Order.email), phone=col(Order.phone)
)


def select_buyers() -> Select[Any]:
    """See `agency_site.places.Buyers`."""
    is_free = (col(Order.state) == OrderState.FREE).label("is_free")
    shown: Sequence[Any] = (Order.first_name, Order.last_name, Order.email, Order.phone, is_free)
    return rows_of(col(Order.id).label("order_id"), *shown)


def search_orders(words: Sequence[str]) -> CompoundSelect[Any] | Select[Any]:
    """The ids of orders that contain all words, and of those paid from the phone that the only word is, or is a part of.

    The number of a credit note, such as `en-7f3k9q-c1`, means its order.
    """
    words = [_CREDIT_NOTE.sub("", word) for word in words]
    by_words = select(Order.id).where(_holding(words))
    number = words[0].lstrip("+0") if len(words) == 1 else ""
    if len(number) < SHORTEST_NUMBER or not number.isdecimal():
        return by_words
    whole = whole_number(number).removeprefix("+")
    paid = col(Payment.phone) == whole if whole else col(Payment.phone).contains(number)
    return union(by_words, select(Payment.order_id).where(paid))


async def find_order(session: AsyncSession, token: str) -> int:
    """See `agency_site.places.Buyers`."""
    found = (await session.exec(select(Order.id).where(Order.token_hash == token_hash(token)))).one_or_none()
    if found is None:
        raise NotFound(UNKNOWN_ORDER)
    return found
