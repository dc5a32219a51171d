"""Which texts are names of domains, in the letters of any script."""

import re

import idna

LONGEST = 253
"""Characters of a whole name in ASCII, without the dot at its end (RFC 1035, section 2.3.4)."""
WRONG = "Please enter a domain name such as mamamboga.co.ke."
RESERVED = frozenset(
    {"alt", "arpa", "example", "home", "internal", "invalid", "lan", "local", "localhost", "onion", "test"}
)
"""Ends that nobody can register under (RFC 6761, RFC 6762, RFC 7686, RFC 9476, and ICANN's `internal`)."""
SHARED = frozenset(f"{kind}.ke" for kind in ("ac", "co", "go", "info", "me", "mobi", "ne", "or", "sc"))
"""Kenya's second level, which belongs to everybody: a name goes in front of it."""
_END = re.compile(r"[a-z]{2,63}|xn--[a-z0-9-]+")


def domain_name(typed: str) -> str:
    """The bare name in lower case, in its own script: people paste whole addresses, and mean the part between.

    Raises ValueError, with words for whoever typed it, for what is no name that somebody could own.
    """
    plain = re.sub(r"^[a-z][a-z0-9+.-]*://", "", typed.strip().lower())
    bare = re.split(r"[/?#]", plain)[0]
    bare = re.sub(r"^www\.(?=.+\.)", "", re.sub(r":[0-9]{0,5}$", "", bare).rstrip("."))
    try:
        wire = wire_name(bare)
        shown = idna.decode(wire)
    except (UnicodeError, ValueError):
        raise ValueError(WRONG) from None
    *rest, end = wire.split(".")
    if not rest or not _END.fullmatch(end) or end in RESERVED:
        raise ValueError(WRONG)
    if wire in SHARED:
        raise ValueError(f"Please write the name in front of .{wire} too, such as mamamboga.{wire}.")
    return shown


def wire_name(name: str) -> str:
    """`name` as name servers know it, in ASCII. Raises ValueError where there is none."""
    wire = idna.encode(name, uts46=True, std3_rules=True).decode()
    if len(wire) > LONGEST:
        raise ValueError("the name is too long")
    return wire
