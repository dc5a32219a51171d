"""What the public forms ask of a browser, and how many mails they may cause."""

from pydantic import BaseModel, Field


class FormSettings(BaseModel):
    """Protection of the forms against programs."""

    form_minimum_seconds: float = Field(
        2.0, ge=0, le=60, description="least time between the first focus in a form and its submit"
    )
    proof_minutes: int = Field(
        60, ge=2, le=1440, description="how long a proof of work counts; a browser gets another one by itself"
    )
    proof_iterations: int = Field(
        5000, ge=1, le=1_000_000, description="iterations of PBKDF2 that one try of a proof of work takes"
    )
    proof_tries: int = Field(
        80, ge=1, le=100_000, description="tries that a proof of work takes at most; half of them on average"
    )
    mails_per_recipient_hour: int = Field(
        3, ge=1, description="automatic mails of one form that an address gets within an hour"
    )
    mails_per_recipient_day: int = Field(
        8, ge=1, description="automatic mails of one form that an address gets within a day"
    )
