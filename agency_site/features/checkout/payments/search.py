"""Who has ordered: checkout's part of the contract with the academy (`agency_site.places`), and the search for orders."""

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
"""Digits that a number must have to be searched among the phones that paid."""


_CREDIT_NOTE = re.compile(rf"(?<=-[{ALPHABET.lower()}]{{{LENGTH}}})-?c\d{{1,4}}$")

_holding = search_text_in(
    col(Order.search), reference=col(Order.reference), email=col(Order.email), phone=col(Order.phone)
)


def search_orders(words: Sequence[str]) -> CompoundSelect[Any] | Select[Any]:
    """The ids of orders that contain all words, and of those paid from the phone that the only word is, or is a part of.

    The number of a credit note, such as `en-7f3k9q-c1`, means its order.
    """
    words = [_CREDIT_NOTE.sub("", word) for word in words]
    by_words = select(Order.id).where(_holding(words))
    number = words[0].lstrip("+0") if len(words) == 1 else ""
    if len(number) < SHORTEST_NUMBER or not number.isdecimal():
        return by_words
    whole = expand_kenyan_number(number).removeprefix("+")
    paid = col(Payment.phone) == whole if whole else col(Payment.phone).contains(number)
    return union(by_words, select(Payment.order_id).where(paid))
