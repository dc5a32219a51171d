"""The academy: naming and replacing learners."""

from pydantic import BaseModel, Field


class AcademySettings(BaseModel):
    """How buyers and learners deal with their places."""

    learner_changes_until_hours: int = Field(
        24,
        ge=0,
        description="hours before the start until which a buyer can give a learner's place to somebody else",
    )
