"""What a message must be before it is stored."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agency_site.mail.rules import Attachment, Message, checked, content_key, one_line, paragraphs_of

PLAIN = Message(kind="test", to="amina@shop.example", subject="Hello", heading="Hello", paragraphs=("One.",))


@given(st.text())
def test_a_header_text_never_has_a_line_break_or_a_control_character(typed: str) -> None:
    line = one_line(typed)
    assert len(line.splitlines()) <= 1
    assert not any(ord(letter) < 32 or 127 <= ord(letter) < 160 for letter in line)
    assert line.encode().decode() == line


def test_line_breaks_in_subject_and_name_become_spaces() -> None:
    found = checked(replace(PLAIN, subject="Hi\r\nBcc: all@x.example", to_name="Amina\n Wanjirũ"))
    assert found.subject == "Hi Bcc: all@x.example"
    assert found.to_name == "Amina Wanjirũ"


def test_paragraphs_keep_their_lines_and_lose_what_no_database_holds() -> None:
    assert checked(replace(PLAIN, paragraphs=("a\r\nb\x00c\ud800",))).paragraphs == ("a\nb c?",)


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
def test_anything_but_one_plain_address_is_refused(address: str) -> None:
    with pytest.raises(ValueError, match="one plain address"):
        checked(replace(PLAIN, to=address))
    if address:
        with pytest.raises(ValueError, match="one plain address"):
            checked(replace(PLAIN, reply_to=address))


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
def test_headers_that_could_redirect_the_message_are_refused(header: tuple[str, str]) -> None:
    with pytest.raises(ValueError, match="header"):
        checked(replace(PLAIN, headers=(header,)))


@pytest.mark.parametrize(
    "part",
    [
        Attachment("a.pdf", b"", "application/pdf\nX: y"),
        Attachment("a\n.pdf", b"", "application/pdf"),
        Attachment("a.pdf", b"", "pdf"),
    ],
)
def test_attachments_with_odd_names_or_types_are_refused(part: Attachment) -> None:
    with pytest.raises(ValueError, match="attachment"):
        checked(replace(PLAIN, attachments=(part,)))


@pytest.mark.parametrize("target", ["javascript:alert(1)", "/book", "https://x.example/a b", "https://x/\n"])
def test_a_button_that_leads_to_no_web_address_is_refused(target: str) -> None:
    with pytest.raises(ValueError, match="web address"):
        checked(replace(PLAIN, actions=(("Open", target),)))


def test_what_was_typed_into_one_box_becomes_paragraphs_at_empty_lines() -> None:
    assert paragraphs_of("One.\nStill one.\n\n \t\nTwo.\n\n\nThree.") == (
        "One.\nStill one.",
        "Two.",
        "Three.",
    )
    assert paragraphs_of("") == ()


def test_the_same_words_have_the_same_key_and_others_another() -> None:
    key = content_key("contact", {"a": "1", "b": "2"})
    assert key == content_key("contact", {"b": "2", "a": "1"})
    others = (("signup", {"a": "1", "b": "2"}), ("contact", {"a": "12", "b": ""}), ("contact", {"a": "1"}))
    assert len({key, *(content_key(kind, content) for kind, content in others)}) == 4
