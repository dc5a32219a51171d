"""What the section of comments says with and without comments."""

from datetime import UTC, datetime

import pytest

from agency_site.features.comments.records import PublishedComment
from agency_site.features.comments.state import CommentForm, Comments, CommentThread
from agency_site.features.comments.view import comments
from agency_site.ui.server_html import new_state, render_html

ONE = PublishedComment("CM-1", "Amina", "", "Karibu.", datetime(2026, 11, 20, 9, tzinfo=UTC))


@pytest.mark.parametrize(
    ("found", "heading", "invitation", "lists"),
    [
        (Comments((), 0), ">No Comments</h2>", "Yours can be the first.", 0),
        (Comments((ONE,), 1), ">1 Comment</h2>", "Join in.", 1),
    ],
    ids=["none", "one"],
)
def test_the_heading_counts_the_comments_and_a_sentence_invites_another(
    found: Comments, heading: str, invitation: str, lists: int
) -> None:
    thread = new_state(CommentThread)
    thread._show("video-blog", found)
    html = render_html(comments("video-blog", thread, new_state(CommentForm)))
    assert heading in html
    assert invitation in html
    assert html.count("<ol") == lists
