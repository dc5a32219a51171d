"""Proof of work after ALTCHA: a signed challenge that is not stored, and the solution that a browser finds to it.

The solution is a number whose PBKDF2 result has the prefix that the challenge gives. The challenge also contains a keyed
hash of the whole result, so that verifying a solution takes two hashes, whatever finding it cost. A proof admits one set
of values of a form, however often these are sent.
"""

import secrets
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

from altcha import Payload, create_challenge, verify_solution

from agency_site.antispam.limiter import RedisAway, ask_redis, shared_store
from agency_site.clock import now
from agency_site.event_loops import PerLoop
from agency_site.settings import settings

_ALGORITHM = "PBKDF2/SHA-256"
MAX_LENGTH = 4096
"""Characters; a valid proof has about 800."""
_ISSUED = "issued"
"""Key of the signed time of the challenge, in ms since 1970."""


@dataclass(frozen=True)
class Proof:
    """A verified solution of one of our challenges."""

    name: str
    """The nonce of the challenge, which is unique."""
    issued_at: datetime


def new_challenge() -> dict[str, Any]:
    """A challenge for browsers: ALTCHA's `parameters` and `signature`."""
    chosen = settings()
    made = create_challenge(
        _ALGORITHM,
        chosen.proof_iterations,
        # From the whole range: a client cannot skip the first tries.
        counter=secrets.randbelow(chosen.proof_tries),
        data={_ISSUED: int(now().timestamp() * 1000)},
        hmac_secret=chosen.derived_key("proof"),
        hmac_key_secret=chosen.derived_key("proof-result"),
    )
    return made.to_dict()


def read_proof(text: str) -> Proof | None:
    """The proof that a browser sent; None when it is malformed or solves no challenge of ours."""
    if not 0 < len(text) <= MAX_LENGTH:
        return None
    try:
        payload = Payload.from_base64(text)
        found = _verify(payload)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        # The library raises these for malformed input.
        return None
    if not found:
        return None
    # Signed, so the values are ours.
    signed = payload.challenge.parameters
    assert signed.data is not None
    return Proof(signed.nonce, datetime.fromtimestamp(signed.data[_ISSUED] / 1000, UTC))


def _verify(payload: Payload) -> bool:
    chosen = settings()
    keys = zip(chosen.derived_keys("proof"), chosen.derived_keys("proof-result"), strict=True)
    return any(verify_solution(payload, key, hmac_key_secret=result).verified for key, result in keys)


def proof_lifetime() -> timedelta:
    """How long after its challenge a proof is valid."""
    return timedelta(minutes=settings().proof_minutes)


_SWEEP_SECONDS = 60


class Use(NamedTuple):
    """The use of a proof."""

    digest: str
    """Of the values that were sent."""
    at: float
    """When, in seconds since 1970."""


_kept: PerLoop[tuple[Use, float]] = PerLoop()
_swept: PerLoop[float] = PerLoop()


async def find_use(name: str) -> Use | None:
    """The use of the proof of that name; None when it is unused."""
    store = shared_store()
    with suppress(RedisAway):
        if store is not None:
            found = await ask_redis(lambda: store.get(_key(name)))
            return _parse_use(found) if found else None
    return _find_kept(name)


def _find_kept(name: str) -> Use | None:
    kept = _kept.here().get(name)
    return kept[0] if kept and now().timestamp() < kept[1] else None


async def record_use(name: str, digest: str, keep: timedelta) -> Use:
    """Record the use of a proof for these values; the recorded use, which may be an earlier one.

    The record is kept for `keep`, which must not end before the proof expires.
    """
    mine = Use(digest, now().timestamp())
    store, seconds = shared_store(), max(1, int(keep.total_seconds()))
    with suppress(RedisAway):
        if store is not None:
            value = f"{mine.at} {mine.digest}"
            if await ask_redis(lambda: store.set(_key(name), value, nx=True, ex=seconds)):
                return mine
            return await find_use(name) or mine
    _sweep()
    if earlier := _find_kept(name):
        return earlier
    _kept.here()[name] = (mine, mine.at + seconds)
    return mine


def _key(name: str) -> str:
    return f"agency-proof:{name}"


def _parse_use(stored: bytes | str) -> Use:
    text = stored.decode() if isinstance(stored, bytes) else stored
    at, _, digest = text.partition(" ")
    return Use(digest, float(at))


def _sweep() -> None:
    kept, swept, moment = _kept.here(), _swept.here(), now().timestamp()
    if moment - swept.setdefault("at", moment) < _SWEEP_SECONDS:
        return
    swept["at"] = moment
    for name in [name for name, (_, ends) in kept.items() if ends < moment]:
        del kept[name]
