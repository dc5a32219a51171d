"""Bounced subscribers: a missing mailbox gets no issues until it is confirmed again."""

from collections.abc import Callable

import pytest

from agency_site.backoffice.lists.definition import Cell, read_query
from agency_site.backoffice.lists.query import open_page
from agency_site.db.engine import read_scope
from agency_site.features.newsletter import issues
from agency_site.features.newsletter.admin.subscribers import SUBSCRIBERS
from agency_site.features.newsletter.bounces import count_reachable
from agency_site.features.newsletter.jobs import send_due_issues
from agency_site.features.newsletter.rules import SubscriberState
from agency_site.mail.delivery import deliver_due_messages
from agency_site.settings import Settings
from tests.integration.features.newsletter.issues import send_issue, write_issue
from tests.integration.features.newsletter.readers import (
    AMINA,
    confirm,
    join,
    mails,
    reader,
    stored_subscriber,
)
from tests.records import find_fact
from tests.smtp_server import SmtpServer, smtp_server

OTHER = "brian@shop.example"

pytestmark = pytest.mark.usefixtures("database")


async def send(title: str) -> None:
    await send_issue(await write_issue(title))
    while await send_due_issues() or await deliver_due_messages():
        pass


async def listed(state: str) -> list[str]:
    async with read_scope() as session:
        query = read_query(SUBSCRIBERS.definition, {"state": state})
        page = await open_page(session, SUBSCRIBERS.definition, query)
    return [row.email for row in page.rows]


async def connect(server: SmtpServer, configure: Callable[..., Settings]) -> None:
    configure(smtp_host="127.0.0.1", smtp_port=server.port, smtp_security="none")
    await reader()
    await deliver_due_messages()


@pytest.mark.parametrize(
    "responses",
    [
        {"RCPT": "550 5.1.1 no such user"},
        {"RCPT": "550-5.1.1 The account does not exist.\r\n550 5.1.1 Try again."},
        {"RCPT": "556 5.1.10 no mail here"},
        {"RCPT": "554 5.1.2 unknown domain"},
        {"END": "550 5.1.1 unknown user"},
    ],
)
async def test_a_dead_mailbox_gets_no_further_issue(
    configure: Callable[..., Settings], responses: dict[str, str]
) -> None:
    async with smtp_server() as server:
        await connect(server, configure)
        server.responses = responses
        for title in ("First", "Second", "Third"):
            await send(title)
        assert len(await mails(kind="newsletter-issue")) == 1
        bounced = await stored_subscriber()
        assert (bounced.state, await listed("bounced"), await listed("subscribed")) == (
            SubscriberState.SUBSCRIBED, [AMINA], [],
        )  # fmt: skip
        assert SUBSCRIBERS.state
        assert SUBSCRIBERS.state(bounced) == Cell("Bounced", "bad")
        assert find_fact(SUBSCRIBERS, "bounced_at", bounced)
        async with read_scope() as session:
            assert await count_reachable(session) == 0
            assert await issues.count_readers(session, ()) == 0


@pytest.mark.parametrize(
    "responses",
    [
        {"RCPT": "550 blocked by policy"},
        {"RCPT": "552 5.2.2 mailbox full"},
        {"RCPT": "450 4.1.1 try later"},
        {"MAIL": "553 5.1.8 sender's domain unknown"},
        {"END": "554 5.7.1 spam"},
        {"RCPT": "550 5.1.7 bad sender address"},
    ],
)
async def test_another_rejection_is_not_a_bounce(
    configure: Callable[..., Settings], responses: dict[str, str]
) -> None:
    async with smtp_server() as server:
        await connect(server, configure)
        server.responses = responses
        await send("First")
        assert (await stored_subscriber()).bounced_at is None


async def test_a_mailbox_that_rejects_every_issue_gets_no_more_whatever_the_words(
    configure: Callable[..., Settings],
) -> None:
    async with smtp_server() as server:
        await connect(server, configure)
        server.responses = {"RCPT": "550 blocked by policy"}
        for number in range(4):
            await send(f"Rejected {number}")
        server.responses = {}
        await send("Delivered")
        server.responses = {"RCPT": "550 blocked by policy"}
        for number in range(4, 9):
            assert (await stored_subscriber()).bounced_at is None
            await send(f"Rejected {number}")
        assert (await stored_subscriber()).bounced_at is not None


async def test_a_new_confirmation_ends_a_bounce(configure: Callable[..., Settings]) -> None:
    async with smtp_server() as server:
        await connect(server, configure)
        await reader(OTHER)
        server.responses = {"RCPT": "550 5.1.1 no such user"}
        await send("First")
        assert await listed("bounced") == [OTHER, AMINA]
        server.responses = {}
        await join()
        assert (await mails())[-1].kind == "newsletter-confirm"
        await confirm()
        assert (await listed("bounced"), await listed("subscribed")) == ([OTHER], [AMINA])
        await send("Second")
        assert len(await mails(kind="newsletter-issue")) == 2


async def test_the_rejection_of_another_kind_of_mail_is_a_bounce_too(
    configure: Callable[..., Settings],
) -> None:
    async with smtp_server() as server:
        await connect(server, configure)
        server.responses = {"RCPT": "550 5.1.1 no such user"}
        await join()
        await deliver_due_messages()
        assert await listed("bounced") == [AMINA]
