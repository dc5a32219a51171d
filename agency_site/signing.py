"""What the secret key signs, and its rotation: the present key signs and hashes, earlier ones still verify.

A digest that is stored or was handed out is compared with `signatures`, one for each key; a new one is `sign`'s.
"""

import hashlib
import hmac

from agency_site import ids
from agency_site.ids import token_hash
from agency_site.settings import settings


def sign(purpose: str, text: str) -> str:
    """A digest of `text` that cannot be computed without the secret key, in hex; different for each purpose."""
    return signatures(purpose, text)[0]


def signatures(purpose: str, text: str) -> tuple[str, ...]:
    """The same digest under each key, the present one first."""
    signed = f"{purpose}:{text}".encode(errors="replace")
    return tuple(hmac.new(key.encode(), signed, hashlib.sha256).hexdigest() for key in settings().secret_keys)


def is_signed(signature: str, purpose: str, text: str) -> bool:
    """Whether the signature is of one of our keys. Takes the same time for every wrong one."""
    given = signature.encode(errors="replace")
    fits = [hmac.compare_digest(given, right.encode()) for right in signatures(purpose, text)]
    return any(fits)


def private_token(purpose: str, seed: str) -> str:
    """The token of a new record's private link."""
    return ids.private_token(purpose, seed, settings().secret_keys[0])


def find_private_token(purpose: str, seed: str, stored_hash: str) -> str | None:
    """The token of a record whose hash is stored, made again; none when its key is no longer among ours."""
    tokens = (ids.private_token(purpose, seed, key) for key in settings().secret_keys)
    return next((token for token in tokens if token_hash(token) == stored_hash), None)
