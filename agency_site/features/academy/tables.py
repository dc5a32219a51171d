"""Course runs with their sessions and history, who is enrolled, and who learns. Of orders only the id is known here.

The constraints hold what must never be: more places taken than a run has, two sessions of a run at one time, two
enrolments of one order, places kept for it twice, or two learners in one place.
"""

from datetime import datetime
from typing import ClassVar

from sqlalchemy import CheckConstraint, Index, Text, UniqueConstraint, text
from sqlmodel import Field, SQLModel

from agency_site.db.columns import address_index, choice
from agency_site.db.event_log import EventRow
from agency_site.db.leases import Leased
from agency_site.db.record_versions import Versioned
from agency_site.features.academy.rules import MaterialKind, RunStatus, WaitingState

_ENDED = text("ended_at IS NOT NULL")


class CourseRun(Versioned, table=True):
    """One dated run of a course. Its version rises with every change of it or of its sessions by staff."""

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
    """What people read, such as CR-7F3K9Q."""
    course_slug: str = Field(max_length=80)
    course_name: str = Field(max_length=120)
    status: RunStatus = choice(RunStatus, "run_status", default=RunStatus.PLANNED)
    starts_at: datetime
    ends_at: datetime
    """Of the first and the last session; until there are any, both are the planned start."""
    trainer: str = Field(default="", max_length=120)
    """The name that learners read."""
    trainer_email: str | None = Field(
        default=None, max_length=254, foreign_key="staff_accounts.email", index=True
    )
    """The staff account that sees the run as its trainer; none: nobody does."""
    room: str = Field(default="", max_length=500)
    """Address of the online room."""
    capacity: int | None = None
    """Places; none: unlimited."""
    taken: int = 0
    """Places of learners, and places that are kept for payments. Changes by statement and leaves the version."""
    price: int | None = None
    """Whole shillings a place; none: the course's own price."""
    enrol_from: datetime | None = None
    enrol_until: datetime | None = None
    search: str = Field(default="", sa_type=Text)
    created_at: datetime
    updated_at: datetime


class CourseSession(Leased, table=True):
    """One meeting of a run; `due_at` is when its next reminder is due."""

    __tablename__ = "course_sessions"
    __table_args__ = (
        UniqueConstraint("run_id", "starts_at"),
        CheckConstraint("minutes >= 1", name="minutes_positive"),
    )

    id: int | None = Field(default=None, primary_key=True)
    run_id: int = Field(foreign_key="course_runs.id", index=True)
    reference: str = Field(max_length=12, unique=True)
    """Names its entry in calendars, such as CS-7F3K9Q: no other session ever has it."""
    sequence: int = 0
    """Revision of that entry (RFC 5545 SEQUENCE): rises with every change."""
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
    """What staff have written to all learners of a run: mailed once, and shown on their pages."""

    __tablename__ = "course_run_messages"

    id: int | None = Field(default=None, primary_key=True)
    run_id: int = Field(foreign_key="course_runs.id", index=True)
    at: datetime
    author: str = Field(max_length=254)
    """The staff member's e-mail address."""
    subject: str = Field(max_length=120)
    text: str = Field(max_length=4000)


class RunMaterial(SQLModel, table=True):
    """What staff have given to all learners of a run: their pages show it."""

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


class Enrolment(SQLModel, table=True):
    """A place in a course, exactly one for a paid or free order. The row stays when the payment is refunded."""

    __tablename__ = "enrolments"
    __table_args__ = (
        Index("ix_enrolments_course_slug_created_at", "course_slug", "created_at", "id"),
        # All that reports of a span of days read of an enrolment.
        Index("ix_enrolments_created", "created_at", "id", "order_id", "course_slug", "course_name"),
        Index("ix_enrolments_ended", "created_at", "id", sqlite_where=_ENDED, postgresql_where=_ENDED),
    )

    id: int | None = Field(default=None, primary_key=True)
    order_id: int = Field(foreign_key="orders.id", unique=True)
    reference: str = Field(max_length=12, unique=True)
    """Of the order."""
    course_slug: str = Field(max_length=80)
    course_name: str = Field(max_length=120)
    run_id: int | None = Field(default=None, foreign_key="course_runs.id", index=True)
    """None: not placed in a run yet."""
    places: int = 1
    """Without those that staff have ended one by one."""
    created_at: datetime
    ended_at: datetime | None = None
    """When the places were released, because the payment was refunded or staff ended the last one."""


class Learner(Versioned, table=True):
    """Who takes one place of an enrolment. The row stays when its enrolment has ended."""

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
    """Of the place in its enrolment, from 1."""
    ended_at: datetime | None = None
    """When staff ended this place alone; the others of its enrolment go on."""
    reference: str = Field(max_length=12, unique=True)
    """What people read, such as LN-7F3K9Q."""
    fullname: str = Field(default="", max_length=161)
    """Empty: nobody is named yet, or the name is erased."""
    email: str = Field(default="", max_length=254)
    token_seed: str = Field(max_length=64)
    """Random; the private token derives from it and the secret key. Whoever takes over a place gets another."""
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
    """That a learner has completed a course, as it was when it was issued. A revoked one stays."""

    __tablename__ = "certificates"
    __table_args__ = (
        CheckConstraint("minutes >= 1", name="minutes_positive"),
        CheckConstraint("(revoked_at IS NULL) = (revoked_by = '')", name="revoked_by_somebody"),
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
    """What opens the public page and cannot be guessed, such as CT-7F3K9Q-2M4XWB-9DQRTA-4WXYGC-HJ7MNP; earlier ones have
    the first two groups only."""
    fullname: str = Field(max_length=161)
    """Empty once erased."""
    course_name: str = Field(max_length=120)
    minutes: int
    """Of the sessions that the learner has attended."""
    is_name_shown: bool = True
    """On the public page: the learner decides."""
    issued_at: datetime
    issued_by: str = Field(max_length=254)
    """The staff member's e-mail address."""
    revoked_at: datetime | None = None
    revoked_by: str = Field(default="", max_length=254)
    revoke_reason: str = Field(default="", max_length=500)
    """For staff only."""


_OPEN_ENTRY = text("state IN ('waiting', 'offered') AND order_id IS NULL AND email <> ''")
_WAITING_ORDER = text("state = 'waiting' AND order_id IS NOT NULL")


class WaitingEntry(Versioned, table=True):
    """Somebody who waits for a place in a full run, or has waited. The first is who waits longest; paid orders come before."""

    __tablename__ = "waiting_list_entries"
    __table_args__ = (
        CheckConstraint("places >= 1", name="places_positive"),
        CheckConstraint("state <> 'offered' OR reserved_until IS NOT NULL", name="offered_for_a_time"),
        Index(
            "uq_waiting_list_entries_open_email",
            "run_id",
            "email",
            unique=True,
            sqlite_where=_OPEN_ENTRY,
            postgresql_where=_OPEN_ENTRY,
        ),
        Index(
            "uq_waiting_list_entries_waiting_order",
            "order_id",
            unique=True,
            sqlite_where=_WAITING_ORDER,
            postgresql_where=_WAITING_ORDER,
        ),
        Index("ix_waiting_list_entries_run_id_state", "run_id", "state"),
        address_index("waiting_list_entries"),
        Index("ix_waiting_list_entries_created_at_id", "created_at", "id"),
    )

    id: int | None = Field(default=None, primary_key=True)
    reference: str = Field(max_length=12, unique=True)
    """What people read, such as WL-7F3K9Q."""
    run_id: int = Field(foreign_key="course_runs.id")
    order_id: int | None = Field(default=None, foreign_key="orders.id")
    """The paid order that waits for its places; none: the place is still to be bought."""
    state: WaitingState = choice(WaitingState, "waiting_state", default=WaitingState.WAITING)
    places: int = 1
    """That the person wants together."""
    fullname: str = Field(default="", max_length=161)
    email: str = Field(default="", max_length=254)
    """In small letters; empty once erased."""
    confirmed_at: datetime | None = None
    """When the person confirmed by the mailed link; None until then: no place is offered before."""
    reserved_until: datetime | None = None
    """Until when a place is, or was, kept for the person; none: it never was."""
    token_seed: str = Field(max_length=64)
    """Random; the private token derives from it and the secret key."""
    token_hash: str = Field(max_length=64, unique=True)
    search: str = Field(default="", sa_type=Text)
    created_at: datetime
    updated_at: datetime


class PlaceReservation(SQLModel, table=True):
    """Places of a run that are kept: for an order while its payment is not final, for somebody of the waiting list, or for
    the order of that person."""

    __tablename__ = "place_reservations"
    __table_args__ = (
        CheckConstraint("places >= 1", name="places_positive"),
        CheckConstraint("order_id IS NOT NULL OR entry_id IS NOT NULL", name="kept_for_somebody"),
    )

    id: int | None = Field(default=None, primary_key=True)
    order_id: int | None = Field(default=None, foreign_key="orders.id", unique=True)
    entry_id: int | None = Field(default=None, foreign_key="waiting_list_entries.id", unique=True)
    run_id: int = Field(foreign_key="course_runs.id", index=True)
    places: int
    kept_until: datetime | None = Field(default=None, index=True)
    """None: a payment is open. Otherwise the places are released then."""
