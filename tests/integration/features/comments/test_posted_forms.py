"""Comments in the HTML of their article, and written and withdrawn without scripts."""

from datetime import timedelta

import httpx
import pytest
from sqlalchemy.exc import OperationalError

from agency_site import clock
from agency_site.features.comments import api
from agency_site.features.comments.rules import CommentState
from agency_site.mail.rules import MAIL_LIMIT_NOTICE
from tests.conftest import FRIDAY_NOON
from tests.example_records import ARTICLE, OTHER_ARTICLE
from tests.integration.features.comments.test_moderation import (
    approve,
    post_comment,
    published_texts,
    stored_comments,
)
from tests.integration.features.comments.test_receiving import COMMENT
from tests.integration.posted_forms import errors_of, main_of, stamped

pytestmark = pytest.mark.usefixtures("no_fill_time")


async def test_a_comment_posted_twice_is_stored_once_and_waits_for_the_editors(
    visitor: httpx.AsyncClient,
) -> None:
    fields = stamped({**COMMENT, "saveInfo": "on"})
    answers = [await visitor.post("/comment", data=fields) for _ in range(2)]
    private = await visitor.get(answers[0].headers["location"])
    assert [answer.status_code for answer in answers] == [303, 303]
    assert answers[0].headers["location"] == answers[1].headers["location"]
    assert "Thank you for your comment!" in private.text
    assert "Waiting for one of our editors" in private.text
    assert [row.state for row in await stored_comments()] == [CommentState.PENDING]


async def test_an_author_beyond_the_mail_limit_reads_that_no_mail_is_sent(visitor: httpx.AsyncClient) -> None:
    for number in range(4):
        answer = await visitor.post("/comment", data=stamped({**COMMENT, "comment": f"Number {number}"}))
    private = await visitor.get(answer.headers["location"])
    assert MAIL_LIMIT_NOTICE in private.text


async def test_a_rejected_comment_is_shown_again_with_its_values_and_the_published_comments(
    visitor: httpx.AsyncClient,
) -> None:
    other = await post_comment(comment="Said before.")
    await approve(other.reference)
    answer = await visitor.post(
        "/comment", data=stamped({**COMMENT, "comment": "Is 1 < 2?", "email": "amina"})
    )
    again = await visitor.get("/comment")
    assert answer.status_code == 422
    assert errors_of(answer.text).keys() == {"email"}
    assert "Is 1 &lt; 2?</textarea>" in answer.text
    assert 'value="amina"' in answer.text
    assert "Said before." in answer.text
    assert (again.status_code, again.headers["location"]) == (303, "/blog")
    assert len(await stored_comments()) == 1


async def test_a_comment_on_no_article_is_not_found(visitor: httpx.AsyncClient) -> None:
    for article in ("", "none", "../book"):
        answer = await visitor.post("/comment", data=stamped({**COMMENT, "article": article}))
        assert answer.status_code == 404
    assert await stored_comments() == []


@pytest.mark.parametrize(
    "headers", [{"Sec-Fetch-Site": "cross-site"}, {"Sec-Fetch-Site": "", "Origin": "https://evil.example"}]
)
async def test_forms_of_another_site_are_rejected(
    visitor: httpx.AsyncClient, headers: dict[str, str]
) -> None:
    comment = await post_comment()
    for path in ("/comment", f"/comment/{comment.token}/withdraw"):
        answer = await visitor.post(path, data=stamped({**COMMENT, "comment": "Buy!"}), headers=headers)
        assert answer.status_code == 403
    assert [row.state for row in await stored_comments()] == [CommentState.PENDING]


async def publish_comments(count: int) -> list[str]:
    """Publish `count` comments and return their references."""
    references = []
    with clock.frozen(FRIDAY_NOON) as move:
        for number in range(count):
            move(FRIDAY_NOON + timedelta(minutes=number))
            comment = await post_comment(comment=f"Number <{number}>.", email=f"reader{number}@example.com")
            await approve(comment.reference)
            references.append(comment.reference)
    return references


async def test_published_comments_are_in_the_html_of_their_article(visitor: httpx.AsyncClient) -> None:
    references = await publish_comments(22)
    await post_comment(comment="Not decided yet.")
    answer = await visitor.get(ARTICLE.href)
    page = answer.text
    more = f"/{ARTICLE.slug}?comments=40#{references[19]}"
    rest = (await visitor.get(more)).text
    elsewhere = (await visitor.get(OTHER_ARTICLE.href)).text
    assert page.count("22 Comments") == 2
    # The service worker stores the article, so it must not be `no-store`.
    assert answer.headers["cache-control"] == "no-cache"
    assert "Number &lt;0&gt;." in page
    assert "Number &lt;20&gt;." not in page
    assert f'href="{more}"' in page
    assert "Number &lt;21&gt;." in rest
    assert "Show more" not in rest
    assert "Not decided yet." not in rest
    assert "Number" not in elsewhere


@pytest.mark.parametrize(
    "query", ["comments=-1", "comments=x", "comments=99999999999", "comments=%F0", "commentsx"]
)
async def test_any_value_of_the_query_parameter_is_accepted(visitor: httpx.AsyncClient, query: str) -> None:
    assert (await visitor.get(f"/{ARTICLE.slug}?{query}")).status_code == 200


async def test_other_pages_do_not_read_the_query_parameter(visitor: httpx.AsyncClient) -> None:
    for path in ("/about?comments", "/none?comments"):
        assert (await visitor.get(path)).status_code == 404, path


async def test_an_article_is_served_without_comments_while_the_database_is_down(
    visitor: httpx.AsyncClient,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    await publish_comments(1)

    async def fail(*_: object) -> None:
        raise OperationalError("SELECT", {}, Exception("database is locked"))

    monkeypatch.setattr(api, "read_comments", fail)
    answer = await visitor.get(ARTICLE.href)
    assert answer.status_code == 200
    assert "Number" not in answer.text


async def test_the_author_withdraws_a_comment_without_scripts_and_a_second_time_changes_nothing(
    visitor: httpx.AsyncClient,
) -> None:
    comment = await post_comment()
    await approve(comment.reference)
    page = await visitor.get(f"/comment/{comment.token}")
    answers = [await visitor.post(f"/comment/{comment.token}/withdraw") for _ in range(2)]
    after = await visitor.get(answers[0].headers["location"])
    assert f'action="/comment/{comment.token}/withdraw"' in page.text
    assert page.headers["referrer-policy"] == "no-referrer"
    assert [answer.status_code for answer in answers] == [303, 303]
    assert "You have withdrawn your comment." in after.text
    assert "<button" not in main_of(after.text)
    assert await published_texts() == []
    assert [row.version for row in await stored_comments()] == [3]


async def test_an_unknown_link_is_not_found(visitor: httpx.AsyncClient) -> None:
    answers = [await visitor.get("/comment/wrong"), await visitor.post("/comment/wrong/withdraw")]
    for answer in answers:
        assert answer.status_code == 404
        assert "There is no comment at this link." in answer.text
        assert answer.headers["cache-control"] == "no-store"
