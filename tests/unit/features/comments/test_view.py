"""What the section of comments says before anybody knows how many there are."""

import pytest

from agency_site.features.comments.state import CommentForm, CommentThread
from agency_site.features.comments.view import comments
from agency_site.ui.server_html import new_state, render_html


@pytest.mark.parametrize(
    ("loaded", "heading", "link"), [("", ">Comments</h2>", 1), ("video-blog", ">No Comments</h2>", 0)]
)
def test_the_link_to_comments_is_beside_no_statement_that_there_are_none(
    loaded: str, heading: str, link: int
) -> None:
    thread = new_state(CommentThread)
    thread.article = loaded
    html = render_html(comments("video-blog", thread, new_state(CommentForm)))
    assert heading in html
    assert html.count("Show comments</a>") == link
