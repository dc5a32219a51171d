"""The section of comments below an article."""

import re
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agency_site.errors import InputRejected
from agency_site.features.comments.records import PublishedComment
from agency_site.features.comments.request import CommentRequest
from agency_site.features.comments.state import Comments
from agency_site.features.comments.view import comment_thread, comments_intro
from agency_site.form_input import read_form
from agency_site.ui.server_html import render_html
from tests.example_records import ARTICLE
from tests.unit.features.comments.test_request import FORM

NOON = datetime(2026, 11, 20, 9, tzinfo=UTC)


@pytest.mark.parametrize(
    ("total", "heading", "invitation"),
    [
        (0, ">No Comments</h2>", "Yours can be the first."),
        (1, ">1 Comment</h2>", "Join in."),
        (1200, ">1,200 Comments</h2>", "Join in."),
    ],
)
def test_the_heading_counts_the_comments_and_a_sentence_invites_another(
    total: int, heading: str, invitation: str
) -> None:
    html = render_html(comments_intro(total))
    assert heading in html
    assert invitation in html


def test_a_link_leads_to_comments_that_are_not_shown_yet() -> None:
    comment = PublishedComment("CM-1", "Amina", "", "Karibu.", NOON)
    assert "Show more" not in render_html(comment_thread(ARTICLE.slug, Comments((comment,), 1)))
    html = render_html(comment_thread(ARTICLE.slug, Comments((comment,), 2)))
    assert f'href="/{ARTICLE.slug}?comments=' in html
    assert '#CM-1"' in html


@given(st.text(max_size=300), st.text(max_size=80), st.text(max_size=80))
def test_every_accepted_comment_is_shown_as_plain_text(text: str, name: str, website: str) -> None:
    try:
        accepted = read_form(CommentRequest, FORM | {"comment": text, "name": name, "website": website})
    except InputRejected:
        return
    comment = PublishedComment("CM-7F3K9Q", accepted.name, accepted.website, accepted.comment, NOON)
    html = render_html(comment_thread(ARTICLE.slug, Comments((comment,), 1)))
    assert set(re.findall(r"<(\w+)", html)) <= {"section", "ol", "li", "article", "p", "bdi", "time", "a"}
    assert all(address.startswith(("http://", "https://")) for address in re.findall('href="([^"]*)"', html))
