"""Enrolments, learners, their attendance and certificates."""

from datetime import datetime

from sqlalchemy import CheckConstraint, Index, Text, UniqueConstraint, text
from sqlmodel import Field, SQLModel

from agency_site.db.columns import address_index
from agency_site.db.record_versions import Versioned

_ENDED = text("ended_at IS NOT NULL")


class Enrolment(SQLModel, table=True):
    """The places of a paid or free order in its course. Each order has one enrolment, which stays when it is refunded."""

    __tablename__ = "enrolments"
    __table_args__ = (
        Index("ix_enrolments_course_slug_created_at", "course_slug", "created_at", "id"),
        # Covers the reports of a span of days: they read no other columns.
        Index("ix_enrolments_created", "created_at", "id", "order_id", "course_slug", "course_name"),
        Index("ix_enrolments_ended", "created_at", "id", sqlite_where=_ENDED, postgresql_where=_ENDED),
    )

    id: int | None = Field(default=None, primary_key=True)
    order_id: int = Field(foreign_key="orders.id", unique=True)
    reference: str = Field(max_length=12, unique=True)
    """Reference of the order."""
    course_slug: str = Field(max_length=80)
    course_name: str = Field(max_length=120)
    run_id: int | None = Field(default=None, foreign_key="course_runs.id", index=True)
    """None until the learners are placed in a run."""
    places: int = 1
    """Number of places, without those that staff have ended one by one."""
    created_at: datetime
    ended_at: datetime | None = None
    """When the places were released, because the payment was refunded or staff ended the last one."""


class Learner(Versioned, table=True):
    """One place of an enrolment and the person who takes it. The row stays when the enrolment has ended."""

    __tablename__ = "learners"
    __table_args__ = (
        UniqueConstraint("enrolment_id", "number"),
        CheckConstraint("number >= 1", name="number_positive"),
        CheckConstraint("(fullname = '') = (email = '')", name="named_in_full"),
        address_index("learners"),
        Index("ix_learners_created_at_id", "created_at", "id"),
    )

    id: int | None = Field(default=None, primary_key=True)
    enrolment_id: int = Field(foreign_key="enrolments.id")
    number: int
    """Number of the place in its enrolment, from 1."""
    ended_at: datetime | None = None
    """When staff ended this place alone; the others of its enrolment go on."""
    reference: str = Field(max_length=12, unique=True)
    """The reference that people read, such as LN-7F3K9Q."""
    fullname: str = Field(default="", max_length=161)
    """Empty if no learner is named yet, or the name is erased."""
    email: str = Field(default="", max_length=254)
    phone: str = Field(default="", max_length=16, index=True)
    """In E.164; empty if the learner has given none."""
    token_seed: str = Field(max_length=64)
    """Random; the private token derives from it and the secret key. It changes when another person takes the place."""
    token_hash: str = Field(max_length=64, unique=True)
    search: str = Field(default="", sa_type=Text)
    created_at: datetime
    updated_at: datetime


class Attendance(SQLModel, table=True):
    """A learner has attended a session."""

    __tablename__ = "attendances"
    __table_args__ = (UniqueConstraint("session_id", "learner_id"),)

    id: int | None = Field(default=None, primary_key=True)
    session_id: int = Field(foreign_key="course_sessions.id")
    learner_id: int = Field(foreign_key="learners.id", index=True)
    at: datetime
    """When staff marked it."""
    author: str = Field(max_length=254)
    """The staff member's e-mail address."""


_VALID = text("revoked_at IS NULL")


class Certificate(SQLModel, table=True):
    """Confirms that a learner has completed a course. It keeps the name it was issued with; a revoked one stays."""

    __tablename__ = "certificates"
    __table_args__ = (
        CheckConstraint("minutes >= 1", name="minutes_positive"),
        CheckConstraint("(revoked_at IS NULL) = (revoked_by = '')", name="revoked_by_staff"),
        Index(
            "uq_certificates_valid_learner",
            "learner_id",
            unique=True,
            sqlite_where=_VALID,
            postgresql_where=_VALID,
        ),
    )

    id: int | None = Field(default=None, primary_key=True)
    learner_id: int = Field(foreign_key="learners.id", index=True)
    serial: str = Field(max_length=40, unique=True)
    """Opens the public page and cannot be guessed, such as CT-7F3K9Q-2M4XWB-9DQRTA-4WXYGC-HJ7MNP. Early certificates have
    the first two groups only."""
    fullname: str = Field(max_length=161)
    """Empty once erased."""
    course_name: str = Field(max_length=120)
    minutes: int
    """Total length of the sessions that the learner has attended."""
    is_name_shown: bool = True
    """Whether the public page shows the name: the learner decides."""
    issued_at: datetime
    issued_by: str = Field(max_length=254)
    """The staff member's e-mail address."""
    revoked_at: datetime | None = None
    revoked_by: str = Field(default="", max_length=254)
    revoke_reason: str = Field(default="", max_length=500)
    """For staff only."""
