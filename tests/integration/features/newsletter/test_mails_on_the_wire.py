"""The newsletter's mails as a mail program receives them, read back and parsed."""

import re
from collections.abc import Callable
from email.message import EmailMessage
from urllib.parse import urlsplit

import httpx
import pytest

from agency_site.content.brand import BRAND
from agency_site.features.newsletter.jobs import send_due_issues
from agency_site.features.newsletter.rules import SubscriberState
from agency_site.mail.delivery import deliver_due_messages
from agency_site.settings import Settings
from tests.integration.features.newsletter.issues import send_issue, write_issue
from tests.integration.features.newsletter.readers import AMINA, join, reader, stored_subscriber
from tests.smtp_server import SmtpServer, smtp_server

SITE = "https://www.mwanga.example"

pytestmark = pytest.mark.usefixtures("database")


async def received(server: SmtpServer) -> EmailMessage:
    while await send_due_issues() or await deliver_due_messages():
        pass
    (mail,) = [mail for mail in server.received if mail.message["List-Id"]]
    return mail.message


async def test_every_issue_carries_one_click_unsubscription(
    client: httpx.AsyncClient, configure: Callable[..., Settings]
) -> None:
    async with smtp_server() as server:
        configure(smtp_host="127.0.0.1", smtp_port=server.port, smtp_security="none", public_url=SITE)
        await reader()
        await send_issue(await write_issue("Karibu, wiki hii: mandazi \u2013 na hesabu"))
        mail = await received(server)
    assert mail["To"] == AMINA
    assert mail["Subject"] == "Karibu, wiki hii: mandazi \u2013 na hesabu"
    assert mail["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    assert mail["List-Id"] == f"<newsletter.{BRAND.email.rpartition('@')[2]}>"
    assert mail["Message-ID"]
    assert mail["Date"]
    link = re.fullmatch(rf"<({re.escape(SITE)}/newsletter/unsubscribe/[\w-]+)>", mail["List-Unsubscribe"])
    assert link is not None
    path = urlsplit(link.group(1)).path
    assert (await client.get(path)).status_code == 200
    assert (await stored_subscriber()).state is SubscriberState.SUBSCRIBED
    answer = await client.post(path, data={"List-Unsubscribe": "One-Click"})
    assert answer.status_code == 200
    assert (await stored_subscriber()).state is SubscriberState.UNSUBSCRIBED


async def test_an_issue_has_both_bodies_with_the_same_links(configure: Callable[..., Settings]) -> None:
    async with smtp_server() as server:
        configure(smtp_host="127.0.0.1", smtp_port=server.port, smtp_security="none", public_url=SITE)
        await reader()
        await send_issue(await write_issue())
        mail = await received(server)
    text, html = (mail.get_body((kind,)) for kind in ("plain", "html"))
    assert text is not None
    assert html is not None
    for body in (text.get_content(), html.get_content()):
        for link in (
            "/book",
            "/newsletter/the-queue-is-the-advert",
            "/newsletter/preferences/",
            "/newsletter/unsubscribe/",
        ):
            assert f"{SITE}{link}" in body
        assert "People stop where others wait." in body
    assert "<b>more" not in html.get_content()
    assert max(map(len, text.get_content().splitlines())) <= 120


async def test_a_line_break_in_a_title_adds_no_header(configure: Callable[..., Settings]) -> None:
    async with smtp_server() as server:
        configure(smtp_host="127.0.0.1", smtp_port=server.port, smtp_security="none", public_url=SITE)
        await reader()
        await send_issue(await write_issue("Hello\r\nBcc: everybody@shop.example"))
        mail = await received(server)
    assert mail["Bcc"] is None
    assert mail["Subject"] == "Hello Bcc: everybody@shop.example"


async def test_a_confirmation_request_has_no_list_headers(configure: Callable[..., Settings]) -> None:
    async with smtp_server() as server:
        configure(smtp_host="127.0.0.1", smtp_port=server.port, smtp_security="none", public_url=SITE)
        await join()
        await deliver_due_messages()
        (mail,) = server.received
    assert mail.message["List-Unsubscribe"] is None
    assert mail.message["Auto-Submitted"] == "auto-generated"
