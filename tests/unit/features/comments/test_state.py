"""How a comment reads under its article."""

from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agency_site.errors import InputRejected
from agency_site.features.comments.page import STATUS_TEXTS
from agency_site.features.comments.records import PublishedComment
from agency_site.features.comments.request import CommentRequest
from agency_site.features.comments.rules import CommentState
from agency_site.features.comments.state import (
    _to_plain_text,
    find_article,
    find_host,
    find_slug,
    format_day,
)
from agency_site.form_input import read_form
from tests.unit.features.comments.test_request import FORM


def test_the_day_is_nairobis() -> None:
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
def test_a_link_names_its_host_and_what_is_no_web_address_is_no_link(website: str, host: str) -> None:
    assert find_host(website) == host


def test_every_state_has_words_for_the_author() -> None:
    assert set(STATUS_TEXTS) == set(CommentState)


def test_an_article_that_content_no_longer_has_is_not_linked() -> None:
    assert find_article("video-blog")[1] == "/video-blog"
    assert find_article("gone") == ("", "")


@pytest.mark.parametrize(
    ("path", "slug"),
    [
        ("/video-blog", "video-blog"),
        ("/Video-Blog/", "video-blog"),
        ("/blog", ""),
        ("", ""),
        ("/\x00\ud83d", ""),
    ],
)
def test_only_articles_have_comments(path: str, slug: str) -> None:
    assert find_slug(path) == slug


@settings(deadline=None)
@given(st.text(max_size=300), st.text(max_size=80), st.text(max_size=80))
def test_whatever_is_taken_in_is_shown_as_plain_text(text: str, name: str, website: str) -> None:
    try:
        taken = read_form(CommentRequest, FORM | {"comment": text, "name": name, "website": website})
    except InputRejected:
        return
    moment = datetime(2026, 11, 20, tzinfo=UTC)
    shown = _to_plain_text(PublishedComment("CM-7F3K9Q", taken.name, taken.website, taken.comment, moment))
    assert shown["text"].split() == taken.comment.split()
    assert shown["website"] == "" or shown["website"].startswith(("http://", "https://"))
    assert all(isinstance(value, str) for value in shown.values())
