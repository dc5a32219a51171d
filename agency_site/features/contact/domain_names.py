"""Domain names in any script: reading and checking."""

import re

import idna

LONGEST = 253
"""The most characters of a name in ASCII, without the final dot (RFC 1035, section 2.3.4)."""
WRONG = "Please enter a domain name such as mamamboga.co.ke."
RESERVED = frozenset(
    {"alt", "arpa", "example", "home", "internal", "invalid", "lan", "local", "localhost", "onion", "test"}
)
"""Top-level domains that take no registrations (RFC 6761, RFC 6762, RFC 7686, RFC 9476, ICANN's `internal`)."""
SHARED = frozenset(f"{kind}.ke" for kind in ("ac", "co", "go", "info", "me", "mobi", "ne", "or", "sc"))
"""Kenya's public second-level domains: a name is registered below them."""
_END = re.compile(r"[a-z]{2,63}|xn--[a-z0-9-]+")


def domain_name(text: str) -> str:
    """Return the domain name in lower case, in its own script.

    Visitors often paste a whole web address; only its host is read. Raises ValueError with a message for the visitor
    if the text is not a name that can be registered.
    """
    plain = re.sub(r"^[a-z][a-z0-9+.-]*://", "", text.strip().lower())
    bare = re.split(r"[/?#]", plain)[0]
    bare = re.sub(r"^www\.(?=.+\.)", "", re.sub(r":[0-9]{0,5}$", "", bare).rstrip("."))
    try:
        wire = wire_name(bare)
        unicode_name = idna.decode(wire)
    except (UnicodeError, ValueError):
        raise ValueError(WRONG) from None
    *rest, end = wire.split(".")
    if not rest or not _END.fullmatch(end) or end in RESERVED:
        raise ValueError(WRONG)
    if wire in SHARED:
        raise ValueError(f"Please write the name in front of .{wire} too, such as mamamboga.{wire}.")
    return unicode_name


def wire_name(name: str) -> str:
    """Return the name in ASCII, as name servers store it. Raises ValueError if it has no such form."""
    wire = idna.encode(name, uts46=True, std3_rules=True).decode()
    if len(wire) > LONGEST:
        raise ValueError("the name is too long")
    return wire
