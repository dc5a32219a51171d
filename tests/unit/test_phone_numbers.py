"""How stored telephone numbers are written for people."""

import pytest

from agency_site.phone_numbers import format_phone_number, local_number


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


def test_a_kenyan_number_loses_its_country_code() -> None:
    assert [local_number(one) for one in ("+254712345678", "+442079460958", "")] == ["0712345678", "", ""]
