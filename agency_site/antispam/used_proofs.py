"""Which proofs were used, and for what: each lets one set of words through, however often these are sent."""

import time
from datetime import timedelta
from typing import NamedTuple

from agency_site.antispam.limiter import shared_store
from agency_site.clock import now
from agency_site.event_loops import PerLoop

SWEEP_SECONDS = 60


class Use(NamedTuple):
    """What a proof was used for."""

    words: str
    """A digest of what was sent."""
    at: float
    """When, in seconds since 1970."""


_kept: PerLoop[tuple[Use, float]] = PerLoop()
_swept: PerLoop[float] = PerLoop()


async def use_of(name: str) -> Use | None:
    """What the proof of that name was used for; none when it is new."""
    store = shared_store()
    if store is None:
        kept = _kept.here().get(name)
        return kept[0] if kept else None
    found = await store.get(_key(name))
    return _read(found) if found else None


async def use(name: str, words: str, keep: timedelta) -> Use:
    """Use the proof of that name for these words; what comes back is the use that stands, which may be an earlier one.

    It is remembered for as long as `keep` says, which must not end before the proof itself does.
    """
    mine = Use(words, now().timestamp())
    store, seconds = shared_store(), max(1, int(keep.total_seconds()))
    if store is None:
        _sweep()
        return _kept.here().setdefault(name, (mine, time.time() + seconds))[0]
    if await store.set(_key(name), f"{mine.at} {mine.words}", nx=True, ex=seconds):
        return mine
    return await use_of(name) or mine


def _key(name: str) -> str:
    return f"agency-proof:{name}"


def _read(stored: bytes | str) -> Use:
    text = stored.decode() if isinstance(stored, bytes) else stored
    at, _, words = text.partition(" ")
    return Use(words, float(at))


def _sweep() -> None:
    kept, swept, moment = _kept.here(), _swept.here(), time.time()
    if moment - swept.setdefault("at", moment) < SWEEP_SECONDS:
        return
    swept["at"] = moment
    for name in [name for name, (_, ends) in kept.items() if ends < moment]:
        del kept[name]
