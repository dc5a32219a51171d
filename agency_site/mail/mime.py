"""Turns a row of the outbox into the message that goes over the wire."""

from base64 import b64decode
from email.header import Header
from email.headerregistry import (
    Address,
    BaseHeader,
    ContentTypeHeader,
    HeaderRegistry,
    UniqueAddressHeader,
    UniqueUnstructuredHeader,
    UnstructuredHeader,
)
from email.message import EmailMessage
from email.policy import SMTP, Policy
from email.utils import format_datetime
from typing import Any

from email_validator import validate_email

from agency_site.content.brand import BRAND
from agency_site.mail.tables import OutboxMessage
from agency_site.settings import settings

WIDEST = 60
"""Characters of a word that always fits on the line of a header beside its name."""


class _Verbatim(UnstructuredHeader, BaseHeader):
    """A header of identifiers or addresses, broken at its spaces only.

    The email package encodes a word that is longer than a line, and no mail program reads an encoded identifier.
    """

    def fold(self, *, policy: Policy) -> str:
        """The header as it goes over the wire."""
        return f"{self.name}: " + f"{policy.linesep} ".join(str(self).split()) + policy.linesep


class _Subject(UniqueUnstructuredHeader, BaseHeader):  # type: ignore[misc]
    """A subject that arrives as it is written, whatever it holds."""

    @classmethod
    def parse(cls, value: str, kwds: dict[str, Any]) -> None:
        """Take the text as it is: somebody may have typed what reads as an encoded word."""
        super().parse(value, kwds)
        kwds["decoded"] = value

    def fold(self, *, policy: Policy) -> str:
        """The header as it goes over the wire."""
        return f"{self.name}: {_encoded(str(self), self.name, policy)}{policy.linesep}"


class _Mailbox(UniqueAddressHeader, BaseHeader):  # type: ignore[misc]
    """One address whose name arrives as it is written."""

    addresses: tuple[Address, ...]

    def fold(self, *, policy: Policy) -> str:
        """The header as it goes over the wire."""
        (mailbox,) = self.addresses
        if _is_plain(mailbox.display_name):
            return str(super().fold(policy=policy))
        name = _encoded(mailbox.display_name, self.name, policy)
        return f"{self.name}: {name}{policy.linesep} <{mailbox.addr_spec}>{policy.linesep}"


def _is_plain(text: str) -> bool:
    """Whether a header can carry `text` as it stands: ASCII, in words that fit on a line and do not read as encoded."""
    fits = text.isascii() and text.isprintable() and "=?" not in text
    return fits and all(len(word) <= WIDEST for word in text.split())


def _encoded(text: str, header: str, policy: Policy) -> str:
    """`text` in encoded words (RFC 2047) where it needs them: all of it, spaces included.

    Where only some words are encoded, Python 3.11 drops or adds spaces between them as it folds.
    """
    charset = "us-ascii" if _is_plain(text) else "utf-8"
    return Header(text, charset, header_name=header).encode(linesep=policy.linesep)


_HEADERS = HeaderRegistry()
_HEADERS.map_to_type("subject", _Subject)
for _name in ("from", "to"):
    _HEADERS.map_to_type(_name, _Mailbox)
for _name in ("in-reply-to", "references", "list-unsubscribe"):
    _HEADERS.map_to_type(_name, _Verbatim)
WIRE = SMTP.clone(header_factory=_HEADERS, cte_type="7bit")
"""How messages are written down: in ASCII. A relay without 8BITMIME would rewrite 8-bit parts and break the DKIM signature."""


def sender() -> str:
    """The address mail comes from: the settings', else the brand's."""
    return settings().mail_from or BRAND.email


def wire_address(address: str) -> str:
    """`address` with its domain as mail servers write it: in ASCII. Raises ValueError where there is none."""
    if address.isascii():
        return address
    checked = validate_email(address, check_deliverability=False)
    return f"{checked.local_part}@{checked.ascii_domain}"


def compose(row: OutboxMessage) -> EmailMessage:
    """The message of `row`: text and HTML as alternatives, then its files.

    An invitation is an alternative too: mail programs offer "accept" only then (RFC 6047, section 2.4).
    Raises ValueError for content that no header can carry.
    """
    message = EmailMessage(policy=WIRE)
    message["From"] = _mailbox(BRAND.name, sender())
    message["To"] = _mailbox(row.to_name, wire_address(row.to))
    message["Subject"] = row.subject
    message["Date"] = format_datetime(row.created_at)
    message["Message-ID"] = row.message_id
    for name, value in row.headers:
        message[name] = value
    if "Auto-Submitted" not in message:
        # Machines must not answer to this with holiday notices (RFC 3834).
        message["Auto-Submitted"] = "auto-generated"
    message.set_content(row.text)
    message.add_alternative(row.html, subtype="html")
    for part in row.attachments:
        if _is_invitation(part):
            _add_invitation(message, part)
    for part in row.attachments:
        _attach(message, part)
    return message


def _mailbox(name: str, address: str) -> Address:
    # In parts, because `addr_spec` takes no letters beyond ASCII before the @.
    local, _, domain = address.rpartition("@")
    return Address(name, username=local, domain=domain)


def media_type(mime: str) -> ContentTypeHeader:
    """The parsed form of a full media type."""
    holder = EmailMessage(policy=SMTP)
    holder["Content-Type"] = mime
    header: ContentTypeHeader = holder["Content-Type"]
    return header


def _is_invitation(part: dict[str, str]) -> bool:
    kind = media_type(part["mime"])
    return kind.content_type == "text/calendar" and "method" in kind.params


def _add_invitation(message: EmailMessage, part: dict[str, str]) -> None:
    method = media_type(part["mime"]).params["method"]
    calendar = b64decode(part["content"]).decode()
    message.add_alternative(calendar, subtype="calendar", params={"method": method})


def _attach(message: EmailMessage, part: dict[str, str]) -> None:
    kind = media_type(part["mime"])
    message.add_attachment(
        b64decode(part["content"]),
        maintype=kind.maintype,
        subtype=kind.subtype,
        filename=part["filename"],
        params=dict(kind.params),
    )
