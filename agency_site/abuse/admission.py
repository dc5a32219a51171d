"""Whether what was sent through a public form may go on to its use case."""

import hashlib
import json
from collections.abc import Mapping
from datetime import timedelta

from agency_site.abuse import proofs, spent
from agency_site.abuse.limiter import rule_of, seconds_to_wait
from agency_site.abuse.proofs import Proof
from agency_site.abuse.rules import (
    KEPT,
    KINDS,
    PROOF,
    SPENT,
    TOO_OLD,
    TRAP,
    TRAPPED,
    UNPROVEN,
    Form,
    NotAdmitted,
    too_fast,
)
from agency_site.clock import now, spoken_wait
from agency_site.errors import TooManyRequests
from agency_site.proxies import network
from agency_site.settings import settings

REPEATS = timedelta(minutes=5)
"""How long the same words may come again with the same proof, as from a double press or a connection that comes back.
Use cases know such a repeat by its words for as long (`db.once.REPEAT_WINDOW`) and store nothing twice."""
MOST_REPEATS = rule_of("10/5 minutes")
PER_RECIPIENT = rule_of("10/day")
"""What one form may do in the name of one e-mail address where each time makes a mail to it."""


async def admit(form: Form, sent: object, address: str, recipient: str = "") -> None:
    """Let `sent`, the fields of a form as the browser sent them, go on to the use case.

    `address` is where it came from. `recipient` is the e-mail address that gets mail each time, if there is one that
    nothing else protects. Raises NotAdmitted with the reason.
    """
    fields = _texts(sent)
    if fields.get(TRAP, "").strip():
        raise NotAdmitted(form, TRAPPED)
    proof = _proven(form, fields) if KINDS[form].proven else None
    words = _digest(form, fields)
    if proof is not None and (known := await spent.use_of(proof.name)):
        await _repeat(form, proof, known, words)
        return
    if proof is not None and now() - proof.issued_at > proofs.lifetime():
        raise NotAdmitted(form, TOO_OLD)
    await _count(form, network(address) or "unknown", recipient)
    if proof is not None:
        standing = await spent.use(proof.name, words, proofs.lifetime() + REPEATS)
        if standing.words != words:
            raise NotAdmitted(form, SPENT)


async def admit_recipient(form: Form, recipient: str) -> None:
    """Let one more thing be done in the name of the e-mail address `recipient`, whichever way it came: as a form or as JSON.

    Raises TooManyRequests.
    """
    key = _key_of(recipient)
    wait = await seconds_to_wait(PER_RECIPIENT, "recipient", form, key) if key else None
    if wait is not None:
        raise TooManyRequests(
            f"Too many {KINDS[form].things} with this e-mail address today. "
            f"Please try again in {spoken_wait(wait)}, or call us.",
            wait,
        )


def _texts(sent: object) -> dict[str, str]:
    if not isinstance(sent, Mapping):
        return {}
    return {str(name): value for name, value in sent.items() if isinstance(value, str)}


def _proven(form: Form, fields: Mapping[str, str]) -> Proof:
    proof = proofs.read(fields.get(PROOF, ""))
    if proof is None:
        raise NotAdmitted(form, UNPROVEN)
    least = settings().form_minimum_seconds
    if now() - proof.issued_at < timedelta(seconds=least):
        raise NotAdmitted(form, too_fast(least))
    return proof


async def _repeat(form: Form, proof: Proof, known: spent.Use, words: str) -> None:
    """The same words again, or other words with a proof that is used up."""
    if known.words != words or now().timestamp() - known.at > REPEATS.total_seconds():
        raise NotAdmitted(form, SPENT)
    wait = await seconds_to_wait(MOST_REPEATS, "again", proof.name)
    if wait is not None:
        raise NotAdmitted(form, SPENT)


async def _count(form: Form, address: str, recipient: str) -> None:
    things = KINDS[form].things
    wait = await seconds_to_wait(rule_of(settings().sends_limit), "send", form, address)
    if wait is not None:
        raise NotAdmitted(
            form, f"Too many {things} from your connection. Please try again in {spoken_wait(wait)}. {KEPT}"
        )
    try:
        await admit_recipient(form, recipient)
    except TooManyRequests as full:
        raise NotAdmitted(form, f"{full.message} {KEPT}") from None
    limit = rule_of(settings().whole_form_limit)
    wait = await seconds_to_wait(limit, "form", form) if KINDS[form].proven else None
    if wait is not None:
        raise NotAdmitted(
            form,
            f"We are getting unusually many {things} just now. Please try again in {spoken_wait(wait)}, "
            f"or call us. {KEPT}",
        )


def _key_of(recipient: str) -> str:
    """What is counted for an e-mail address: anybody may send anything as one, and the count need not know it."""
    folded = recipient.strip().lower()
    return hashlib.sha256(folded.encode(errors="replace")).hexdigest()[:32] if folded else ""


def _digest(form: Form, fields: Mapping[str, str]) -> str:
    words = sorted((name, text) for name, text in fields.items() if name != PROOF)
    return hashlib.sha256(json.dumps([form, words]).encode()).hexdigest()
