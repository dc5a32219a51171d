"""Staff write, test and schedule issues, on both databases."""

import asyncio
from collections import Counter
from datetime import timedelta

import pytest

from agency_site import clock
from agency_site.content import link_targets
from agency_site.db.engine import read_scope, session_scope
from agency_site.errors import Conflict, InputRejected, NotFound, StaleRecord
from agency_site.features.newsletter import issues
from agency_site.features.newsletter.issues import IssueRecord
from agency_site.features.newsletter.request import read_draft
from agency_site.features.newsletter.rules import Interest, IssueState, next_issue_time
from tests.conftest import FRIDAY_NOON
from tests.integration.features.newsletter.issues import ASHA, TEXT, schedule_issue, send_issue, write_issue
from tests.integration.features.newsletter.readers import crowd, fill_in_form, mails, reader

BRIAN = "brian@agency.example"

pytestmark = pytest.mark.usefixtures("database")


async def save(issue: IssueRecord, title: str, actor: str = BRIAN, **form: str) -> IssueRecord:
    draft = read_draft({"title": title, "slug": issue.slug, "text": TEXT, **form})
    async with session_scope() as session:
        return await issues.save(session, issue.reference, issue.version, draft, actor)


async def unschedule(issue: IssueRecord) -> IssueRecord:
    async with session_scope() as session:
        return await issues.unschedule(session, issue.reference, issue.version, BRIAN)


async def test_an_issue_is_written_changed_and_found() -> None:
    issue = await write_issue()
    assert (issue.slug, issue.state, issue.number, issue.version) == (
        "the-queue-is-the-advert", IssueState.DRAFT, None, 1,
    )  # fmt: skip
    changed = await save(issue, "The queue", **{"interest-seo": "on"})
    assert (changed.title, changed.interests, changed.editor, changed.author, changed.version) == (
        "The queue", ("seo",), BRIAN, ASHA, 2,
    )  # fmt: skip
    async with read_scope() as session:
        assert await issues.find(session, issue.reference) == changed
        with pytest.raises(NotFound):
            await issues.find(session, "IS-XXXXXX")


async def test_the_second_of_two_editors_is_rejected_with_the_saved_version() -> None:
    issue = await write_issue()
    await save(issue, "Mine")
    with pytest.raises(StaleRecord) as refused:
        await save(issue, "Yours", ASHA)
    assert (refused.value.current.title, refused.value.current.version) == ("Mine", 2)


@pytest.mark.each_database
async def test_one_of_several_parallel_edits_is_saved() -> None:
    issue = await write_issue()

    async def try_to_save(number: int) -> str:
        try:
            await save(issue, f"Title {number}")
        except StaleRecord:
            return "stale"
        return "done"

    assert Counter(await asyncio.gather(*map(try_to_save, range(8)))) == {"done": 1, "stale": 7}


@pytest.mark.each_database
async def test_two_issues_never_share_an_address() -> None:
    first = await write_issue()
    with pytest.raises(InputRejected) as rejected:
        await write_issue()
    assert rejected.value.by_field().keys() == {"slug"}
    second = await write_issue("Another")
    with pytest.raises(InputRejected):
        await save(second, "Another", slug=first.slug)
    results = await asyncio.gather(*(write_issue("Same instant") for _ in range(5)), return_exceptions=True)
    assert sum(isinstance(result, IssueRecord) for result in results) == 1


async def test_an_issue_is_scheduled_and_unscheduled() -> None:
    with clock.frozen(FRIDAY_NOON):
        issue = await write_issue()
        wednesday = next_issue_time(FRIDAY_NOON)
        waits = await schedule_issue(issue, wednesday)
        assert (waits.state, waits.scheduled_at) == (IssueState.SCHEDULED, wednesday)
        with pytest.raises(Conflict):
            await save(waits, "Too late")
        back = await unschedule(waits)
    assert (back.state, back.scheduled_at) == (IssueState.DRAFT, None)


@pytest.mark.parametrize("ahead", [timedelta(minutes=-1), timedelta(0), timedelta(days=400)])
async def test_a_time_in_the_past_or_far_ahead_is_rejected(ahead: timedelta) -> None:
    with clock.frozen(FRIDAY_NOON):
        issue = await write_issue()
        with pytest.raises(InputRejected) as rejected:
            await schedule_issue(issue, FRIDAY_NOON + ahead)
    assert rejected.value.by_field().keys() == {"moment"}


async def test_an_issue_without_text_cannot_be_sent() -> None:
    issue = await write_issue(text=" ")
    for attempt in (send_issue(issue), schedule_issue(issue, clock.now() + timedelta(days=1))):
        with pytest.raises(InputRejected) as rejected:
            await attempt
        assert rejected.value.by_field().keys() == {"text"}


async def test_a_test_is_sent_to_the_editor_only_and_once_for_a_double_click() -> None:
    issue = await write_issue()
    async with session_scope() as session:
        await issues.send_test(session, issue.reference, ASHA)
    with pytest.raises(Conflict):
        async with session_scope() as session:
            await issues.send_test(session, issue.reference, ASHA)
    (mail,) = await mails(ASHA)
    assert mail.subject == "[Test] The queue is the advert"
    assert "People stop where others wait." in mail.text
    assert "List-Unsubscribe" not in dict(mail.headers)


@pytest.mark.parametrize(
    ("picture", "reason"),
    [
        ("![A shop](/images/nope.jpg)", "There is no picture /images/nope.jpg."),
        ("[![A shop](/images/nope.jpg)](/book)", "There is no picture /images/nope.jpg."),
        ("![A shop](https://cdn.example/a.jpg)", "is not one of our pictures"),
        ("<!-- later -->", "Visitors would read the comment"),
        ("[the shop](/no-such-page)", "A link leads to /no-such-page, where this site has no page."),
        ("![A shop][1]\n\n[1]: /images/gone.png", "There is no picture /images/gone.png."),
        ("[Book](www.example.com)", "A link leads to www.example.com."),
        ("[Book](book)", "A link leads to book."),
        ("[Book](//evil.example)", "A link leads to //evil.example."),
        ("[Book][1]\n\n[1]: ftp://files.example/a", "A link leads to ftp://files.example/a."),
    ],
)
async def test_a_broken_link_or_picture_is_rejected(
    picture: str, reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(link_targets, "_pages", {"/book"})
    with pytest.raises(InputRejected, match=reason) as refused:
        await write_issue(text=picture)
    assert list(refused.value.by_field()) == ["text"]
    issue = await write_issue(
        text="![Our street](/images/map.svg) [a](/book) [b](https://b.example) [c](mailto:c@d.example) [d](tel:+254700000000)"
    )
    with pytest.raises(InputRejected, match=reason):
        await save(issue, issue.title, text=picture)


async def test_the_readers_of_an_issue_are_counted_by_interest() -> None:
    await crowd(3)
    await reader("seo@shop.example", Interest.SEO)
    await fill_in_form(Interest.SEO, email="unconfirmed@shop.example")
    async with read_scope() as session:
        counts = [await issues.count_readers(session, about) for about in ((), ("seo",), ("email",))]
    assert counts == [4, 4, 3]
