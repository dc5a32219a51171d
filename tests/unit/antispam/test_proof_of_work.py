"""Proofs of work: only an answer to a challenge of ours is one, and nothing that anybody sends breaks reading it."""

import base64
import json
from collections.abc import Callable
from datetime import datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agency_site import clock
from agency_site.antispam import proof_of_work
from agency_site.antispam.api import offer_challenge
from agency_site.settings import Settings
from agency_site.settings.site import DEFAULT_SECRET
from tests.proof_of_work import answer_to, solved

Configure = Callable[..., Settings]

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=9), inner, max_size=3),
    max_leaves=8,
)
PARTS = ("algorithm", "nonce", "salt", "cost", "keyLength", "keyPrefix", "keySignature", "data")


@pytest.fixture(autouse=True)
def easy(configure: Configure) -> None:
    """Challenges that take no time."""
    configure(proof_tries=3, proof_iterations=1)


def packed(payload: object) -> str:
    return base64.b64encode(json.dumps(payload).encode()).decode()


def unpacked(proof: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(base64.b64decode(proof))
    return found


def test_an_answer_says_which_challenge_it_is_for_and_when_that_was_made(noon: datetime) -> None:
    challenge = proof_of_work.new_challenge()
    assert proof_of_work.read_proof(answer_to(challenge)) == proof_of_work.Proof(
        challenge["parameters"]["nonce"], noon
    )


def test_no_two_challenges_are_the_same() -> None:
    names = [proof_of_work.read_proof(solved()) for _ in range(20)]
    assert len({proof.name for proof in names if proof}) == 20


def test_another_secret_key_knows_none_of_our_answers(configure: Configure) -> None:
    proof = solved()
    assert proof_of_work.read_proof(proof)
    configure(proof_tries=3, proof_iterations=1, secret_key="another secret altogether")
    assert proof_of_work.read_proof(proof) is None


def test_an_answer_that_was_begun_before_the_key_was_rotated_still_counts(configure: Configure) -> None:
    proof = solved()
    new = {"secret_key": "k" * 40, "old_secret_keys": DEFAULT_SECRET}
    configure(proof_tries=3, proof_iterations=1, **new)
    assert proof_of_work.read_proof(proof)
    assert proof_of_work.read_proof(solved())


def test_an_answer_that_is_not_the_one_asked_for_is_none() -> None:
    payload = unpacked(solved())
    key = payload["solution"]["derivedKey"]
    payload["solution"]["derivedKey"] = ("1" if key[0] == "0" else "0") + key[1:]
    assert proof_of_work.read_proof(packed(payload)) is None


def test_what_is_signed_cannot_be_changed() -> None:
    proof = unpacked(solved())
    for part in PARTS:
        changed = json.loads(json.dumps(proof))
        changed["challenge"]["parameters"][part] = {"issued": 1} if part == "data" else "1"
        assert proof_of_work.read_proof(packed(changed)) is None, part
    for missing in ("challenge", "solution"):
        assert (
            proof_of_work.read_proof(packed({name: one for name, one in proof.items() if name != missing}))
            is None
        )


def test_the_work_is_as_heavy_as_settings_say(configure: Configure) -> None:
    configure(proof_tries=40, proof_iterations=7)
    counters = []
    for _ in range(200):
        payload = unpacked(solved())
        assert payload["challenge"]["parameters"]["cost"] == 7
        counters.append(payload["solution"]["counter"])
    assert max(counters) < 40
    assert 12 < sum(counters) / len(counters) < 28


@given(st.text(max_size=200) | st.binary(max_size=200).map(lambda junk: base64.b64encode(junk).decode()))
def test_text_that_is_no_proof_is_none(text: str) -> None:
    assert proof_of_work.read_proof(text) is None


@given(JSON)
def test_json_that_is_no_proof_is_none(junk: object) -> None:
    assert proof_of_work.read_proof(packed(junk)) is None
    assert proof_of_work.read_proof(packed({"challenge": junk, "solution": junk})) is None
    assert (
        proof_of_work.read_proof(
            packed({"challenge": {"parameters": junk, "signature": junk}, "solution": junk})
        )
        is None
    )


@given(st.sampled_from((("challenge", "parameters"), ("challenge",), ("solution",))), st.data())
def test_a_proof_with_one_part_that_is_something_else_is_none_and_breaks_nothing(
    path: tuple[str, ...], data: st.DataObject
) -> None:
    payload = unpacked(KNOWN)
    inner = payload
    for name in path:
        inner = inner[name]
    part = data.draw(st.sampled_from(sorted(inner)))
    before, inner[part] = inner[part], data.draw(JSON)
    read = proof_of_work.read_proof(packed(payload))
    # Duration and number of attempts are not checked: only the key is.
    assert read is None or inner[part] == before or part in ("time", "counter")


def test_a_proof_that_is_too_long_is_not_checked() -> None:
    proof = solved()
    assert proof_of_work.read_proof(proof + " " * proof_of_work.MAX_LENGTH) is None


async def test_the_offer_carries_what_the_browser_has_to_mind(configure: Configure) -> None:
    from fastapi import Response

    configure(proof_tries=3, proof_iterations=1, form_minimum_seconds=1.5, proof_minutes=9)
    answer = Response()
    offered = await offer_challenge(answer)
    assert (offered.minimum, offered.lifetime) == (1.5, 540)
    assert answer.headers["cache-control"] == "no-store"
    assert proof_of_work.read_proof(
        answer_to({"parameters": offered.parameters, "signature": offered.signature})
    )


with clock.frozen(clock.now()):
    KNOWN = answer_to(proof_of_work.new_challenge())
