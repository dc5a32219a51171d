"""The cookie of a visit: what is written is read again, and nothing else is."""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agency_site.settings import Settings
from agency_site.visits.cookie import SECONDS, parse_origin, write_cookie
from agency_site.visits.rules import LONGEST, LONGEST_PAGE, NO_ORIGIN, Origin, clean_part, is_page

Configure = Callable[..., Settings]
SPRING = Origin("google", "cpc", "spring sale", "/book")
PARTS = st.text().map(clean_part)
ORIGINS = st.builds(Origin, PARTS, PARTS, PARTS, st.sampled_from(["/", "/book", "/services/web-design"]))


def cookie_of(origin: Origin) -> str:
    """The header Cookie that a browser sends after it has received the origin."""
    return write_cookie(origin).partition(";")[0]


@given(ORIGINS)
def test_an_origin_is_read_as_it_was_written(origin: Origin) -> None:
    assert parse_origin(cookie_of(origin)) == origin
    assert parse_origin(f"theme=dark; {cookie_of(origin)}; other=1") == origin


@given(ORIGINS)
def test_browsers_accept_every_cookie(origin: Origin) -> None:
    header = write_cookie(origin)
    assert header.isascii()
    assert len(cookie_of(origin)) <= 4096
    assert not set(cookie_of(origin)) & set(' ",\\\r\n')


def test_the_longest_origin_fits_a_cookie() -> None:
    longest = Origin(
        "\U0001f600" * LONGEST, "\U0001f600" * LONGEST, "\U0001f600" * LONGEST, f"/{'a' * (LONGEST_PAGE - 1)}"
    )
    assert len(cookie_of(longest)) <= 4096
    assert parse_origin(cookie_of(longest)) == longest


@given(st.binary())
def test_any_bytes_of_a_cookie_make_a_clean_origin(value: bytes) -> None:
    text = value.decode("latin-1")
    for header in (
        text,
        f"visit={text}",
        f"visit=a&b&{text}&/",
        f"visit=a&b&c&/{text}",
        f"visit={text};visit=a",
    ):
        origin = parse_origin(header)
        assert origin == NO_ORIGIN or is_page(origin.first_page)
        for part in (origin.source, origin.medium, origin.campaign):
            assert clean_part(part) == part


@pytest.mark.parametrize(
    "value",
    ["", "a", "a&b&c", "a&b&c&/&d", "a&b&c&book", "a&b&c&", "A&b&c&/", "a%00&b&c&/", "%ff&b&c&/", "a%ED%A0%80&b&c&/",
     f"{'a' * (LONGEST + 1)}&b&c&/", f"a&b&c&/{'a' * LONGEST_PAGE}", "a&b&c&https://evil.example"],
)  # fmt: skip
def test_another_value_is_no_origin(value: str) -> None:
    assert parse_origin(f"visit={value}") == NO_ORIGIN


def test_a_cookie_of_another_name_is_not_read() -> None:
    value = cookie_of(SPRING).removeprefix("visit=")
    assert parse_origin(f"revisit={value}; visits={value}") == NO_ORIGIN


def test_the_cookie_ends_after_half_an_hour_and_scripts_cannot_read_it(configure: Configure) -> None:
    plain = write_cookie(SPRING)
    configure(public_url="https://agency.example")
    assert plain == "visit=google&cpc&spring%20sale&/book; Max-Age=1800; Path=/; HttpOnly; SameSite=Lax"
    assert write_cookie(SPRING) == f"{plain}; Secure"
    assert SECONDS == 1800


def test_the_setting_keeps_cookies_from_being_read(configure: Configure) -> None:
    configure(visits=False)
    assert parse_origin(cookie_of(SPRING)) == NO_ORIGIN
