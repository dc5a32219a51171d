"""Naming learners: what the buyer of places may do through the order's private link."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime

from sqlmodel import col
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.clock import now
from agency_site.errors import Conflict, FieldError, InputRejected
from agency_site.features.academy import emails
from agency_site.features.academy.attendance import forget_attendance
from agency_site.features.academy.learners import (
    EnrolledCourse,
    LearnerRecord,
    assign,
    describe_course,
    find_or_renew_token,
    list_of_order,
)
from agency_site.features.academy.request import (
    LearnerRequest,
    email_field,
    parse_learners,
    reject_repeated,
)
from agency_site.features.academy.reservations import lock_run
from agency_site.features.academy.rules import find_change_deadline
from agency_site.features.academy.tables import CourseRun, Enrolment, Learner
from agency_site.form_input import CHECK_FIELDS
from agency_site.mail.rules import Message
from agency_site.mail.usecases import enqueue, enqueue_within_limit
from agency_site.places import buyers
from agency_site.settings import settings

_NOT_PAID = "As soon as this order is paid you can say here who learns."
_ENDED = "The places of this order were given back, so nobody can be named any more."
_TOO_LATE = "It is too late to give this place to somebody else. Please call us."


@dataclass(frozen=True)
class OrderPlaces:
    """The places of an order and who takes them."""

    course: EnrolledCourse
    learners: tuple[LearnerRecord, ...]
    changes_until: datetime | None
    """Until when a named learner can be replaced; none: until the run is known."""

    @property
    def has_deadline_passed(self) -> bool:
        return self.changes_until is not None and self.changes_until <= now()


async def find_places(session: AsyncSession, token: str) -> OrderPlaces:
    """The places of the order that the private token opens. Raises NotFound, and Conflict where it has none."""
    return (await _load(session, await buyers().find_order(session, token)))[0]


async def name_learners(session: AsyncSession, token: str, form: Mapping[str, str]) -> OrderPlaces:
    """Give the places that the form names to the people in it, and mail those whom it concerns.

    Raises NotFound, Conflict where the order has no places, and InputRejected.
    """
    order_id = await buyers().find_order(session, token)
    await buyers().lock_order(session, order_id)
    await _lock_run_of(session, order_id)
    places, rows = await _load(session, order_id)
    named = parse_learners(form, len(rows))
    changed = [(row, named[row.number]) for row in rows if row.number in named]
    _reject_late(places, changed)
    reject_repeated(
        {row.number: _address(named.get(row.number)) if row.number in named else row.email for row in rows}
    )
    # Turns at mailboxes are taken in one order everywhere.
    for row, who in sorted(changed, key=lambda one: _address(one[1]).lower()):
        await _give_place(session, places.course, row, who)
    return (await _load(session, order_id))[0]


async def _lock_run_of(session: AsyncSession, order_id: int) -> None:
    """Wait for staff who change the run's sessions: they write to the learners whom they find, and no one is left out."""
    enrolment, _ = await list_of_order(session, order_id)
    if enrolment and enrolment.run_id:
        await lock_run(session, col(CourseRun.id) == enrolment.run_id)


async def confirm_first_learner(session: AsyncSession, enrolment: Enrolment) -> None:
    """Mail the dates of a new enrolment to the buyer, who has its first place."""
    _, rows = await list_of_order(session, enrolment.order_id)
    if rows[0].email:
        message = await _confirm(session, await describe_course(session, enrolment), rows[0])
        await enqueue(session, message, key=_confirmation_key(rows[0]))


async def _confirm(session: AsyncSession, course: EnrolledCourse, row: Learner) -> Message:
    token = await find_or_renew_token(session, row)
    return emails.place_confirmation(LearnerRecord.of(row), course, token)


def _confirmation_key(row: Learner) -> str:
    return f"learner-confirmed:{row.reference}:{row.version}"


async def _load(session: AsyncSession, order_id: int) -> tuple[OrderPlaces, list[Learner]]:
    enrolment, rows = await list_of_order(session, order_id)
    if enrolment is None:
        raise Conflict(_NOT_PAID)
    if enrolment.ended_at:
        raise Conflict(_ENDED)
    course = await describe_course(session, enrolment)
    starts_at = course.run.starts_at if course.run else None
    deadline = find_change_deadline(starts_at, settings().learner_changes_until_hours)
    return OrderPlaces(course, tuple(map(LearnerRecord.of, rows)), deadline), list(rows)


def _address(who: LearnerRequest | None) -> str:
    return who.email if who else ""


def _reject_late(places: OrderPlaces, changed: list[tuple[Learner, LearnerRequest | None]]) -> None:
    late = [
        FieldError(email_field(row.number), _TOO_LATE)
        for row, who in changed
        if row.email and _address(who).lower() != row.email.lower()
    ]
    if late and places.has_deadline_passed:
        raise InputRejected(CHECK_FIELDS, tuple(late))


async def _give_place(
    session: AsyncSession, course: EnrolledCourse, row: Learner, who: LearnerRequest | None
) -> None:
    before = LearnerRecord.of(row)
    if (_address(who), who.fullname if who else "") == (before.email, before.fullname):
        return
    await assign(session, row, who)
    if _address(who).lower() == before.email.lower():
        return
    await forget_attendance(session, row)
    if before.email:
        upcoming = tuple(
            replace(one, sequence=one.sequence + 1) for one in course.sessions if one.starts_at > now()
        )
        message = emails.replacement_notice(before, course, upcoming)
        await enqueue_within_limit(session, message, key=f"learner-replaced:{row.reference}:{before.version}")
    if who:
        message = await _confirm(session, course, row)
        await enqueue_within_limit(session, message, key=_confirmation_key(row))
