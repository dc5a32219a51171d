"""The two filters in the home page's address."""

import pytest

from agency_site.site.home_address import COURSES, WORK, address_with


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ({}, ("web", "all")),
        ({"work": "software", "courses": "business"}, ("software", "business")),
        ({"work": "cooking", "courses": "\ud800"}, ("web", "all")),
    ],
)
def test_a_query_names_known_values_or_the_first_is_shown(
    query: dict[str, str], expected: tuple[str, str]
) -> None:
    assert (WORK.read(query), COURSES.read(query)) == expected


@pytest.mark.parametrize(
    ("query", "category", "expected"),
    [
        ({}, "business", "/?courses=business"),
        ({"work": "software"}, "business", "/?work=software&courses=business"),
        ({"work": "software", "courses": "business"}, "all", "/?work=software"),
        ({"work": "\ud800", "other": "kept nowhere"}, "all", "/"),
        ({}, "cooking", "/"),
    ],
)
def test_an_address_names_what_differs_from_the_plain_page(
    query: dict[str, str], category: str, expected: str
) -> None:
    assert address_with(query, COURSES, category) == expected
