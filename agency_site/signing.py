"""Signatures and encryption with the secret key, and its rotation: the present key is used, earlier ones verify and decrypt.

`sign` makes a new digest; a digest that is stored or was sent out is compared with all `signatures`, one for each key.
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
    """Return a digest of `text` in hex that needs the secret key; different for each purpose."""
    return signatures(purpose, text)[0]


def signatures(purpose: str, text: str) -> tuple[str, ...]:
    """Return the digest under each key, the present one first."""
    signed = f"{purpose}:{text}".encode(errors="replace")
    return tuple(hmac.new(key.encode(), signed, hashlib.sha256).hexdigest() for key in settings().secret_keys)


def is_signed(signature: str, purpose: str, text: str) -> bool:
    """Return whether the signature is of one of our keys, in constant time for wrong ones."""
    candidate = signature.encode(errors="replace")
    fits = [hmac.compare_digest(candidate, right.encode()) for right in signatures(purpose, text)]
    return any(fits)


def private_token(purpose: str, seed: str) -> str:
    """Return the token of a new record's private link."""
    return ids.private_token(purpose, seed, settings().secret_keys[0])


def find_private_token(purpose: str, seed: str, stored_hash: str) -> str | None:
    """Compute the token of a record again; None if the key of its stored hash is no longer configured."""
    tokens = (ids.private_token(purpose, seed, key) for key in settings().secret_keys)
    return next((token for token in tokens if token_hash(token) == stored_hash), None)


def seal(purpose: str, text: str) -> str:
    """Encrypt `text`, with a separate key for each purpose."""
    return _cipher(settings().derived_keys(purpose)).encrypt(text.encode()).decode()


def unseal(purpose: str, sealed: str) -> str | None:
    """Decrypt a text of `seal`; None if it is invalid, or if its key is no longer configured."""
    try:
        return _cipher(settings().derived_keys(purpose)).decrypt(sealed.encode()).decode()
    except InvalidToken:
        return None


@lru_cache(maxsize=16)
def _cipher(keys: tuple[str, ...]) -> MultiFernet:
    """Return a cipher that encrypts with the first key and decrypts with any."""
    return MultiFernet([Fernet(urlsafe_b64encode(bytes.fromhex(key))) for key in keys])
