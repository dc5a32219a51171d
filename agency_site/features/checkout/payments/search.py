"""The search for orders."""

import re
from collections.abc import Sequence
from typing import Any

from sqlalchemy import CompoundSelect, Select, union
from sqlmodel import col, select

from agency_site.backoffice.lists.definition import search_text_in
from agency_site.features.checkout.orders.tables import Order
from agency_site.features.checkout.payments.tables import Payment
from agency_site.ids import ALPHABET, LENGTH
from agency_site.phone_numbers import expand_kenyan_number

SHORTEST_NUMBER = 3
"""The smallest number of digits for a search among the phones that paid."""


_CREDIT_NOTE = re.compile(rf"(?<=-[{ALPHABET.lower()}]{{{LENGTH}}})-?c\d{{1,4}}$")

_contains_all = search_text_in(
    col(Order.search), reference=col(Order.reference), email=col(Order.email), phone=col(Order.phone)
)


def search_orders(words: Sequence[str]) -> CompoundSelect[Any] | Select[Any]:
    """Return the ids of orders that contain all words. A single number is also searched among the phones that paid.

    The number of a credit note, such as `en-7f3k9q-c1`, finds its order.
    """
    words = [_CREDIT_NOTE.sub("", word) for word in words]
    by_words = select(Order.id).where(_contains_all(words))
    number = words[0].lstrip("+0") if len(words) == 1 else ""
    if len(number) < SHORTEST_NUMBER or not number.isdecimal():
        return by_words
    full_number = expand_kenyan_number(number).removeprefix("+")
    paid = col(Payment.phone) == full_number if full_number else col(Payment.phone).contains(number)
    return union(by_words, select(Payment.order_id).where(paid))
