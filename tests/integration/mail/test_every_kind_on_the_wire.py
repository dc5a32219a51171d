"""Every kind of mail is delivered to an SMTP server over TLS and parsed there."""

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import timedelta
from email import message_from_bytes, policy
from email.message import EmailMessage
from html import unescape
from io import BytesIO
from pathlib import Path

import pytest
from icalendar import Calendar
from pypdf import PdfReader
from sqlmodel import update

from agency_site import clock
from agency_site.content.brand import BRAND
from agency_site.db.engine import session_scope
from agency_site.mail.confirmed_addresses import confirm_address
from agency_site.mail.delivery import LEASE, deliver_due_messages
from agency_site.mail.rules import MailState, Message
from agency_site.mail.tables import OutboxMessage
from agency_site.mail.usecases import enqueue, store_shared_body
from agency_site.settings import Settings
from tests.conftest import FRIDAY_NOON
from tests.every_mail import TOKEN, Texts, every_mail
from tests.integration.mail.outbox import list_rows
from tests.tls_mail_server import CERTIFICATE, MailServer, mail_server

TEXTS = Texts(
    name="Wanjirũ محمد 👩🏾‍💻", title="Bei ya ũji: محمد 👩🏾‍💻", words="Tutafungua tawi la pili, ũsijali. 🎉"
)
MARKDOWN = "Nothing costs more than a *cheap* price.\n\n[Read on](/newsletter)"
INVITATIONS = {
    "place_ended",
    "confirmation", "move_notice", "assignment_notice", "way_notice", "reinstatement_notice", "cancellation", "reminder",
    "reminder two hours before",
    "registered", "cancelled", "changed",
    "webinar_cancelled",
    "place_confirmation", "replacement_notice", "session_notice", "removal_notice", "schedule_notice", "run_cancelled",
}  # fmt: skip
RECEIPTS = {"confirm_enrolment"}
CREDIT_NOTES = {"report_refund"}
"""Builders whose mails have a calendar file or a receipt attached."""


@pytest.fixture
def server(
    configure: Callable[..., Settings],
    database: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[MailServer]:
    monkeypatch.setenv("SSL_CERT_FILE", str(CERTIFICATE))
    folder = tmp_path / "post"
    folder.mkdir()
    with mail_server(folder) as running:
        configure(
            database_url=database, smtp_host="localhost", smtp_port=running.port, smtp_security="starttls"
        )
        yield running


async def deliver_every_mail(texts: Texts) -> dict[str, Message]:
    """Deliver every mail; return them by their key in the outbox."""
    async with session_scope() as session:
        await confirm_address(session, texts.email)
        mails = every_mail(texts, await store_shared_body(session, MARKDOWN))
        for key, message in mails.items():
            assert await enqueue(session, message, key=key)
    assert await deliver_due_messages(limit=len(mails)) == len(mails)
    assert {row.state for row in await list_rows()} == {MailState.SENT}
    return mails


def parse(raw: bytes) -> EmailMessage:
    message = message_from_bytes(raw, policy=policy.default.clone(raise_on_defect=True))
    assert isinstance(message, EmailMessage)
    return message


def read_text(message: EmailMessage) -> str:
    """Return the text body without line breaks."""
    body = message.get_body(("plain",))
    assert body is not None
    return " ".join(body.get_content().split())


def read_html(message: EmailMessage) -> str:
    """Return the visible text of the HTML body and the targets of its links."""
    body = message.get_body(("html",))
    assert body is not None
    html = re.sub(r"<(style|head)\b.*?</\1>", " ", body.get_content(), flags=re.DOTALL)
    links = " ".join(re.findall(r'href="([^"]+)"', html))
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", html) + " " + links).split())


async def test_every_mail_has_its_headers_both_bodies_and_its_attachments(server: MailServer) -> None:
    with clock.frozen(FRIDAY_NOON):
        mails = await deliver_every_mail(TEXTS)
    stored = {row.message_id: row for row in await list_rows()}
    delivered = server.received()
    assert len(delivered) == len(mails)
    for received in delivered:
        message = parse(received.raw)
        row = stored.pop(message["Message-ID"])
        original = mails[str(row.key)]
        assert (received.sender, received.recipients) == (BRAND.email, [original.to])
        assert max(map(len, received.raw.split(b"\r\n"))) <= 998
        # A relay without 8BITMIME would rewrite anything else and break the DKIM signature.
        assert received.raw.isascii(), original.kind
        _assert_headers(message, original)
        _assert_bodies(message, original)
        _assert_attachments(message, original, str(row.key).rpartition(".")[2])
    assert stored == {}


def _assert_headers(message: EmailMessage, original: Message) -> None:
    assert str(message["From"]) == f"{BRAND.name} <{BRAND.email}>"
    assert [address.addr_spec for address in message["To"].addresses] == [original.to]
    assert str(message["Subject"]).strip() == original.subject
    assert message["Date"].datetime == FRIDAY_NOON
    assert re.fullmatch(r"<[0-9a-f]{32}@[a-z.]+>", message["Message-ID"])
    reply_to = original.reply_to or BRAND.email
    assert [address.addr_spec for address in message["Reply-To"].addresses] == [reply_to]
    assert message["Auto-Submitted"] == ("no" if original.kind == "enquiry-reply" else "auto-generated")
    for name in ("Cc", "Bcc", "Sender"):
        assert name not in message
    is_issue = original.kind == "newsletter-issue"
    for name in ("List-Id", "List-Unsubscribe", "List-Unsubscribe-Post"):
        assert (name in message) is is_issue, original.kind
    if is_issue:
        assert re.fullmatch(rf"<https?://\S+/newsletter/unsubscribe/{TOKEN}>", message["List-Unsubscribe"])
        assert message["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"


def _assert_bodies(message: EmailMessage, original: Message) -> None:
    kinds = [part.get_content_type() for part in message.walk()]
    assert kinds.count("text/plain") == kinds.count("text/html") == 1
    texts = [original.heading, *original.paragraphs, *original.closing]
    for label, value in (*original.facts, *original.actions, *original.links):
        texts += [label, value]
    if original.shared_body_id:
        texts += ["Nothing costs more than a", "Read on", "/newsletter"]
    for body in (read_text(message), read_html(message)):
        missing = [part for part in texts if " ".join(part.split()) not in body]
        assert missing == [], original.kind


def _assert_attachments(message: EmailMessage, original: Message, builder: str) -> None:
    files = [(str(part.get_filename()), part.get_payload(decode=True)) for part in message.iter_attachments()]
    assert files == [(file.filename, file.content) for file in original.attachments]
    assert len(files) == (builder in INVITATIONS | RECEIPTS | CREDIT_NOTES)
    for name, content in files:
        assert isinstance(content, bytes)
        if builder in RECEIPTS | CREDIT_NOTES:
            assert name.endswith(".pdf")
            drawn = PdfReader(BytesIO(content)).pages[0].extract_text()
            assert ("TKL4H2XQ7P" if builder in RECEIPTS else "Credit note") in drawn
        else:
            calendar = Calendar.from_ical(content)
            (event,) = calendar.walk("VEVENT")
            # A file contains no name: the address may be a stranger's.
            assert calendar["METHOD"] == "PUBLISH" or event["ATTENDEE"].params["CN"] == TEXTS.email


async def test_a_duplicate_after_a_lost_response_has_the_same_id_and_date(server: MailServer) -> None:
    with clock.frozen(FRIDAY_NOON) as move:
        await deliver_every_mail(replace(TEXTS, name="Amina"))
        # The state after the server accepted all and the worker was killed before it stored the outcome.
        async with session_scope() as session:
            queued = {"state": MailState.QUEUED, "due_at": clock.now(), "leased_until": clock.now() + LEASE}
            await session.exec(update(OutboxMessage).values(**queued))
        assert await deliver_due_messages() == 0
        move(FRIDAY_NOON + LEASE + timedelta(seconds=1))
        assert await deliver_due_messages(limit=100) > 30
    first, second = _split_in_half([parse(received.raw) for received in server.received()])
    for header in ("Message-ID", "Date", "Subject"):
        assert sorted(str(message[header]) for message in first) == sorted(
            str(message[header]) for message in second
        )


def _split_in_half(messages: list[EmailMessage]) -> tuple[list[EmailMessage], list[EmailMessage]]:
    middle = len(messages) // 2
    return messages[:middle], messages[middle:]


async def test_nothing_is_sent_to_a_server_with_an_untrusted_certificate(
    server: MailServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SSL_CERT_FILE")
    async with session_scope() as session:
        await enqueue(session, next(iter(every_mail(TEXTS).values())))
    await deliver_due_messages()
    assert server.received() == []
    (row,) = await list_rows()
    assert row.state is MailState.QUEUED
    assert "certificate" in row.last_error.lower()
