"""The challenge that a browser solves while its form is filled in."""

from typing import Any

from fastapi import APIRouter, Response
from pydantic import BaseModel

from agency_site.antispam import proof_of_work
from agency_site.settings import settings

router = APIRouter(tags=["forms"])


class OfferedChallenge(BaseModel):
    """An ALTCHA challenge and the time limits of its solution."""

    parameters: dict[str, Any]
    signature: str
    minimum: float
    """Seconds that must pass before a form with its solution is accepted."""
    lifetime: int
    """Seconds after which it is no longer accepted."""


@router.get("/api/challenge")
async def offer_challenge(response: Response) -> OfferedChallenge:
    """A challenge for one submit of a form."""
    response.headers["Cache-Control"] = "no-store"
    made = proof_of_work.new_challenge()
    return OfferedChallenge(
        parameters=made["parameters"],
        signature=made["signature"],
        minimum=settings().form_minimum_seconds,
        lifetime=int(proof_of_work.proof_lifetime().total_seconds()),
    )
