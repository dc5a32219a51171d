"""What the secret key signs and encrypts, and its rotation: the present key is used, earlier ones still verify and decrypt.

A digest that is stored or was handed out is compared with `signatures`, one for each key; a new one is `sign`'s.
"""

import hashlib
import hmac
from base64 import urlsafe_b64encode
from functools import lru_cache

from cryptography.fernet import Fernet, InvalidToken, MultiFernet

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


def seal(purpose: str, text: str) -> str:
    """`text`, encrypted with a key of its own for each purpose."""
    return _cipher(settings().derived_keys(purpose)).encrypt(text.encode()).decode()


def unseal(purpose: str, sealed: str) -> str | None:
    """What `seal` encrypted; None if it is nothing of ours, or of a key that is no longer configured."""
    try:
        return _cipher(settings().derived_keys(purpose)).decrypt(sealed.encode()).decode()
    except InvalidToken:
        return None


@lru_cache(maxsize=16)
def _cipher(keys: tuple[str, ...]) -> MultiFernet:
    """Encrypts with the first key and decrypts with any."""
    return MultiFernet([Fernet(urlsafe_b64encode(bytes.fromhex(key))) for key in keys])
