"""Short references that people read out, and the tokens of private links."""

import base64
import hashlib
import hmac
import logging
import re
import secrets

from agency_site.characters import clean_value, plain_dashes

_logger = logging.getLogger(__name__)

ALPHABET = "23456789ACDEFGHJKMNPQRTVWXY"
"""Without look-alikes: at most one each of 0/O, 1/I/L, 5/S, 2/Z, 8/B and U/V."""
LENGTH = 6


def new_reference(prefix: str) -> str:
    """Return a short random reference such as `EQ-7F3K9Q`; the database refuses the rare duplicate.

    A line of the log has it with the id of the request, because customers know nothing else of what they have done. A repeated
    request stores nothing, so no record has the reference of its line.
    """
    reference = f"{prefix}-{new_code()}"
    _logger.info("new reference %s", reference)
    return reference


def new_code() -> str:
    """Return the random part of a reference."""
    return "".join(secrets.choice(ALPHABET) for _ in range(LENGTH))


LARGEST_ID = 2**31 - 1


def parse_id(value: object) -> int:
    """Return the row id in a page's address or an event; 0, which no row has, for anything else."""
    if not (isinstance(value, str) and value.isascii() and value.isdecimal() and len(value) < 11):
        return 0
    return number if (number := int(value)) <= LARGEST_ID else 0


_COMPACT = re.compile(rf"([a-z]{{2}})?([{ALPHABET.lower()}]{{{LENGTH}}})")
_ACCOUNT = re.compile(rf"([a-z]{{2}}[{ALPHABET.lower()}]{{{LENGTH}}})[0-9]{{1,4}}")
"""M-Pesa's account reference of an order: its reference without the dash, and the number of the payment."""


def reference_in(word: str) -> str:
    """Return the reference that a word may mean, with or without its dash, in lower case; empty if it cannot be one.

    The account reference of a payment, `en7f3k9q2`, gives the reference of its order.

    Without the prefix only the characters after it are known: `7f3k9q`, but `bk-7f3k9q` for `bk7f3k9q`.
    """
    compact = word.casefold().replace("-", "")
    account = _ACCOUNT.fullmatch(compact)
    match = _COMPACT.fullmatch(account[1] if account else compact)
    if match is None:
        return ""
    prefix, rest = match.groups()
    return f"{prefix}-{rest}" if prefix else str(rest)


def references_within(text: str, prefix: str) -> tuple[str, ...]:
    """Return the references with the prefix that a text of capitals and digits may contain: `EN-7F3K9Q` of `EN7F3K9QAMINA`."""
    # A lookahead consumes nothing, so matches may overlap: `ENEN7F3K9Q` contains `EN-7F3K9Q` too.
    matches = re.findall(rf"(?={prefix}([{ALPHABET}]{{{LENGTH}}}))", text)
    return tuple(dict.fromkeys(f"{prefix}-{rest}" for rest in matches))


_LOOK_ALIKES = str.maketrans("SZBU", "528V")
"""Characters that no reference has, with the one that each is mistaken for."""


def fold_look_alikes(text: str) -> str:
    """Return a text in capitals with the characters that it must mean in a reference: `EN-CAG5GK` for `EN-CAGSGK`."""
    return text.translate(_LOOK_ALIKES)


def code_at_edge(text: str) -> tuple[str, ...]:
    """Return the codes without prefix with which a text of capitals and digits may begin or end: `TK36PT` of `TK36PTKAMAU`.

    A code needs a letter and a digit here: otherwise names and phone numbers would count.
    """
    edges = dict.fromkeys((text[:LENGTH], text[-LENGTH:]))
    return tuple(edge for edge in edges if _MIXED_CODE.fullmatch(edge))


_MIXED_CODE = re.compile(rf"(?=.*[0-9])(?=.*[A-Z])[{ALPHABET}]{{{LENGTH}}}")


def clean_reference(raw: str) -> str:
    """Return a typed or pasted reference, receipt or serial number in capitals, as stored."""
    return plain_dashes(clean_value(raw)).upper()


def parse_reference(raw: str) -> str:
    """Return a record's short reference as stored; the typed one may lack its dash or have spaces."""
    code = clean_reference(raw)
    return reference_in("".join(code.split())).upper() or code


_CERTAIN = re.compile(rf"(?=.*[0-9])[a-z]{{2}}-[{ALPHABET.lower()}]{{{LENGTH}}}")


def certain_reference(word: str) -> str:
    """Return the reference if a lower-case word is certainly one; else empty. Without a digit it may be a name:

    `el-haddad` has the form of a reference.
    """
    return word.upper() if _CERTAIN.fullmatch(word) else ""


def private_token(purpose: str, seed: str, secret: str) -> str:
    """Return the token of a record's private link.

    It takes both the row's random seed and the site's secret key, so a leaked database opens nothing, and mails sent
    later can still carry the link. `purpose` keeps the tokens of one kind of record from opening another's.
    """
    digest = hmac.new(secret.encode(), f"{purpose}:{seed}".encode(), hashlib.sha256).digest()
    return base64.urlsafe_b64encode(digest[:24]).decode()


def token_hash(token: str) -> str:
    """Return the SHA-256 of a token in hex, the only form in which tokens are stored."""
    return hashlib.sha256(token.encode(errors="replace")).hexdigest()
