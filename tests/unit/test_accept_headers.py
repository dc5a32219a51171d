"""Negotiation headers of requests."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agency_site.accept_headers import best_encoding, has_etag, wants_html, weights

OFFERED = ("br", "gzip")


@pytest.mark.parametrize(
    ("header", "best"),
    [
        ("", ""), ("identity", ""), ("gzip", "gzip"), ("gzip, deflate, br", "br"), ("br;q=0, gzip", "gzip"),
        ("br;q=0.5, gzip;q=0.8", "gzip"), ("br; q=0.000", ""), ("*", "br"), ("br;q=0, *;q=0.1", "gzip"), ("*;q=0", ""),
        ("BR", "br"), ("brotli", ""), ("zstd", ""), ("br;q=2", ""), ("br;q=x", ""), ("identity;q=1, br;q=0.5", ""),
        ("gzip;q=1.0;x=1", "gzip"), (",,;;", ""),
    ],
)  # fmt: skip
def test_the_encoding_with_the_highest_weight_is_chosen(header: str, best: str) -> None:
    assert best_encoding(header, OFFERED) == best


@given(st.text(max_size=80))
def test_no_header_raises_an_exception(header: str) -> None:
    assert best_encoding(header, OFFERED) in {"", *OFFERED}
    assert all(0 <= weight <= 1 for weight in weights(header).values())


@pytest.mark.parametrize(
    ("header", "current"),
    [
        ('W/"a"', True), ('"a"', True), ('"b", W/"a"', True), ("*", True), ('"b"', False), ("", False), ("a", False),
        ('"aa"', False), ('"b","a"', True),
    ],
)  # fmt: skip
def test_an_etag_matches_by_weak_comparison_in_a_list_or_by_a_star(header: str, current: bool) -> None:
    assert has_etag(header, 'W/"a"') is current


@pytest.mark.parametrize(
    ("header", "html"),
    [("text/html,application/xhtml+xml,*/*;q=0.8", True), ("*/*", False), ("application/json", False), ("", False),
     ("text/html;q=0", False)],
)  # fmt: skip
def test_only_clients_that_accept_html_get_a_page(header: str, html: bool) -> None:
    assert wants_html(header) is html
