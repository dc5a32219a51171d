"""Composition of the MIME message of an outbox row."""

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
from agency_site.db.sealed_columns import LOST_LINK
from agency_site.mail.tables import OutboxMessage
from agency_site.settings import settings

_MAX_PLAIN_WORD = 60
"""Characters; a word of this length fits on a header line beside the header's name."""


class _Verbatim(UnstructuredHeader, BaseHeader):
    """A header of identifiers or addresses, folded at spaces only.

    The email package encodes a word that is longer than a line, but mail programs do not decode identifiers.
    """

    def fold(self, *, policy: Policy) -> str:
        """Return the header line with its line breaks."""
        return f"{self.name}: " + f"{policy.linesep} ".join(str(self).split()) + policy.linesep


class _Subject(UniqueUnstructuredHeader, BaseHeader):  # type: ignore[misc]
    """A subject that mail programs show unchanged, whatever it contains."""

    @classmethod
    def parse(cls, value: str, kwds: dict[str, Any]) -> None:
        """Keep the text: a visitor may have typed something that looks like an encoded word."""
        super().parse(value, kwds)
        kwds["decoded"] = value

    def fold(self, *, policy: Policy) -> str:
        """Return the header line with its line breaks."""
        return f"{self.name}: {_encode_text(str(self), self.name, policy)}{policy.linesep}"


class _Mailbox(UniqueAddressHeader, BaseHeader):  # type: ignore[misc]
    """One address whose display name mail programs show unchanged."""

    addresses: tuple[Address, ...]

    def fold(self, *, policy: Policy) -> str:
        """Return the header line with its line breaks."""
        (mailbox,) = self.addresses
        if _fits_unencoded(mailbox.display_name):
            return str(super().fold(policy=policy))
        name = _encode_text(mailbox.display_name, self.name, policy)
        return f"{self.name}: {name}{policy.linesep} <{mailbox.addr_spec}>{policy.linesep}"


def _fits_unencoded(text: str) -> bool:
    """Return whether a header can contain `text` unencoded: ASCII words that fit on a line and do not look encoded."""
    is_safe = text.isascii() and text.isprintable() and "=?" not in text
    return is_safe and all(len(word) <= _MAX_PLAIN_WORD for word in text.split())


def _encode_text(text: str, header: str, policy: Policy) -> str:
    """Return `text` as encoded words (RFC 2047), all of it including spaces, if any part needs encoding.

    When only some words are encoded, folding in Python 3.11 drops or adds spaces between them.
    """
    charset = "us-ascii" if _fits_unencoded(text) else "utf-8"
    return Header(text, charset, header_name=header).encode(linesep=policy.linesep)


class _Headers(HeaderRegistry):
    """A registry with one class for each header name.

    The library makes a class for each header of each message, which only rare full garbage collections free.
    """

    def __init__(self) -> None:
        super().__init__()
        self._classes: dict[str, type[BaseHeader]] = {}

    def __getitem__(self, name: str) -> type[BaseHeader]:
        key = name.lower()
        if key not in self._classes:
            self._classes[key] = super().__getitem__(name)
        return self._classes[key]


_HEADERS = _Headers()
_HEADERS.map_to_type("subject", _Subject)
for _name in ("from", "to"):
    _HEADERS.map_to_type(_name, _Mailbox)
for _name in ("in-reply-to", "references", "list-unsubscribe"):
    _HEADERS.map_to_type(_name, _Verbatim)
_WIRE_POLICY = SMTP.clone(header_factory=_HEADERS, cte_type="7bit")
"""Serialises in ASCII: a relay without 8BITMIME would rewrite 8-bit parts and break the DKIM signature."""


def get_sender_address() -> str:
    """Return the sender's address: the setting, or else the brand's."""
    return settings().mail_from or BRAND.email


def encode_address(address: str) -> str:
    """Return `address` with its domain in ASCII (IDNA). Raises ValueError for an invalid address."""
    if address.isascii():
        return address
    valid = validate_email(address, check_deliverability=False)
    return f"{valid.local_part}@{valid.ascii_domain}"


def compose_message(row: OutboxMessage) -> EmailMessage:
    """Compose the message of `row`: text and HTML as alternatives, then its attachments.

    An invitation is an alternative too, because only then mail programs offer "accept" (RFC 6047, section 2.4). Raises
    ValueError for a header with a line break, and if its links can no longer be decrypted.
    """
    message = EmailMessage(policy=_WIRE_POLICY)
    message["From"] = _build_address(BRAND.name, get_sender_address())
    message["To"] = _build_address(row.to_name, encode_address(row.to))
    message["Subject"] = row.subject
    message["Date"] = format_datetime(row.created_at)
    message["Message-ID"] = row.message_id
    for name, value in row.headers:
        message[name] = value
    if "Auto-Submitted" not in message:
        # Suppresses automatic replies such as absence notices (RFC 3834).
        message["Auto-Submitted"] = "auto-generated"
    if row.has_lost_links:
        raise ValueError(LOST_LINK)
    message.set_content(row.text)
    message.add_alternative(row.html, subtype="html")
    for part in row.attachments:
        if _is_invitation(part):
            _add_calendar_alternative(message, part)
    for part in row.attachments:
        _add_attachment(message, part)
    return message


def _build_address(name: str, address: str) -> Address:
    # In parts, because `addr_spec` accepts ASCII only before the @.
    local, _, domain = address.rpartition("@")
    return Address(name, username=local, domain=domain)


def _parse_media_type(mime: str) -> ContentTypeHeader:
    """Parse a full media type, such as `text/calendar; method=REQUEST`."""
    header: ContentTypeHeader = _HEADERS("Content-Type", mime)  # type: ignore[assignment]
    return header


def _is_invitation(part: dict[str, str]) -> bool:
    kind = _parse_media_type(part["mime"])
    return kind.content_type == "text/calendar" and "method" in kind.params


def _add_calendar_alternative(message: EmailMessage, part: dict[str, str]) -> None:
    method = _parse_media_type(part["mime"]).params["method"]
    calendar = b64decode(part["content"]).decode()
    message.add_alternative(calendar, subtype="calendar", params={"method": method})


def _add_attachment(message: EmailMessage, part: dict[str, str]) -> None:
    kind = _parse_media_type(part["mime"])
    message.add_attachment(
        b64decode(part["content"]),
        maintype=kind.maintype,
        subtype=kind.subtype,
        filename=part["filename"],
        params=dict(kind.params),
    )
