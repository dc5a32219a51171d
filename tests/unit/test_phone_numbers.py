"""How stored telephone numbers are written for people."""

import pytest

from agency_site.phone_numbers import format_phone_number


@pytest.mark.parametrize(
    ("stored", "shown"),
    [
        ("+254712345678", "0712 345 678"),
        ("254110000333", "0110 000 333"),
        ("+442079460958", "+442079460958"),
        ("", ""),
    ],
)
def test_kenyan_numbers_are_grouped_and_others_stay(stored: str, shown: str) -> None:
    assert format_phone_number(stored) == shown
