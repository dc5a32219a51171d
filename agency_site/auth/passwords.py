"""Passwords of staff: which are good enough, and Argon2id off the event loop."""

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
"""Different characters; fewer make a rhythm, not a password."""
_AT_ONCE = 2
"""Passwords checked side by side in one process: each takes 64 MiB and a core for as long as it lasts."""

HASHER = PasswordHasher()
"""Argon2id with the library's parameters, which follow RFC 9106's second recommendation. Old hashes are renewed."""

_DIGITS = "0123456789"

Answer = TypeVar("Answer")
_turns: PerLoop[asyncio.Semaphore] = PerLoop()


def judged(password: str, email: str, name: str) -> str:
    """The password, if it is good enough for the account; raises ValueError with words fit for its field."""
    if not password:
        raise ValueError("Please choose a password.")
    if len(password) < SHORTEST:
        raise ValueError(f"Please use at least {SHORTEST} characters. This one has {len(password)}.")
    if len(password) > LONGEST:
        raise ValueError(f"A password may have at most {LONGEST} characters.")
    bare = _bare(password)
    if bare in _own_words(email, name):
        raise ValueError("Please choose something other than your name or e-mail address.")
    if len(set(password)) < _LEAST_DIFFERENT or _is_run(bare) or _is_common(bare):
        raise ValueError("This password is too common. Please choose another.")
    return password


def _is_common(bare: str) -> bool:
    """Whether this is one of the commonest passwords, also said several times or with digits before or after it."""
    core = bare.strip(_DIGITS)
    return not _common().isdisjoint({bare, core, _period(bare), _period(core)})


def _period(text: str) -> str:
    """The shortest text that gives `text` when it is repeated."""
    return text[: (text + text).index(text, 1)] if text else ""


@lru_cache(maxsize=1)
def _common() -> frozenset[str]:
    lines = Path(__file__).with_name("common_passwords.txt").read_text().splitlines()
    bare = {_bare(line) for line in lines if not line.startswith("#")}
    return frozenset(bare | {word.strip(_DIGITS) for word in bare}) - {""}


def _bare(text: str) -> str:
    return re.sub(r"[\W_]+", "", fold(text))


def _own_words(email: str, name: str) -> set[str]:
    local, _, domain = email.partition("@")
    words = {email, local, domain, local * 2, name, name * 2, "".join(reversed(name.split())), BRAND.name}
    return {_bare(word) for word in words} - {""}


def _is_run(text: str) -> bool:
    """Whether each character follows the one before, as in abcdef or 987654."""
    steps = {ord(after) - ord(before) for before, after in pairwise(text)}
    return steps in ({1}, {-1})


async def hashed(password: str) -> str:
    """What is stored of a password."""
    return await _in_turn(lambda: HASHER.hash(_bytes(password)))


async def verify(stored: str, password: str) -> bool:
    """Whether the password is the stored one. Without a stored one the answer is no, after the same work."""
    return await _in_turn(lambda: _verify(stored, password))


async def renewed(stored: str, password: str) -> str:
    """The hash of a password that was verified: the stored one, or a new one when the parameters have changed."""
    return await hashed(password) if HASHER.check_needs_rehash(stored) else stored


def _verify(stored: str, password: str) -> bool:
    try:
        return HASHER.verify(stored or _nobodys(HASHER), _bytes(password)) and bool(stored)
    except (Argon2Error, InvalidHashError):
        return False


def _nobodys(hasher: PasswordHasher) -> str:
    """A hash that no password has, with the parameters of all others."""

    def zeros(count: int) -> str:
        return base64.b64encode(bytes(count)).decode().rstrip("=")

    cost = f"m={hasher.memory_cost},t={hasher.time_cost},p={hasher.parallelism}"
    return f"$argon2id$v=19${cost}${zeros(hasher.salt_len)}${zeros(hasher.hash_len)}"


def _bytes(password: str) -> bytes:
    # The same letters come in different code points from different keyboards.
    return unicodedata.normalize("NFKC", password).encode(errors="surrogatepass")


async def _in_turn(work: Callable[[], Answer]) -> Answer:
    turns = _turns.here().setdefault("argon2", asyncio.Semaphore(_AT_ONCE))
    async with turns:
        return await asyncio.to_thread(work)
