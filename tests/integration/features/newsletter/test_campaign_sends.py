"""Sending an issue, on both databases: to its audience, at its time, in batches, and once to each subscriber."""

import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from datetime import timedelta

import httpx
import pytest
from sqlmodel import select

from agency_site import clock
from agency_site.content.newsletter import ISSUES
from agency_site.db.engine import read_scope, session_scope
from agency_site.features.newsletter.campaign_sends import BATCH
from agency_site.features.newsletter.jobs import send_due_issues
from agency_site.features.newsletter.preferences import unsubscribe
from agency_site.features.newsletter.rules import Interest, IssueState, next_issue_time
from agency_site.features.newsletter.tables import Subscriber
from agency_site.mail.delivery import deliver_due_messages
from agency_site.mail.tables import OutboxMessage, SharedBody
from agency_site.settings import ROOT, Settings
from tests.conftest import FRIDAY_NOON
from tests.integration.features.newsletter.issues import schedule_issue, send_issue, write_issue
from tests.integration.features.newsletter.readers import (
    crowd,
    deliveries,
    issue_row,
    join,
    mails,
    path_in,
    reader,
    stored_subscriber,
)
from tests.smtp_server import smtp_server

WORKER = "tests.integration.features.newsletter.sender"

pytestmark = pytest.mark.usefixtures("database")


async def send_all() -> None:
    while await send_due_issues():
        pass


async def recipients() -> list[str]:
    async with read_scope() as session:
        query = select(OutboxMessage.to).where(OutboxMessage.kind == "newsletter-issue")
        return sorted((await session.exec(query)).all())


async def test_only_confirmed_subscribers_with_matching_interests_get_an_issue() -> None:
    await reader("seo@shop.example", Interest.SEO, Interest.SOCIAL)
    await reader("everything@shop.example")
    await reader("email@shop.example", Interest.EMAIL)
    await join("pending@shop.example")
    left = await reader("left@shop.example", Interest.SEO)
    async with session_scope() as session:
        await unsubscribe(session, left)
    issue = await send_issue(await write_issue(**{"interest-seo": "on", "interest-analytics": "on"}))
    await send_all()
    assert await recipients() == ["everything@shop.example", "seo@shop.example"]
    row = await issue_row(issue.reference)
    assert (row.state, row.audience, row.processed, row.mails_created, row.mails_refused) == (
        IssueState.SENT,
        3,
        3,
        2,
        0,
    )


async def test_a_scheduled_issue_is_sent_at_its_time_and_not_before() -> None:
    with clock.frozen(FRIDAY_NOON) as move:
        await reader()
        wednesday = next_issue_time(FRIDAY_NOON)
        issue = await schedule_issue(await write_issue(), wednesday)
        move(wednesday - timedelta(seconds=1))
        assert await send_due_issues() == 0
        move(wednesday)
        await send_all()
    row = await issue_row(issue.reference)
    assert (row.state, row.started_at, row.sent_at) == (IssueState.SENT, wednesday, wednesday)
    assert row.number == max(published.number for published in ISSUES) + 1


async def test_issues_are_numbered_in_the_order_of_sending() -> None:
    first, second = await write_issue("First"), await write_issue("Second")
    await send_issue(second)
    await send_all()
    await send_issue(first)
    await send_all()
    numbers = [(await issue_row(issue.reference)).number for issue in (second, first)]
    assert numbers[1] == (numbers[0] or 0) + 1


async def test_the_text_is_stored_once_for_all_its_mails() -> None:
    await crowd(BATCH + 30)
    await send_issue(await write_issue())
    await send_all()
    assert len(await recipients()) == BATCH + 30
    async with read_scope() as session:
        assert len((await session.exec(select(SharedBody))).all()) == 1
    (mail,) = await mails("reader7@shop.example")
    assert "People stop where others wait." in mail.text
    assert "&lt;b&gt;more&lt;/b&gt;" in mail.html


async def test_the_link_of_a_subscriber_from_before_links_existed_works(client: httpx.AsyncClient) -> None:
    await crowd(1)
    assert (await stored_subscriber("reader0@shop.example")).token_hash is None
    await send_issue(await write_issue())
    await send_all()
    (mail,) = await mails("reader0@shop.example")
    assert (await client.post(path_in(mail, "unsubscribe"))).status_code == 303
    assert (await stored_subscriber("reader0@shop.example")).state == "unsubscribed"


async def test_an_invalid_address_does_not_stop_the_issue_for_other_subscribers() -> None:
    await crowd(3)
    async with session_scope() as session:
        odd = (await session.exec(select(Subscriber).where(Subscriber.reference == "NL-000001"))).one()
        odd.email = "two words@shop.example"
    issue = await send_issue(await write_issue())
    await send_all()
    assert await recipients() == ["reader0@shop.example", "reader2@shop.example"]
    row = await issue_row(issue.reference)
    assert (row.state, row.mails_created, row.mails_refused) == (IssueState.SENT, 2, 1)
    assert Counter(delivery.state.value for delivery in await deliveries()) == {"handed": 2, "refused": 1}


async def test_one_batch_at_a_time_is_in_the_outbox_so_that_other_mail_is_not_delayed(
    configure: Callable[..., Settings],
) -> None:
    async with smtp_server() as server:
        configure(smtp_host="127.0.0.1", smtp_port=server.port, smtp_security="none")
        await crowd(BATCH + 20)
        issue = await send_issue(await write_issue())
        await send_all()
        row = await issue_row(issue.reference)
        assert (row.state, row.mails_created) == (IssueState.SENDING, BATCH)
        while await deliver_due_messages():
            await send_all()
        assert (await issue_row(issue.reference)).state is IssueState.SENT
        assert len({mail.recipients[0] for mail in server.received}) == len(server.received) == BATCH + 20


@pytest.mark.thorough
@pytest.mark.parametrize("died", ["deliveries", "messages", "commit"])
async def test_a_worker_killed_at_any_point_loses_no_issue_and_sends_none_twice(
    database: str, died: str
) -> None:
    count = 2 * BATCH + 50
    await crowd(count)
    issue = await send_issue(await write_issue())
    victim = worker(database, died)
    assert victim.stdout is not None
    assert victim.stdout.readline().strip() == died.encode()
    victim.kill()
    victim.wait()
    victim.stdout.close()
    others = [worker(database, "") for _ in range(2)]
    assert [other.wait(120) for other in others] == [0, 0]
    for other in others:
        assert other.stdout is not None
        other.stdout.close()
    row = await issue_row(issue.reference)
    assert (row.state, row.mails_created, row.processed) == (IssueState.SENT, count, count)
    assert len(await deliveries()) == count
    assert await recipients() == sorted(f"reader{number}@shop.example" for number in range(count))


def worker(database: str, dies_at: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", WORKER, database, dies_at], cwd=ROOT, stdout=subprocess.PIPE
    )
