"""Comments in the HTML of their article, and written and withdrawn without scripts."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from sqlalchemy.exc import OperationalError

from agency_site import clock
from agency_site.features.comments import api
from agency_site.features.comments.rules import CommentState
from agency_site.mail.rules import MAIL_LIMIT_NOTICE
from tests.conftest import FRIDAY_NOON
from tests.integration.features.comments.test_receiving import COMMENT
from tests.integration.features.comments.test_staff_usecases import approve, comment, shown, stored
from tests.integration.posted_forms import errors_of, main_of, stamped, visitor


@pytest.fixture(autouse=True)
def no_fill_time(configure: Callable[..., object], database: object) -> None:
    configure(form_minimum_seconds=0)


async def test_a_posted_comment_waits_for_the_editors_however_often_it_is_sent() -> None:
    fields = stamped({**COMMENT, "saveInfo": "on"})
    async with visitor() as browser:
        answers = [await browser.post("/comment", data=fields) for _ in range(2)]
        private = await browser.get(answers[0].headers["location"])
    assert [answer.status_code for answer in answers] == [303, 303]
    assert answers[0].headers["location"] == answers[1].headers["location"]
    assert "Thank you for your comment!" in private.text
    assert "Waits for one of our editors" in private.text
    assert [row.state for row in await stored()] == [CommentState.PENDING]


async def test_an_author_who_gets_no_more_mail_reads_so() -> None:
    async with visitor() as browser:
        for number in range(4):
            answer = await browser.post("/comment", data=stamped({**COMMENT, "comment": f"Number {number}"}))
        private = await browser.get(answer.headers["location"])
    assert MAIL_LIMIT_NOTICE in private.text


async def test_errors_come_back_with_what_was_typed_and_the_comments_of_others() -> None:
    other = await comment(comment="Said before.")
    await approve(other.reference)
    async with visitor() as browser:
        answer = await browser.post(
            "/comment", data=stamped({**COMMENT, "comment": "Is 1 < 2?", "email": "amina"})
        )
        again = await browser.get("/comment")
    assert answer.status_code == 422
    assert errors_of(answer.text).keys() == {"email"}
    assert "Is 1 &lt; 2?</textarea>" in answer.text
    assert 'value="amina"' in answer.text
    assert "Said before." in answer.text
    assert (again.status_code, again.headers["location"]) == (303, "/blog")
    assert len(await stored()) == 1


async def test_a_comment_on_no_article_is_not_found() -> None:
    async with visitor() as browser:
        for article in ("", "none", "../book"):
            answer = await browser.post("/comment", data=stamped({**COMMENT, "article": article}))
            assert answer.status_code == 404
    assert await stored() == []


@pytest.mark.parametrize(
    "headers", [{"Sec-Fetch-Site": "cross-site"}, {"Sec-Fetch-Site": "", "Origin": "https://evil.example"}]
)
async def test_forms_of_another_site_do_nothing(headers: dict[str, str]) -> None:
    made = await comment()
    async with visitor() as browser:
        for path in ("/comment", f"/comment/{made.token}/withdraw"):
            answer = await browser.post(path, data=stamped({**COMMENT, "comment": "Buy!"}), headers=headers)
            assert answer.status_code == 403
    assert [row.state for row in await stored()] == [CommentState.PENDING]


async def published(count: int) -> list[str]:
    """References of so many published comments."""
    made = []
    with clock.frozen(FRIDAY_NOON) as move:
        for number in range(count):
            move(FRIDAY_NOON + timedelta(minutes=number))
            one = await comment(comment=f"Number <{number}>.", email=f"reader{number}@example.com")
            await approve(one.reference)
            made.append(one.reference)
    return made


async def test_published_comments_are_in_the_html_of_their_article() -> None:
    references = await published(22)
    await comment(comment="Not decided yet.")
    async with visitor() as browser:
        answer = await browser.get("/video-blog")
        page = answer.text
        more = f"/video-blog?comments=40#{references[19]}"
        rest = (await browser.get(more)).text
        elsewhere = (await browser.get("/visual-blog")).text
    assert page.count("22 Comments") == 2
    # The service worker keeps it.
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
async def test_any_number_of_comments_may_be_asked_for(query: str) -> None:
    async with visitor() as browser:
        assert (await browser.get(f"/video-blog?{query}")).status_code == 200


async def test_other_pages_stay_files() -> None:
    async with visitor() as browser:
        for path in ("/about?comments", "/none?comments"):
            assert (await browser.get(path)).status_code == 404, path


async def test_an_article_is_served_without_comments_while_the_database_is_away(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    await published(1)

    async def fail(*_: object) -> None:
        raise OperationalError("SELECT", {}, Exception("database is locked"))

    monkeypatch.setattr(api, "read_comments", fail)
    async with visitor() as browser:
        answer = await browser.get("/video-blog")
    assert answer.status_code == 200
    assert "Number" not in answer.text


async def test_the_author_withdraws_a_comment_without_scripts_and_a_second_time_changes_nothing() -> None:
    made = await comment()
    await approve(made.reference)
    async with visitor() as browser:
        page = await browser.get(f"/comment/{made.token}")
        answers = [await browser.post(f"/comment/{made.token}/withdraw") for _ in range(2)]
        after = await browser.get(answers[0].headers["location"])
    assert f'action="/comment/{made.token}/withdraw"' in page.text
    assert page.headers["referrer-policy"] == "no-referrer"
    assert [answer.status_code for answer in answers] == [303, 303]
    assert "Your comment is withdrawn." in after.text
    assert "<button" not in main_of(after.text)
    assert await shown() == []
    assert [row.version for row in await stored()] == [3]


async def test_an_unknown_link_is_not_found() -> None:
    async with visitor() as browser:
        answers = [await browser.get("/comment/wrong"), await browser.post("/comment/wrong/withdraw")]
    for answer in answers:
        assert answer.status_code == 404
        assert "We know no comment under this link." in answer.text
        assert answer.headers["cache-control"] == "no-store"
