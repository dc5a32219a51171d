"""Passwords of staff: the rules for new ones, and Argon2id off the event loop."""

import asyncio
import base64
import re
import unicodedata
from collections.abc import Callable
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import TypeVar

from argon2 import PasswordHasher
from argon2.exceptions import Argon2Error, InvalidHashError

from agency_site.content.brand import BRAND
from agency_site.event_loops import PerLoop
from agency_site.form_input import fold

SHORTEST, LONGEST = 12, 200
_LEAST_DIFFERENT = 5
"""The least number of different characters."""
_AT_ONCE = 2
"""Passwords checked in parallel by one process: each check takes 64 MiB and a core."""

HASHER = PasswordHasher()
"""Argon2id with the library's parameters, which follow RFC 9106's second recommendation. Outdated hashes are replaced."""

_DIGITS = "0123456789"

Answer = TypeVar("Answer")
_turns: PerLoop[asyncio.Semaphore] = PerLoop()


def require_good_password(password: str, email: str, name: str) -> str:
    """Return the password. Raises ValueError, with a message for its field, unless it is good enough for the account."""
    if not password:
        raise ValueError("Please choose a password.")
    if len(password) < SHORTEST:
        raise ValueError(f"Please use at least {SHORTEST} characters. This one has {len(password)}.")
    if len(password) > LONGEST:
        raise ValueError(f"A password may have at most {LONGEST} characters.")
    normalised = _normalise(password)
    if normalised in _own_words(email, name):
        raise ValueError("Please choose something other than your name or e-mail address.")
    if len(set(password)) < _LEAST_DIFFERENT or _is_run(normalised) or _is_common(normalised):
        raise ValueError("This password is too common. Please choose another.")
    return password


def _is_common(normalised: str) -> bool:
    """Return whether this is a very common password, possibly repeated or with digits before or after it."""
    core = normalised.strip(_DIGITS)
    return not _common().isdisjoint({normalised, core, _period(normalised), _period(core)})


def _period(text: str) -> str:
    """Return the shortest text that gives `text` when it is repeated."""
    return text[: (text + text).index(text, 1)] if text else ""


@lru_cache(maxsize=1)
def _common() -> frozenset[str]:
    lines = Path(__file__).with_name("common_passwords.txt").read_text().splitlines()
    normalised = {_normalise(line) for line in lines if not line.startswith("#")}
    return frozenset(normalised | {word.strip(_DIGITS) for word in normalised}) - {""}


def _normalise(text: str) -> str:
    return re.sub(r"[\W_]+", "", fold(text))


def _own_words(email: str, name: str) -> set[str]:
    local, _, domain = email.partition("@")
    words = {email, local, domain, local * 2, name, name * 2, "".join(reversed(name.split())), BRAND.name}
    return {_normalise(word) for word in words} - {""}


def _is_run(text: str) -> bool:
    """Return whether the characters are consecutive, as in abcdef or 987654."""
    steps = {ord(after) - ord(before) for before, after in pairwise(text)}
    return steps in ({1}, {-1})


async def hash_password(password: str) -> str:
    return await _in_turn(lambda: HASHER.hash(_bytes(password)))


async def verify(stored_hash: str, password: str) -> bool:
    """Return whether the password matches the hash. An empty hash takes the same work, so the time reveals no account."""
    return await _in_turn(lambda: _verify(stored_hash, password))


async def rehash_if_outdated(stored_hash: str, password: str) -> str:
    """Return the hash of a verified password: the stored one, or a new one if the parameters have changed."""
    return await hash_password(password) if HASHER.check_needs_rehash(stored_hash) else stored_hash


def _verify(stored_hash: str, password: str) -> bool:
    try:
        return HASHER.verify(stored_hash or _impossible_hash(HASHER), _bytes(password)) and bool(stored_hash)
    except (Argon2Error, InvalidHashError):
        return False


def _impossible_hash(hasher: PasswordHasher) -> str:
    """Return a hash that matches no password and costs as much to verify as any other."""

    def zeros(count: int) -> str:
        return base64.b64encode(bytes(count)).decode().rstrip("=")

    cost = f"m={hasher.memory_cost},t={hasher.time_cost},p={hasher.parallelism}"
    return f"$argon2id$v=19${cost}${zeros(hasher.salt_len)}${zeros(hasher.hash_len)}"


def _bytes(password: str) -> bytes:
    # Keyboards send the same character as different code points.
    return unicodedata.normalize("NFKC", password).encode(errors="surrogatepass")


async def _in_turn(work: Callable[[], Answer]) -> Answer:
    turns = _turns.here().setdefault("argon2", asyncio.Semaphore(_AT_ONCE))
    async with turns:
        return await asyncio.to_thread(work)
