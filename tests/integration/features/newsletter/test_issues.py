"""Staff write, try out and schedule issues, on both databases."""

import asyncio
from collections import Counter
from datetime import timedelta

import pytest

from agency_site import clock
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


async def take_back(issue: IssueRecord) -> IssueRecord:
    async with session_scope() as session:
        return await issues.unschedule(session, issue.reference, issue.version, BRIAN)


async def test_an_issue_is_written_changed_and_found() -> None:
    made = await write_issue()
    assert (made.slug, made.state, made.number, made.version) == (
        "the-queue-is-the-advert", IssueState.DRAFT, None, 1,
    )  # fmt: skip
    changed = await save(made, "The queue", **{"interest-seo": "on"})
    assert (changed.title, changed.interests, changed.editor, changed.author, changed.version) == (
        "The queue", ("seo",), BRIAN, ASHA, 2,
    )  # fmt: skip
    async with read_scope() as session:
        assert await issues.find(session, made.reference) == changed
        with pytest.raises(NotFound):
            await issues.find(session, "IS-XXXXXX")


async def test_of_two_editors_the_second_is_shown_what_the_first_saved() -> None:
    made = await write_issue()
    await save(made, "Mine")
    with pytest.raises(StaleRecord) as refused:
        await save(made, "Yours", ASHA)
    assert (refused.value.current.title, refused.value.current.version) == ("Mine", 2)


async def test_of_parallel_editors_one_is_done() -> None:
    made = await write_issue()

    async def tried(number: int) -> str:
        try:
            await save(made, f"Title {number}")
        except StaleRecord:
            return "stale"
        return "done"

    assert Counter(await asyncio.gather(*map(tried, range(8)))) == {"done": 1, "stale": 7}


async def test_two_issues_never_share_an_address() -> None:
    first = await write_issue()
    with pytest.raises(InputRejected) as rejected:
        await write_issue()
    assert rejected.value.by_field().keys() == {"slug"}
    second = await write_issue("Another")
    with pytest.raises(InputRejected):
        await save(second, "Another", slug=first.slug)
    made = await asyncio.gather(*(write_issue("Same instant") for _ in range(5)), return_exceptions=True)
    assert sum(isinstance(one, IssueRecord) for one in made) == 1


async def test_an_issue_is_scheduled_and_taken_back() -> None:
    with clock.frozen(FRIDAY_NOON):
        made = await write_issue()
        wednesday = next_issue_time(FRIDAY_NOON)
        waits = await schedule_issue(made, wednesday)
        assert (waits.state, waits.scheduled_at) == (IssueState.SCHEDULED, wednesday)
        with pytest.raises(Conflict):
            await save(waits, "Too late")
        back = await take_back(waits)
    assert (back.state, back.scheduled_at) == (IssueState.DRAFT, None)


@pytest.mark.parametrize("ahead", [timedelta(minutes=-1), timedelta(0), timedelta(days=400)])
async def test_a_time_in_the_past_or_far_ahead_is_refused(ahead: timedelta) -> None:
    with clock.frozen(FRIDAY_NOON):
        made = await write_issue()
        with pytest.raises(InputRejected) as rejected:
            await schedule_issue(made, FRIDAY_NOON + ahead)
    assert rejected.value.by_field().keys() == {"moment"}


async def test_an_issue_without_text_is_sent_to_nobody() -> None:
    made = await write_issue(text=" ")
    for attempt in (send_issue(made), schedule_issue(made, clock.now() + timedelta(days=1))):
        with pytest.raises(InputRejected) as rejected:
            await attempt
        assert rejected.value.by_field().keys() == {"text"}


async def test_a_test_is_sent_to_the_editor_alone_and_a_double_click_sends_one() -> None:
    made = await write_issue()
    async with session_scope() as session:
        await issues.send_test(session, made.reference, ASHA)
    with pytest.raises(Conflict):
        async with session_scope() as session:
            await issues.send_test(session, made.reference, ASHA)
    (mail,) = await mails(ASHA)
    assert mail.subject == "[Test] The queue is the advert"
    assert "People stop where others wait." in mail.text
    assert "List-Unsubscribe" not in dict(mail.headers)


@pytest.mark.parametrize(
    ("picture", "reason"),
    [
        ("![A shop](/images/nope.jpg)", "There is no picture /images/nope.jpg."),
        ("[![A shop](/images/nope.jpg)](/book)", "There is no picture /images/nope.jpg."),
        ("![A shop](https://cdn.example/a.jpg)", "is not a picture of ours"),
        ("![A shop][1]\n\n[1]: /images/gone.png", "There is no picture /images/gone.png."),
        ("[Book](www.example.com)", "The link www.example.com leads nowhere."),
        ("[Book](book)", "The link book leads nowhere."),
        ("[Book](//evil.example)", "The link //evil.example leads nowhere."),
        ("[Book][1]\n\n[1]: ftp://files.example/a", "The link ftp://files.example/a leads nowhere."),
    ],
)
async def test_a_link_or_picture_that_leads_nowhere_is_refused(picture: str, reason: str) -> None:
    with pytest.raises(InputRejected, match=reason) as refused:
        await write_issue(text=picture)
    assert list(refused.value.by_field()) == ["text"]
    made = await write_issue(
        text="![Our street](/images/map.svg) [a](/book) [b](https://b.example) [c](mailto:c@d.example) [d](tel:+254700000000)"
    )
    with pytest.raises(InputRejected, match=reason):
        await save(made, made.title, text=picture)


async def test_an_issue_says_to_how_many_subscribers_it_goes() -> None:
    await crowd(3)
    await reader("seo@shop.example", Interest.SEO)
    await fill_in_form(Interest.SEO, email="unconfirmed@shop.example")
    async with read_scope() as session:
        counted = [await issues.count_readers(session, about) for about in ((), ("seo",), ("email",))]
    assert counted == [4, 4, 3]
