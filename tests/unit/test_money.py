"""Formats of amounts for people."""

import pytest

from agency_site.money import kes, kes_stated


def test_thousands_are_separated_by_commas() -> None:
    assert kes(30_000) == "KES 30,000"


@pytest.mark.parametrize(
    ("stated", "expected"),
    [
        ("15001", "KES 15,001"),
        ("15001.00", "KES 15,001"),
        ("14999.5", "KES 14,999.50"),
        ("0.001", "KES 0.001"),
        ("1E+9", "KES 1,000,000,000"),
        ("", "KES 0"),
        ("NaN", "KES NaN"),
        ("sNaN", "KES sNaN"),
        ("-Infinity", "KES -Infinity"),
        ("junk", "KES junk"),
    ],
)
def test_what_mpesa_states_is_shown_in_full_and_junk_as_it_is(stated: str, expected: str) -> None:
    assert kes_stated(stated) == expected
