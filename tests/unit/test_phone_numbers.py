"""Formats of stored phone numbers for people, and searches for them."""

import pytest

from agency_site.form_input import search_words
from agency_site.phone_numbers import expand_kenyan_number, format_phone_number, local_number


@pytest.mark.parametrize(
    ("stored", "expected"),
    [
        ("+254712345678", "0712 345 678"),
        ("254110000333", "0110 000 333"),
        ("+442079460958", "+442079460958"),
        ("", ""),
    ],
)
def test_kenyan_numbers_are_grouped_and_others_stay(stored: str, expected: str) -> None:
    assert format_phone_number(stored) == expected


def test_a_kenyan_number_loses_its_country_code() -> None:
    assert [local_number(item) for item in ("+254712345678", "+442079460958", "")] == ["0712345678", "", ""]


@pytest.mark.parametrize(
    "raw", ["0712 345 678", "+254 712-345-678", "254712345678", "00254712345678", "712345678"]
)
def test_a_search_for_a_whole_kenyan_number_means_that_number(raw: str) -> None:
    (word,) = search_words(raw)
    assert expand_kenyan_number(word) == "+254712345678"


@pytest.mark.parametrize("raw", ["345678", "0712 345 67", "+44 20 7946 0958", "BK-712345", "7123456789"])
def test_a_search_for_anything_else_means_no_whole_number(raw: str) -> None:
    assert [expand_kenyan_number(word) for word in search_words(raw)] == [""] * len(search_words(raw))
