"""Every kind of mail, with any text in its fields, is a complete message without injected headers."""

import inspect
from base64 import b64encode
from datetime import UTC, datetime
from email import message_from_bytes
from email.header import decode_header, make_header
from email.message import EmailMessage
from email.policy import SMTP, compat32
from email.utils import parseaddr

import pytest
from hypothesis import HealthCheck, Phase, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from agency_site.backoffice.outbox.mails import KINDS
from agency_site.content.brand import BRAND
from agency_site.mail.mime import compose_message
from agency_site.mail.rules import Message, dump_content, join_lines, validate_message
from agency_site.mail.tables import OutboxMessage
from tests.every_mail import MODULES, Texts, every_mail

COMMON_HEADERS = {
    "From",
    "To",
    "Subject",
    "Date",
    "Message-ID",
    "Reply-To",
    "Auto-Submitted",
    "MIME-Version",
    "Content-Type",
}
LIST_HEADERS = {"List-Id", "List-Unsubscribe", "List-Unsubscribe-Post"}
KIND_HEADERS = {"newsletter-issue": LIST_HEADERS, "enquiry-reply": {"In-Reply-To", "References"}}
"""Additional headers of single kinds."""

HOSTILE_TEXT = st.sampled_from(
    ["\r\nBcc: all@x.example\r\n\r\n<b>", "\nX-Evil: 1", "\rSubject: other", "\x00", "\x85To: x", "\u2028To: x",
     "\u202e\u2066gnirts\u2069", "محمد", "ũ", "👩🏾‍💻", "=?utf-8?q?x?=", "\"<>,;:@", "%0d%0aBcc: x", "W" * 2000]
)  # fmt: skip
ANY_TEXT = st.lists(st.one_of(HOSTILE_TEXT, st.text(max_size=12)), min_size=1, max_size=4).map("".join)


def build_row(message: Message) -> OutboxMessage:
    """Build a row of the outbox without storing it."""
    valid = validate_message(message)
    files = [
        {"filename": part.filename, "mime": part.mime, "content": b64encode(part.content).decode()}
        for part in valid.attachments
    ]
    return OutboxMessage(
        kind=valid.kind, to=valid.to, to_name=valid.to_name, subject=valid.subject, content=dump_content(valid),
        attachments=files,
        headers=[["Reply-To", valid.reply_to or BRAND.email], *map(list, valid.headers)],
        message_id="<1@mwanga.example>", created_at=datetime(2026, 11, 20, 9, tzinfo=UTC),
    )  # fmt: skip


def test_every_mail_is_ascii_with_any_text() -> None:
    texts = Texts(
        name="Wanjirũ محمد 👩🏾‍💻", title="Bei ya ũji 🎉", words="Tutafungua tawi la pili, ũsijali. 🎉"
    )
    for message in every_mail(texts).values():
        composed = compose_message(build_row(message))
        assert composed.as_bytes().isascii(), message.kind
        encodings = {part["Content-Transfer-Encoding"] for part in composed.walk() if not part.is_multipart()}
        assert encodings <= {"7bit", "quoted-printable", "base64"}, message.kind


def compose_and_parse(message: Message) -> EmailMessage:
    parsed = message_from_bytes(
        compose_message(build_row(message)).as_bytes(), policy=SMTP.clone(raise_on_defect=True)
    )
    assert isinstance(parsed, EmailMessage)
    return parsed


def read_name_and_subject(message: Message) -> tuple[str, str]:
    """Recipient's name and subject as mail programs show them (RFC 2047, section 6.2).

    With the older parser of `email`: the newer one puts a space between two encoded words of a name.
    """
    parsed = message_from_bytes(compose_message(build_row(message)).as_bytes(), policy=compat32)
    to, subject = ("".join(parsed[header].splitlines()) for header in ("To", "Subject"))
    return _decode(parseaddr(to)[0]), _decode(subject)


def _decode(text: str) -> str:
    return str(make_header(decode_header(text))).strip()


def _is_builder(signature: inspect.Signature) -> bool:
    """Return whether the function builds a message instead of changing one."""
    parameters = {parameter.annotation for parameter in signature.parameters.values()}
    return signature.return_annotation is Message and Message not in parameters


def test_every_builder_is_tested_and_every_kind_has_a_builder() -> None:
    builders = {
        f"{module.__name__}.{name}"
        for module in MODULES
        for name, function in inspect.getmembers(module, inspect.isfunction)
        if function.__module__ == module.__name__
        and not name.startswith("_")
        and _is_builder(inspect.signature(function))
    }
    mails = every_mail(Texts())
    assert {name.partition(" ")[0] for name in mails} == builders
    assert {message.kind for message in mails.values()} == set(KINDS)


@given(name=ANY_TEXT, title=ANY_TEXT, words=ANY_TEXT)
@hypothesis_settings(
    max_examples=10,
    deadline=None,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=list(HealthCheck),
)
def test_no_field_adds_a_header_or_breaks_the_message(name: str, title: str, words: str) -> None:
    for message in every_mail(Texts(name=name, title=title, words=words)).values():
        parsed = compose_and_parse(message)
        assert set(parsed.keys()) == COMMON_HEADERS | KIND_HEADERS.get(message.kind, set()), message.kind
        assert len(parsed.keys()) == len(set(parsed.keys()))
        assert read_name_and_subject(message)[1] == join_lines(message.subject)
        assert [address.addr_spec for address in parsed["To"].addresses] == [message.to]
        assert len(parsed["From"].addresses) == len(parsed["Reply-To"].addresses) == 1
        for kind in ("plain", "html"):
            assert parsed.get_body((kind,)) is not None


@pytest.mark.parametrize(
    "name", ["Wanjirũ wa Nyambura", "محمد بن علي", "Achieng 👩🏾‍💻", 'Otieno, "J." <x@y>']
)
def test_names_and_subjects_of_any_script_are_decoded_unchanged(name: str) -> None:
    mails = every_mail(Texts(name=name))
    for message in mails.values():
        assert read_name_and_subject(message) == (message.to_name, message.subject)
    assert any(name in message.subject for message in mails.values())
