"""Who is enrolled in which course. Of orders only the id is known here."""

from datetime import datetime

from sqlmodel import Field, SQLModel

import agency_site.db.columns  # noqa: F401 - the naming convention of constraints


class Enrolment(SQLModel, table=True):
    """A place in a course, exactly one for a paid or free order. The row stays when the payment is refunded."""

    __tablename__ = "enrolments"

    id: int | None = Field(default=None, primary_key=True)
    order_id: int = Field(foreign_key="orders.id", unique=True)
    reference: str = Field(max_length=12, unique=True)
    """Of the order."""
    course_slug: str = Field(max_length=80, index=True)
    course_name: str = Field(max_length=120)
    places: int = 1
    created_at: datetime = Field(index=True)
    ended_at: datetime | None = None
    """When the place was released, because the payment was refunded."""
