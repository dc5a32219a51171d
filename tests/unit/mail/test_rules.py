"""Validation of messages."""

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agency_site.mail.rules import (
    Attachment,
    MailLimitReached,
    Message,
    dump_content,
    join_lines,
    load_content,
    split_paragraphs,
    validate_message,
)

VALID = Message(kind="test", to="amina@shop.example", subject="Hello", heading="Hello", paragraphs=("One.",))


@given(st.text())
def test_one_line_has_no_line_break_or_control_character(text: str) -> None:
    line = join_lines(text)
    assert len(line.splitlines()) <= 1
    assert not any(ord(letter) < 32 or 127 <= ord(letter) < 160 for letter in line)
    assert line.encode().decode() == line


def test_line_breaks_in_subject_and_name_become_spaces() -> None:
    valid = validate_message(replace(VALID, subject="Hi\r\nBcc: all@x.example", to_name="Amina\n Wanjirũ"))
    assert valid.subject == "Hi Bcc: all@x.example"
    assert valid.to_name == "Amina Wanjirũ"


def test_paragraphs_keep_their_lines_without_control_characters() -> None:
    assert validate_message(replace(VALID, paragraphs=("a\r\nb\x00c\ud800",))).paragraphs == ("a\nb c?",)


@pytest.mark.parametrize(
    "address",
    [
        "",
        "amina",
        "a@b.example, c@d.example",
        "a@b.example\nBcc: c@d.example",
        "Amina <a@b.example>",
        "a@b.example\x00",
        "a@b.example\n",
    ],
)
def test_anything_but_one_address_is_rejected(address: str) -> None:
    with pytest.raises(ValueError, match="one plain address"):
        validate_message(replace(VALID, to=address))
    if address:
        with pytest.raises(ValueError, match="one plain address"):
            validate_message(replace(VALID, reply_to=address))


@pytest.mark.parametrize(
    "header",
    [
        ("Bcc", "a@b.example"),
        ("FROM", "a@b.example"),
        ("X-A", "b\nBcc: c@d.example"),
        ("X A", "b"),
        ("X:", "b"),
    ],
)
def test_headers_that_could_redirect_the_message_are_rejected(header: tuple[str, str]) -> None:
    with pytest.raises(ValueError, match="header"):
        validate_message(replace(VALID, headers=(header,)))


@pytest.mark.parametrize(
    "part",
    [
        Attachment("a.pdf", b"", "application/pdf\nX: y"),
        Attachment("a\n.pdf", b"", "application/pdf"),
        Attachment("a.pdf", b"", "pdf"),
    ],
)
def test_attachments_with_invalid_names_or_types_are_rejected(part: Attachment) -> None:
    with pytest.raises(ValueError, match="attachment"):
        validate_message(replace(VALID, attachments=(part,)))


@pytest.mark.parametrize("target", ["javascript:alert(1)", "/book", "https://x.example/a b", "https://x/\n"])
def test_a_button_without_a_web_address_is_rejected(target: str) -> None:
    with pytest.raises(ValueError, match="web address"):
        validate_message(replace(VALID, actions=(("Open", target),)))


def test_every_text_of_a_message_is_cleaned() -> None:
    message = validate_message(
        replace(
            VALID,
            heading="Hello\nthere",
            paragraphs=("  indented \x07 \nnext  ",),
            facts=(("Time\n", "11:00\x00 a.m."),),
            closing=("Bye \r\nnow",),
        )
    )
    assert message.heading == "Hello there"
    assert message.paragraphs == ("  indented\nnext",)
    assert message.facts == (("Time", "11:00 a.m."),)
    assert message.closing == ("Bye\nnow",)


def test_content_is_read_back_as_it_was_and_older_rows_have_no_links() -> None:
    message = replace(
        VALID,
        facts=(("Time", "11:00"),),
        actions=(("Open", "https://x.example/a"),),
        closing=("Bye.",),
        links=(("Unsubscribe", "https://x.example/b"),),
    )
    stored = json.loads(json.dumps(dump_content(message)))
    assert replace(VALID, **load_content(stored)) == message
    del stored["links"]
    assert load_content(stored)["links"] == ()


def test_a_full_mailbox_is_explained_beside_the_address() -> None:
    reached = MailLimitReached()
    assert reached.by_field() == {"email": reached.message}
    assert reached.message == (
        "We have already sent several e-mails to this address. Please check the inbox and the spam folder, "
        "or try again tomorrow."
    )


def test_empty_lines_separate_paragraphs() -> None:
    assert split_paragraphs("\n  Indented.\n\nXylophone X\n") == ("  Indented.", "Xylophone X")
    assert split_paragraphs("One.\nStill one.\n\n \t\nTwo.\n\n\nThree.") == (
        "One.\nStill one.",
        "Two.",
        "Three.",
    )
    assert split_paragraphs("") == ()
