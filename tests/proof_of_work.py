"""Proofs of work as a browser makes them."""

from altcha import Challenge, Payload, solve_challenge

from agency_site.antispam import proof_of_work


def solved() -> str:
    """A proof for a challenge of this moment."""
    return answer_to(proof_of_work.new_challenge())


def answer_to(challenge: dict[str, object]) -> str:
    """The proof that a challenge asks for."""
    found = Challenge.from_dict(challenge)
    solution = solve_challenge(found)
    assert solution is not None
    return Payload(found, solution).to_base64()
