"""Every mail that the site writes, whatever its fields hold: whole, and without a header that nobody meant."""

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
from hypothesis import settings as trying
from hypothesis import strategies as st

from agency_site.content.brand import BRAND
from agency_site.mail.mime import compose
from agency_site.mail.rules import Message, checked, one_line, words_of
from agency_site.mail.tables import OutboxMessage
from agency_site.staff.mail_words import KINDS
from tests.every_mail import MODULES, Texts, every_mail

ALWAYS = {
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
LIST = {"List-Id", "List-Unsubscribe", "List-Unsubscribe-Post"}
FURTHER = {"newsletter-issue": LIST, "enquiry-reply": {"In-Reply-To", "References"}}
"""Headers of single kinds beyond those of all."""

NASTY = st.sampled_from(
    ["\r\nBcc: all@x.example\r\n\r\n<b>", "\nX-Evil: 1", "\rSubject: other", "\x00", "\x85To: x", "\u2028To: x",
     "\u202e\u2066gnirts\u2069", "محمد", "ũ", "👩🏾‍💻", "=?utf-8?q?x?=", "\"<>,;:@", "%0d%0aBcc: x", "W" * 2000]
)  # fmt: skip
ODD = st.lists(st.one_of(NASTY, st.text(max_size=12)), min_size=1, max_size=4).map("".join)


def row_of(message: Message) -> OutboxMessage:
    """The row that the outbox would hold, unsaved."""
    said = checked(message)
    files = [
        {"filename": part.filename, "mime": part.mime, "content": b64encode(part.content).decode()}
        for part in said.attachments
    ]
    return OutboxMessage(
        kind=said.kind, to=said.to, to_name=said.to_name, subject=said.subject, words=words_of(said), attachments=files,
        headers=[["Reply-To", said.reply_to or BRAND.email], *map(list, said.headers)],
        message_id="<1@mwanga.example>", created_at=datetime(2026, 11, 20, 9, tzinfo=UTC),
    )  # fmt: skip


def test_every_mail_is_written_in_ascii_whatever_its_fields_hold() -> None:
    texts = Texts(
        name="Wanjirũ محمد 👩🏾‍💻", title="Bei ya ũji 🎉", words="Tutafungua tawi la pili, ũsijali. 🎉"
    )
    for message in every_mail(texts).values():
        written = compose(row_of(message))
        assert written.as_bytes().isascii(), message.kind
        encodings = {part["Content-Transfer-Encoding"] for part in written.walk() if not part.is_multipart()}
        assert encodings <= {"7bit", "quoted-printable", "base64"}, message.kind


def read_back(message: Message) -> EmailMessage:
    parsed = message_from_bytes(compose(row_of(message)).as_bytes(), policy=SMTP.clone(raise_on_defect=True))
    assert isinstance(parsed, EmailMessage)
    return parsed


def shown(message: Message) -> tuple[str, str]:
    """Recipient's name and subject as mail programs show them (RFC 2047, section 6.2).

    Not by the newer parser of `email`: in names it puts a space between two encoded words.
    """
    read = message_from_bytes(compose(row_of(message)).as_bytes(), policy=compat32)
    to, subject = ("".join(read[header].splitlines()) for header in ("To", "Subject"))
    return _decoded(parseaddr(to)[0]), _decoded(subject)


def _decoded(text: str) -> str:
    return str(make_header(decode_header(text))).strip()


def _makes_a_message(signature: inspect.Signature) -> bool:
    """Whether it writes a message, rather than changing one that it is given."""
    given = {parameter.annotation for parameter in signature.parameters.values()}
    return signature.return_annotation is Message and Message not in given


def test_every_builder_of_a_mail_is_tried_and_every_kind_comes_of_one() -> None:
    builders = {
        f"{module.__name__}.{name}"
        for module in MODULES
        for name, found in inspect.getmembers(module, inspect.isfunction)
        if found.__module__ == module.__name__
        and not name.startswith("_")
        and _makes_a_message(inspect.signature(found))
    }
    made = every_mail(Texts())
    assert set(made) == builders
    assert {message.kind for message in made.values()} == set(KINDS)


@given(name=ODD, title=ODD, words=ODD)
@trying(
    max_examples=10,
    deadline=None,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=list(HealthCheck),
)
def test_no_field_of_any_mail_adds_a_header_or_breaks_the_message(name: str, title: str, words: str) -> None:
    for message in every_mail(Texts(name=name, title=title, words=words)).values():
        read = read_back(message)
        assert set(read.keys()) == ALWAYS | FURTHER.get(message.kind, set()), message.kind
        assert len(read.keys()) == len(set(read.keys()))
        assert shown(message)[1] == one_line(message.subject)
        assert [address.addr_spec for address in read["To"].addresses] == [message.to]
        assert len(read["From"].addresses) == len(read["Reply-To"].addresses) == 1
        for kind in ("plain", "html"):
            assert read.get_body((kind,)) is not None


@pytest.mark.parametrize(
    "name", ["Wanjirũ wa Nyambura", "محمد بن علي", "Achieng 👩🏾‍💻", 'Otieno, "J." <x@y>']
)
def test_names_and_subjects_of_any_script_are_read_back_as_written(name: str) -> None:
    mails = every_mail(Texts(name=name))
    for message in mails.values():
        assert shown(message) == (message.to_name, message.subject)
    assert any(name in message.subject for message in mails.values())
