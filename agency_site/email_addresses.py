"""E-mail addresses: the one form in which they are stored and compared, and the mailbox that each reaches."""

import idna
from email_validator import EmailNotValidError, validate_email

from agency_site.characters import clean_value

_GMAIL = frozenset({"gmail.com", "googlemail.com"})


def parse_email_address(typed: str) -> str:
    """The address in ASCII, its domain in small letters (IDNA): the form in which every table stores it.

    Mail servers without SMTPUTF8 are common, so an address must be reachable in plain ASCII. Raises ValueError for any
    other text.
    """
    try:
        found = validate_email(_join_at(clean_value(typed)), check_deliverability=False, allow_smtputf8=False)
    except EmailNotValidError as invalid:
        raise ValueError(str(invalid)) from None
    return found.ascii_email or found.normalized


def stored_address(typed: str) -> str:
    """The stored form of any spelling of an address, in small letters; other text only cleaned and in small letters."""
    try:
        return parse_email_address(typed).lower()
    except ValueError:
        return clean_value(typed).lower()


def address_spellings(stored: str) -> tuple[str, ...]:
    """A stored address and, where its domain has other letters than ASCII ones, the same as people write it."""
    local, _, domain = stored.rpartition("@")
    try:
        shown = f"{local}@{idna.decode(domain)}" if "xn--" in domain else stored
    except (UnicodeError, ValueError):
        shown = stored
    return tuple(dict.fromkeys((stored, shown)))


def _join_at(value: str) -> str:
    # Keyboards of phones put a space after a word that they complete.
    return "@".join(part.strip() for part in value.split("@"))


def mailbox_of(address: str) -> str:
    """The mailbox of `address`: without case and subaddress (RFC 5233), for Gmail without dots too.

    It serves to compare and count, never to write to: what a provider does with case and `+` is its own affair. Text
    that is no address is its own mailbox.
    """
    local, _, domain = stored_address(address).casefold().rpartition("@")
    local, domain = local.partition("+")[0] or local, domain.rstrip(".")
    if domain in _GMAIL:
        local, domain = local.replace(".", ""), "gmail.com"
    return f"{local}@{domain}" if local else domain
