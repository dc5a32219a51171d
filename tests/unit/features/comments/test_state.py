"""Dates, websites and articles of comments."""

from datetime import UTC, datetime

import pytest

from agency_site.features.comments.page import STATUS_TEXTS
from agency_site.features.comments.rules import CommentState
from agency_site.features.comments.state import (
    find_article,
    find_host,
    find_slug,
    format_day,
)
from tests.example_records import ARTICLE


def test_the_day_is_the_one_in_nairobi() -> None:
    assert format_day(datetime(2026, 11, 20, 21, 30, tzinfo=UTC)) == "21 November 2026"


@pytest.mark.parametrize(
    ("website", "host"),
    [
        ("https://www.example.co.ke/shop?x=1", "example.co.ke"),
        ("http://user.example:8080", "user.example"),
        ("javascript:alert(1)", ""),
        ("data:text/html,x", ""),
        ("https://[", ""),
        ("", ""),
    ],
)
def test_only_a_web_address_has_a_host(website: str, host: str) -> None:
    assert find_host(website) == host


def test_every_state_has_a_text_for_the_author() -> None:
    assert set(STATUS_TEXTS) == set(CommentState)


def test_an_article_that_content_no_longer_has_is_not_linked() -> None:
    assert find_article(ARTICLE.slug)[1] == ARTICLE.href
    assert find_article("gone") == ("", "")


@pytest.mark.parametrize(
    ("path", "slug"),
    [
        (ARTICLE.href, ARTICLE.slug),
        (f"{ARTICLE.href.title()}/", ARTICLE.slug),
        ("/blog", ""),
        ("", ""),
        ("/\x00\ud83d", ""),
    ],
)
def test_only_articles_have_comments(path: str, slug: str) -> None:
    assert find_slug(path) == slug
