"""E-mail addresses: the form in which they are stored and compared, and the mailbox that each one reaches."""

import idna
from email_validator import EmailNotValidError, validate_email

from agency_site.characters import clean_value

_GMAIL = frozenset({"gmail.com", "googlemail.com"})


def parse_email_address(raw: str) -> str:
    """Return the address in ASCII with its domain in lower case (IDNA), as every table stores it.

    Mail servers without SMTPUTF8 are common, so an address must be reachable in plain ASCII. Raises ValueError for any
    other text.
    """
    try:
        validated = validate_email(
            _join_at(clean_value(raw)), check_deliverability=False, allow_smtputf8=False
        )
    except EmailNotValidError as invalid:
        raise ValueError(str(invalid)) from None
    return validated.ascii_email or validated.normalized


def stored_address(raw: str) -> str:
    """Return the stored form of any spelling of an address, in lower case; other text is only cleaned and lower-cased."""
    try:
        return parse_email_address(raw).lower()
    except ValueError:
        return clean_value(raw).lower()


def address_spellings(stored: str) -> tuple[str, ...]:
    """Return a stored address and, if its domain is internationalised, also its Unicode spelling."""
    local, _, domain = stored.rpartition("@")
    try:
        spelling = f"{local}@{idna.decode(domain)}" if "xn--" in domain else stored
    except (UnicodeError, ValueError):
        spelling = stored
    return tuple(dict.fromkeys((stored, spelling)))


def _join_at(value: str) -> str:
    # Phone keyboards add a space after a word that they complete.
    return "@".join(part.strip() for part in value.split("@"))


def mailbox_of(address: str) -> str:
    """Return the mailbox of `address`, without case and subaddress (RFC 5233), for Gmail without dots too.

    It serves to compare and count, never to send mail: providers may treat case and `+` differently. Text that is no
    address is returned as its own mailbox.
    """
    local, _, domain = stored_address(address).casefold().rpartition("@")
    local, domain = local.partition("+")[0] or local, domain.rstrip(".")
    if domain in _GMAIL:
        # Two spaces are one, as in `clean_value`: those around a dot have come together.
        local, domain = " ".join(local.replace(".", "").split()), "gmail.com"
    return f"{local}@{domain}" if local else domain
