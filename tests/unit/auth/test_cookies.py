"""Reading cookies that a browser or any other client sends."""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agency_site.auth.cookies import device_of, pending_of, session_name, token_of
from agency_site.auth.tokens import TOKEN, new_token
from agency_site.settings import Settings

TOKENS = st.from_regex(TOKEN, fullmatch=True)


@given(TOKENS, st.lists(st.text(alphabet=st.characters(exclude_characters=";="), max_size=12), max_size=4))
def test_the_token_is_found_among_others(token: str, others: list[str]) -> None:
    parts = [f"a{other}=1" for other in others]
    assert token_of("; ".join([*parts, f"staff={token}"])) == token
    assert token_of(";".join([f" staff={token} ", *parts])) == token


@given(st.text(max_size=200))
def test_nothing_else_is_taken_for_a_token(header: str) -> None:
    token = token_of(header)
    assert token == "" or TOKEN.fullmatch(token)


@pytest.mark.parametrize(
    "header",
    [
        "",
        "staff",
        "staff=",
        "staff=short",
        "xstaff={0}",
        "staff-device={0}",
        "Staff={0}",
        "staff={0}x",
        'staff="{0}"',
    ],
)
def test_other_cookies_are_not_the_session(header: str) -> None:
    assert token_of(header.format(new_token())) == ""


def test_each_cookie_has_its_own_name() -> None:
    header = f"staff-code=1.2.ab; staff-device=xy.cd; staff={'t' * 43}"
    assert (pending_of(header), device_of(header), token_of(header)) == ("1.2.ab", "xy.cd", "t" * 43)


def test_on_https_only_the_cookie_that_the_browser_protects_counts(
    configure: Callable[..., Settings],
) -> None:
    configure(public_url="https://mwanga.example")
    token = new_token()
    assert session_name() == "__Host-staff"
    assert token_of(f"staff={token}") == ""
    assert token_of(f"staff={'x' * 43}; __Host-staff={token}") == token
