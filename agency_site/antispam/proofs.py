"""Proofs of work after ALTCHA: a challenge that we sign and forget, and the answer that a browser finds to it.

The answer is a number: PBKDF2 over it must begin as the challenge says. The challenge also carries a keyed hash of the
whole result, so that looking at an answer costs us two hashes, whatever finding it cost.
"""

import secrets
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from altcha import Payload, create_challenge, verify_solution

from agency_site.clock import now
from agency_site.settings import settings

ALGORITHM = "PBKDF2/SHA-256"
LONGEST = 4096
"""Characters; a proof of ours has about 800."""
ISSUED = "issued"
"""The moment of the challenge in ms since 1970, inside what is signed."""


@dataclass(frozen=True)
class Proof:
    """An answer to one of our challenges."""

    name: str
    """Of the challenge; no two have the same."""
    issued_at: datetime


def challenge() -> dict[str, Any]:
    """A new challenge as browsers get it: ALTCHA's `parameters` and `signature`."""
    chosen = settings()
    made = create_challenge(
        ALGORITHM,
        chosen.proof_iterations,
        # From the whole range: whoever knows the program cannot begin further up.
        counter=secrets.randbelow(chosen.proof_tries),
        data={ISSUED: int(now().timestamp() * 1000)},
        hmac_secret=chosen.derived_key("proof"),
        hmac_key_secret=chosen.derived_key("proof-result"),
    )
    return made.to_dict()


def read(text: str) -> Proof | None:
    """The proof that a browser sent; none when it is not one, or not to a challenge of ours."""
    if not 0 < len(text) <= LONGEST:
        return None
    try:
        payload = Payload.from_base64(text)
        found = _verify(payload)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        # The library reads what anybody may send.
        return None
    if not found:
        return None
    # Signed, so these are our own words.
    signed = payload.challenge.parameters
    assert signed.data is not None
    return Proof(signed.nonce, datetime.fromtimestamp(signed.data[ISSUED] / 1000, UTC))


def _verify(payload: Payload) -> bool:
    chosen = settings()
    keys = zip(chosen.derived_keys("proof"), chosen.derived_keys("proof-result"), strict=True)
    return any(verify_solution(payload, key, hmac_key_secret=result).verified for key, result in keys)


def lifetime() -> timedelta:
    """How long after its challenge a proof counts."""
    return timedelta(minutes=settings().proof_minutes)
