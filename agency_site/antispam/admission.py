"""Whether what was sent through a public form may go on to its use case."""

import hashlib
import json
from collections.abc import Mapping
from datetime import timedelta

from agency_site.antispam import proofs, used_proofs
from agency_site.antispam.limiter import rule_of, seconds_to_wait
from agency_site.antispam.proofs import Proof
from agency_site.antispam.rules import (
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
from agency_site.client_address import UNKNOWN, client_network, wide_network
from agency_site.clock import now, spoken_wait
from agency_site.email_addresses import mailbox_of
from agency_site.errors import TooManyRequests
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
    if proof is not None and (known := await used_proofs.use_of(proof.name)):
        await _repeat(form, proof, known, words)
        return
    if proof is not None and now() - proof.issued_at > proofs.lifetime():
        raise NotAdmitted(form, TOO_OLD)
    await _count(form, address, recipient)
    if proof is not None:
        standing = await used_proofs.use(proof.name, words, proofs.lifetime() + REPEATS)
        if standing.words != words:
            raise NotAdmitted(form, SPENT)


async def admit_one_more(form: Form, address: str, recipient: str = "") -> None:
    """Let one more thing be done, whichever way it came: as a form or as JSON.

    `address` is where it came from, `recipient` the e-mail address in whose name it is done. Raises TooManyRequests.
    """
    await _count_network(form, address)
    key = _key_of(recipient)
    wait = await seconds_to_wait(PER_RECIPIENT, "recipient", form, key) if key else None
    if wait is not None:
        raise _too_many(form, "with this e-mail address today", wait)


async def _count_network(form: Form, address: str) -> None:
    """Keep one network from taking what is there for everybody, such as the calendar."""
    limits = {Form.BOOKING: settings().bookings_limit, Form.PAYMENT: settings().payments_limit}
    if form not in limits:
        return
    network = wide_network(address) or UNKNOWN
    wait = await seconds_to_wait(rule_of(limits[form]), "network", form, network)
    if wait is not None:
        raise _too_many(form, "from your network today", wait)


def _too_many(form: Form, whose: str, wait: int) -> TooManyRequests:
    message = f"Too many {KINDS[form].things} {whose}. Please try again in {spoken_wait(wait)}, or call us."
    return TooManyRequests(message, wait)


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


async def _repeat(form: Form, proof: Proof, known: used_proofs.Use, words: str) -> None:
    """The same words again, or other words with a proof that is used up."""
    if known.words != words or now().timestamp() - known.at > REPEATS.total_seconds():
        raise NotAdmitted(form, SPENT)
    wait = await seconds_to_wait(MOST_REPEATS, "again", proof.name)
    if wait is not None:
        raise NotAdmitted(form, SPENT)


async def _count(form: Form, address: str, recipient: str) -> None:
    things = KINDS[form].things
    wait = await seconds_to_wait(rule_of(settings().sends_limit), "send", form, client_network(address))
    if wait is not None:
        raise NotAdmitted(
            form, f"Too many {things} from your connection. Please try again in {spoken_wait(wait)}. {KEPT}"
        )
    try:
        await admit_one_more(form, address, recipient)
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
    mailbox = mailbox_of(recipient)
    return hashlib.sha256(mailbox.encode(errors="replace")).hexdigest()[:32] if mailbox else ""


def _digest(form: Form, fields: Mapping[str, str]) -> str:
    words = sorted((name, text) for name, text in fields.items() if name != PROOF)
    return hashlib.sha256(json.dumps([form, words]).encode()).hexdigest()
