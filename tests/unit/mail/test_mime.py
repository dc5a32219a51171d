"""Composition of the MIME message."""

from base64 import b64encode
from datetime import UTC, datetime
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import SMTP
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agency_site.content.brand import BRAND
from agency_site.mail.mime import compose_message
from agency_site.mail.rules import join_lines
from agency_site.mail.tables import OutboxMessage
from tests.garbage import left_behind

CALENDAR = "BEGIN:VCALENDAR\r\nMETHOD:REQUEST\r\nSUMMARY:Wanjirũ\r\nEND:VCALENDAR\r\n"
INVITATION = {
    "filename": "invitation.ics",
    "mime": "text/calendar; method=REQUEST; charset=utf-8",
    "content": b64encode(CALENDAR.encode()).decode(),
}
RECEIPT = {
    "filename": "receipt ✓.pdf",
    "mime": "application/pdf",
    "content": b64encode(b"%PDF-1.7 \xff").decode(),
}


def build_row(**values: Any) -> OutboxMessage:
    defaults: dict[str, Any] = {
        "kind": "test",
        "to": "amina@shop.example",
        "subject": "Hello",
        "content": {
            "heading": "Heading",
            "paragraphs": ["Text ũ"],
            "facts": [],
            "actions": [],
            "closing": [],
        },
        "message_id": "<1@mwanga.example>",
        "created_at": datetime(2026, 11, 20, 9, tzinfo=UTC),
    }
    return OutboxMessage(**(defaults | values))


def compose_and_parse(row: OutboxMessage) -> EmailMessage:
    parsed = message_from_bytes(compose_message(row).as_bytes(), policy=SMTP.clone(raise_on_defect=True))
    assert isinstance(parsed, EmailMessage)
    return parsed


def decode_part(part: object) -> bytes:
    assert isinstance(part, EmailMessage)
    content = part.get_payload(decode=True)
    assert isinstance(content, bytes)
    return content


def test_headers_contain_sender_recipient_date_and_id() -> None:
    message = compose_and_parse(
        build_row(to_name="Wanjirũ, Amina", headers=[["Reply-To", "desk@mwanga.example"]])
    )
    assert message["From"].addresses[0].addr_spec == BRAND.email
    assert message["From"].addresses[0].display_name == BRAND.name
    assert message["To"].addresses[0].display_name == "Wanjirũ, Amina"
    assert message["Reply-To"] == "desk@mwanga.example"
    assert message["Date"].datetime == datetime(2026, 11, 20, 9, tzinfo=UTC)
    assert message["Message-ID"] == "<1@mwanga.example>"
    assert message["Auto-Submitted"] == "auto-generated"


def test_text_and_html_are_alternatives_with_html_last() -> None:
    message = compose_and_parse(build_row())
    assert message.get_content_type() == "multipart/alternative"
    assert [part.get_content_type() for part in message.iter_parts()] == ["text/plain", "text/html"]
    text, html = (part.get_content() for part in message.iter_parts())
    assert "Text ũ" in text.splitlines()
    assert ">Text ũ<" in html


def test_an_invitation_is_an_alternative_and_an_attachment() -> None:
    message = compose_and_parse(build_row(attachments=[INVITATION, RECEIPT]))
    assert message.get_content_type() == "multipart/mixed"
    alternatives, calendar, receipt = message.iter_parts()
    invitation = list(alternatives.iter_parts())[-1]
    for part in (invitation, calendar):
        assert part.get_content_type() == "text/calendar"
        assert part["Content-Type"].params["method"] == "REQUEST"
        assert part["Content-Type"].params["charset"].lower() == "utf-8"
        assert decode_part(part).splitlines() == CALENDAR.encode().splitlines()
    assert invitation.get_content_disposition() != "attachment"
    assert calendar.get_filename() == "invitation.ics"
    assert decode_part(calendar) == CALENDAR.encode()
    assert (receipt.get_content_type(), receipt.get_filename()) == ("application/pdf", "receipt ✓.pdf")
    assert decode_part(receipt) == b"%PDF-1.7 \xff"


def test_a_calendar_file_without_a_method_is_an_attachment_only() -> None:
    plain = INVITATION | {"mime": "text/calendar; charset=utf-8"}
    alternatives, _ = compose_and_parse(build_row(attachments=[plain])).iter_parts()
    assert [part.get_content_type() for part in alternatives.iter_parts()] == ["text/plain", "text/html"]


def test_a_domain_beyond_ascii_is_encoded_with_idna() -> None:
    assert compose_and_parse(build_row(to="amina@bücher.example"))["To"] == "amina@xn--bcher-kva.example"


@given(subject=st.text(max_size=300), name=st.text(max_size=120))
def test_no_subject_or_name_adds_a_header(subject: str, name: str) -> None:
    message = compose_and_parse(build_row(subject=join_lines(subject), to_name=join_lines(name)))
    assert set(message.keys()) == {
        "From", "To", "Subject", "Date", "Message-ID", "Auto-Submitted", "MIME-Version", "Content-Type"
    }  # fmt: skip
    assert [address.addr_spec for address in message["To"].addresses] == ["amina@shop.example"]
    assert message["Subject"].split() == join_lines(subject).split()


@pytest.mark.parametrize("subject", ["Hi\r\nBcc: all@x.example", "Hi\nX: y"])
def test_a_line_break_that_reached_the_outbox_stops_the_message(subject: str) -> None:
    with pytest.raises(ValueError, match=r"newline|linefeed"):
        compose_message(build_row(subject=subject))


@pytest.mark.parametrize("name", ["In-Reply-To", "References", "List-Unsubscribe"])
def test_identifiers_longer_than_a_line_are_not_encoded(name: str) -> None:
    values = [f"<{letter * 32}@{'a' * 60}.mwanga.example>" for letter in "ab"]
    raw = compose_message(build_row(headers=[[name, " ".join(values)]])).as_bytes()
    assert f"{name}: {values[0]}\r\n {values[1]}\r\n".encode() in raw
    assert message_from_bytes(raw, policy=SMTP)[name].split() == values


def test_a_message_is_automatic_unless_a_person_wrote_it() -> None:
    assert compose_and_parse(build_row())["Auto-Submitted"] == "auto-generated"
    reply = compose_and_parse(build_row(headers=[["Auto-Submitted", "no"]]))
    assert reply.get_all("Auto-Submitted") == ["no"]


def test_no_class_is_made_for_a_message() -> None:
    row = build_row(to_name="Wanjikũ", attachments=[INVITATION, RECEIPT])
    left = left_behind(lambda: compose_message(row).as_bytes())
    assert [remaining for remaining in left if isinstance(remaining, type)] == []
