"""Short references that people read out, and the tokens of private links."""

import base64
import hashlib
import hmac
import secrets

ALPHABET = "23456789ACDEFGHJKMNPQRTVWXY"
"""Without look-alikes: of 0/O, 1/I/L, 5/S, 2/Z, 8/B and U/V at most one stays."""
LENGTH = 6


def new_reference(prefix: str) -> str:
    """A short random reference such as `EQ-7F3K9Q`; the database refuses the rare repetition."""
    return f"{prefix}-" + "".join(secrets.choice(ALPHABET) for _ in range(LENGTH))


def private_token(purpose: str, seed: str, secret: str) -> str:
    """The token of a record's private link.

    It takes both the row's random seed and the site's secret key, so a leaked database opens nothing, and mails sent
    later can still carry the link. `purpose` keeps the tokens of one kind of record from opening another's.
    """
    digest = hmac.new(secret.encode(), f"{purpose}:{seed}".encode(), hashlib.sha256).digest()
    return base64.urlsafe_b64encode(digest[:24]).decode()


def token_hash(token: str) -> str:
    """What is stored of a token: its SHA-256, in hex."""
    return hashlib.sha256(token.encode(errors="replace")).hexdigest()
