"""The challenge that a form's browser works on while the form is filled in."""

from typing import Any

from fastapi import APIRouter, Response
from pydantic import BaseModel

from agency_site.antispam import proofs
from agency_site.settings import settings

router = APIRouter(tags=["forms"])


class Offered(BaseModel):
    """An ALTCHA challenge, and how much time its answer has."""

    parameters: dict[str, Any]
    signature: str
    minimum: float
    """Seconds that must pass before a form with its answer is taken."""
    lifetime: int
    """Seconds after which it no longer is."""


@router.get("/api/challenge")
async def offer_challenge(response: Response) -> Offered:
    """A challenge for one sending of a form."""
    response.headers["Cache-Control"] = "no-store"
    made = proofs.challenge()
    return Offered(
        parameters=made["parameters"],
        signature=made["signature"],
        minimum=settings().form_minimum_seconds,
        lifetime=int(proofs.lifetime().total_seconds()),
    )
