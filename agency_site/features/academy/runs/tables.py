"""Course runs with their sessions, history, messages and materials.

The database refuses more taken places than a run has, and two sessions of a run at the same time.
"""

from datetime import datetime
from typing import ClassVar

from sqlalchemy import CheckConstraint, Index, Text, UniqueConstraint
from sqlmodel import Field, SQLModel

from agency_site.db.columns import choice
from agency_site.db.event_log import EventRow
from agency_site.db.leases import Leased
from agency_site.db.record_versions import Versioned
from agency_site.features.academy.runs.rules import MaterialKind, RunStatus


class CourseRun(Versioned, table=True):
    """One dated run of a course. Its version rises when staff change it or its sessions."""

    __tablename__ = "course_runs"
    __table_args__ = (
        CheckConstraint("capacity IS NULL OR capacity >= 1", name="capacity_positive"),
        CheckConstraint("taken >= 0", name="taken_not_negative"),
        CheckConstraint("capacity IS NULL OR taken <= capacity", name="taken_within_capacity"),
        CheckConstraint("price IS NULL OR price >= 1", name="price_positive"),
        CheckConstraint("starts_at <= ends_at", name="ends_after_start"),
        Index("ix_course_runs_starts_at_id", "starts_at", "id"),
        Index("ix_course_runs_course_slug_starts_at", "course_slug", "starts_at"),
    )

    id: int | None = Field(default=None, primary_key=True)
    reference: str = Field(max_length=12, unique=True)
    """The reference that people read, such as CR-7F3K9Q."""
    course_slug: str = Field(max_length=80)
    course_name: str = Field(max_length=120)
    status: RunStatus = choice(RunStatus, "run_status", default=RunStatus.PLANNED)
    starts_at: datetime
    ends_at: datetime
    """Start of the first session, and end of the last. Both are the planned start until there are sessions."""
    trainer: str = Field(default="", max_length=120)
    """The trainer's name for learners."""
    trainer_email: str | None = Field(
        default=None, max_length=254, foreign_key="staff_accounts.email", index=True
    )
    """The staff account that sees the run as its trainer; None if the trainer has no account."""
    room: str = Field(default="", max_length=500)
    """Address of the online room."""
    capacity: int | None = None
    """Number of places; None if there is no limit."""
    taken: int = 0
    """Places of learners, and places that are kept. An UPDATE counts it, so that sales leave the version as it is."""
    price: int | None = None
    """Price per place in whole shillings; None for the course's own price."""
    enrol_from: datetime | None = None
    enrol_until: datetime | None = None
    search: str = Field(default="", sa_type=Text)
    created_at: datetime
    updated_at: datetime


class CourseSession(Leased, table=True):
    """One meeting of a run; `due_at` is when its next reminder is due."""

    __tablename__ = "course_sessions"
    longest_pause = None
    __table_args__ = (
        UniqueConstraint("run_id", "starts_at"),
        CheckConstraint("minutes >= 1", name="minutes_positive"),
    )

    id: int | None = Field(default=None, primary_key=True)
    run_id: int = Field(foreign_key="course_runs.id", index=True)
    reference: str = Field(max_length=12, unique=True)
    """Identifies its entry in calendars, such as CS-7F3K9Q. No other session ever gets it."""
    sequence: int = 0
    """Revision of that calendar entry (SEQUENCE of RFC 5545). It rises with every change."""
    starts_at: datetime
    minutes: int
    topic: str = Field(default="", max_length=200)
    created_at: datetime
    updated_at: datetime


class RunEvent(EventRow, table=True):
    """One event of a run."""

    __tablename__ = "course_run_events"
    record_column: ClassVar[str] = "run_id"

    run_id: int = Field(foreign_key="course_runs.id", index=True)
    what: str = Field(max_length=24)
    before: str = Field(default="", max_length=40)
    after: str = Field(default="", max_length=40)
    note: str = Field(default="", max_length=500)


class RunMessage(SQLModel, table=True):
    """A message of staff to all learners of a run. It is mailed once, and shown on their pages."""

    __tablename__ = "course_run_messages"

    id: int | None = Field(default=None, primary_key=True)
    run_id: int = Field(foreign_key="course_runs.id", index=True)
    at: datetime
    author: str = Field(max_length=254)
    """The staff member's e-mail address."""
    subject: str = Field(max_length=120)
    text: str = Field(max_length=4000)


class RunMaterial(SQLModel, table=True):
    """A handout or a recording that staff have added for all learners of a run."""

    __tablename__ = "course_run_materials"
    __table_args__ = (UniqueConstraint("run_id", "address"),)

    id: int | None = Field(default=None, primary_key=True)
    run_id: int = Field(foreign_key="course_runs.id")
    kind: MaterialKind = choice(MaterialKind, "material_kind")
    title: str = Field(max_length=120)
    address: str = Field(max_length=500)
    """Begins with https://."""
    added_at: datetime
    added_by: str = Field(max_length=254)
    """The staff member's e-mail address."""
