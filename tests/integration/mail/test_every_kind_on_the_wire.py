"""Every mail that the site writes goes through the outbox to a mail server over TLS, and is read back and parsed."""

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
from agency_site.mail.delivery import LEASE, deliver_due
from agency_site.mail.rules import MailState, Message
from agency_site.mail.tables import OutboxMessage
from agency_site.mail.usecases import enqueue, store_letter
from agency_site.settings import Settings
from tests.conftest import FRIDAY_NOON
from tests.every_mail import TOKEN, Texts, every_mail
from tests.integration.mail.outbox import rows
from tests.mail_drop import CERTIFICATE, MailServer, mail_server

TEXTS = Texts(
    name="Wanjirũ محمد 👩🏾‍💻", title="Bei ya ũji: محمد 👩🏾‍💻", words="Tutafungua tawi la pili, ũsijali. 🎉"
)
LETTER = "Nothing costs more than a *cheap* price.\n\n[Read on](/newsletter)"
INVITATIONS = {"confirmed", "moved", "restored", "cancelled", "reminder", "registered", "given_back"}
RECEIPTS = {"enrolled"}
"""Builders whose mails carry a file for the calendar, or a receipt."""


@pytest.fixture
def post_office(
    configure: Callable[..., Settings],
    database: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[MailServer]:
    monkeypatch.setenv("SSL_CERT_FILE", str(CERTIFICATE))
    folder = tmp_path / "post"
    folder.mkdir()
    with mail_server(folder) as server:
        configure(
            database_url=database, smtp_host="localhost", smtp_port=server.port, smtp_security="starttls"
        )
        yield server


async def sent(texts: Texts) -> dict[str, Message]:
    """Every mail by the key under which the outbox holds it, once the server has taken all."""
    async with session_scope() as session:
        mails = every_mail(texts, await store_letter(session, LETTER))
        for key, message in mails.items():
            assert await enqueue(session, message, key=key)
    assert await deliver_due(limit=len(mails)) == len(mails)
    assert {row.state for row in await rows()} == {MailState.SENT}
    return mails


def parsed(raw: bytes) -> EmailMessage:
    message = message_from_bytes(raw, policy=policy.default.clone(raise_on_defect=True))
    assert isinstance(message, EmailMessage)
    return message


def text_of(message: EmailMessage) -> str:
    """The words of the text body, without the line breaks that fold it."""
    body = message.get_body(("plain",))
    assert body is not None
    return " ".join(body.get_content().split())


def words_shown(message: EmailMessage) -> str:
    """The words that the HTML body shows, and where its links lead."""
    body = message.get_body(("html",))
    assert body is not None
    html = re.sub(r"<(style|head)\b.*?</\1>", " ", body.get_content(), flags=re.DOTALL)
    links = " ".join(re.findall(r'href="([^"]+)"', html))
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", html) + " " + links).split())


async def test_every_mail_arrives_with_its_headers_both_bodies_and_its_files(post_office: MailServer) -> None:
    with clock.frozen(FRIDAY_NOON):
        mails = await sent(TEXTS)
    held = {row.message_id: row for row in await rows()}
    arrived = post_office.received()
    assert len(arrived) == len(mails)
    for received in arrived:
        message = parsed(received.raw)
        row = held.pop(message["Message-ID"])
        written = mails[str(row.key)]
        assert (received.sender, received.recipients) == (BRAND.email, [written.to])
        assert max(map(len, received.raw.split(b"\r\n"))) <= 998
        # A relay without 8BITMIME would rewrite anything else, and with it break the DKIM signature.
        assert received.raw.isascii(), written.kind
        _expect_headers(message, written)
        _expect_bodies(message, written)
        _expect_files(message, written, str(row.key).rpartition(".")[2])
    assert held == {}


def _expect_headers(message: EmailMessage, written: Message) -> None:
    assert str(message["From"]) == f"{BRAND.name} <{BRAND.email}>"
    assert [address.addr_spec for address in message["To"].addresses] == [written.to]
    assert str(message["Subject"]).strip() == written.subject
    assert message["Date"].datetime == FRIDAY_NOON
    assert re.fullmatch(r"<[0-9a-f]{32}@[a-z.]+>", message["Message-ID"])
    answers = written.reply_to or BRAND.email
    assert [address.addr_spec for address in message["Reply-To"].addresses] == [answers]
    assert message["Auto-Submitted"] == ("no" if written.kind == "enquiry-reply" else "auto-generated")
    for name in ("Cc", "Bcc", "Sender"):
        assert name not in message
    in_list = written.kind == "newsletter-issue"
    for name in ("List-Id", "List-Unsubscribe", "List-Unsubscribe-Post"):
        assert (name in message) is in_list, written.kind
    if in_list:
        assert re.fullmatch(rf"<https?://\S+/newsletter/unsubscribe/{TOKEN}>", message["List-Unsubscribe"])
        assert message["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"


def _expect_bodies(message: EmailMessage, written: Message) -> None:
    kinds = [part.get_content_type() for part in message.walk()]
    assert kinds.count("text/plain") == kinds.count("text/html") == 1
    said = [written.heading, *written.paragraphs, *written.closing]
    for label, value in (*written.facts, *written.actions, *written.links):
        said += [label, value]
    if written.letter:
        said += ["Nothing costs more than a", "Read on", "/newsletter"]
    for body in (text_of(message), words_shown(message)):
        missing = [part for part in said if " ".join(part.split()) not in body]
        assert missing == [], written.kind


def _expect_files(message: EmailMessage, written: Message, builder: str) -> None:
    files = [(str(part.get_filename()), part.get_payload(decode=True)) for part in message.iter_attachments()]
    assert files == [(file.filename, file.content) for file in written.attachments]
    assert len(files) == (builder in INVITATIONS | RECEIPTS)
    for name, content in files:
        assert isinstance(content, bytes)
        if builder in RECEIPTS:
            assert name.endswith(".pdf")
            assert "TKL4H2XQ7P" in PdfReader(BytesIO(content)).pages[0].extract_text()
        else:
            (event,) = Calendar.from_ical(content).walk("VEVENT")
            assert event["ATTENDEE"].params["CN"] == TEXTS.name


async def test_a_repeat_after_a_lost_answer_carries_the_same_id_and_date(post_office: MailServer) -> None:
    with clock.frozen(FRIDAY_NOON) as move:
        await sent(replace(TEXTS, name="Amina"))
        # As if the server had taken them all, and the process had died before it noted so.
        async with session_scope() as session:
            again = {"state": MailState.QUEUED, "due_at": clock.now(), "leased_until": clock.now() + LEASE}
            await session.exec(update(OutboxMessage).values(**again))
        assert await deliver_due() == 0
        move(FRIDAY_NOON + LEASE + timedelta(seconds=1))
        assert await deliver_due(limit=100) > 30
    first, second = _halves([parsed(received.raw) for received in post_office.received()])
    for header in ("Message-ID", "Date", "Subject"):
        assert sorted(str(message[header]) for message in first) == sorted(
            str(message[header]) for message in second
        )


def _halves(messages: list[EmailMessage]) -> tuple[list[EmailMessage], list[EmailMessage]]:
    middle = len(messages) // 2
    return messages[:middle], messages[middle:]


async def test_a_server_whose_certificate_nobody_vouches_for_gets_nothing(
    post_office: MailServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SSL_CERT_FILE")
    async with session_scope() as session:
        await enqueue(session, next(iter(every_mail(TEXTS).values())))
    await deliver_due()
    assert post_office.received() == []
    (row,) = await rows()
    assert row.state is MailState.QUEUED
    assert "certificate" in row.last_error.lower()
