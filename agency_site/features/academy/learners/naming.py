"""Naming the learners of an order: by the buyer through the order's private link, and by staff."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from sqlmodel import col
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.clock import now
from agency_site.errors import Conflict, FieldError, InputRejected, StaleRecord
from agency_site.features.academy.learners import emails
from agency_site.features.academy.learners.attendance import delete_attendance
from agency_site.features.academy.learners.records import has_valid_certificate
from agency_site.features.academy.learners.request import (
    LearnerRequest,
    email_field,
    parse_learners,
    reject_repeated,
)
from agency_site.features.academy.learners.rules import LearnerChange, find_change_deadline, is_same_person
from agency_site.features.academy.learners.tables import Enrolment, Learner
from agency_site.features.academy.learners.texts import LearnerText
from agency_site.features.academy.learners.usecases import (
    PLACE_ENDED,
    EnrolledCourse,
    LearnerRecord,
    assign_place,
    describe_course,
    find_learner_row,
    find_or_renew_token,
    list_learners_of_order,
)
from agency_site.features.academy.runs.records import lock_run
from agency_site.features.academy.runs.tables import CourseRun
from agency_site.form_input import CHECK_FIELDS
from agency_site.mail.usecases import enqueue, enqueue_within_limit, list_recent_recipients
from agency_site.notices.rules import NoticeKind
from agency_site.notices.usecases import EnqueueMail, Notice, notify
from agency_site.places import buyers
from agency_site.settings import settings
from agency_site.sms.usecases import give_consent

_NOT_PAID = "You can name the learners here as soon as this order is paid."

_ENDED = "The places of this order have ended, so learners can no longer be named."

_TOO_LATE = "It is too late to give this place to another person: please call us. You can still correct a name or an address."

_TOO_MANY = (
    "Too many different addresses were entered for this order today. Please continue tomorrow, or call us."
)

_CERTIFIED = (
    "This learner has a certificate, so no other person can take the place. "
    "Please revoke it first, or correct the name or the address instead."
)

_TAKEN_TWICE = "Another place of this order already has this address."


@dataclass(frozen=True)
class OrderPlaces:
    """The places of an order with their learners."""

    course: EnrolledCourse
    learners: tuple[LearnerRecord, ...]
    changes_until: datetime | None
    """End of the time in which a named learner can be replaced; None while the order has no run."""

    @property
    def has_deadline_passed(self) -> bool:
        return self.changes_until is not None and self.changes_until <= now()


async def find_places(session: AsyncSession, token: str) -> OrderPlaces:
    """Return the places of the order of a private token. Raises NotFound, and Conflict if it has none."""
    return (await _load_places(session, await buyers().find_order_id(session, token)))[0]


async def name_learners(session: AsyncSession, token: str, form: Mapping[str, str]) -> OrderPlaces:
    """Give the places in the form to the people in it. Mail new learners, and learners who lose their place.

    Raises NotFound, Conflict if the order has no places, and InputRejected.
    """
    order_id = await buyers().find_order_id(session, token)
    await buyers().lock_order(session, order_id)
    await _lock_run_of(session, order_id)
    places, rows = await _load_places(session, order_id)
    named = parse_learners(form, [row.number for row in rows])
    changed = [(row, named[row.number]) for row in rows if row.number in named]
    _reject_late(places, changed)
    await _reject_many(session, rows, changed)
    reject_repeated(
        {row.number: _address_of(named.get(row.number)) if row.number in named else row.email for row in rows}
    )
    # Mail limits lock mailboxes: a fixed order of addresses rules out deadlocks with other orders.
    for row, person in sorted(changed, key=lambda change: _address_of(change[1]).lower()):
        await _give_place(session, places.course, row, person)
    for number in sorted({person.phone for _, person in changed if person and person.sms_reminders}):
        await give_consent(session, number)
    return (await _load_places(session, order_id))[0]


async def _lock_run_of(session: AsyncSession, order_id: int) -> None:
    """Lock the order's run. Staff who change its sessions hold the same lock, so that their mail reaches new learners too."""
    enrolment, _ = await list_learners_of_order(session, order_id)
    if enrolment and enrolment.run_id:
        await lock_run(session, col(CourseRun.id) == enrolment.run_id)


async def confirm_first_learner(session: AsyncSession, enrolment: Enrolment) -> None:
    """Mail the dates to the buyer, who has the first place of a new enrolment.

    There is no text message about it: the buyer has just got the one about the order.
    """
    _, rows = await list_learners_of_order(session, enrolment.order_id)
    if rows[0].email:
        confirmation = await _build_confirmation(session, await describe_course(session, enrolment), rows[0])
        await notify(session, replace(confirmation, text=None))


async def _build_confirmation(session: AsyncSession, course: EnrolledCourse, row: Learner) -> Notice:
    token, learner = await find_or_renew_token(session, row), LearnerRecord.of(row)
    mail = emails.place_confirmation(learner, course, token)
    text = LearnerText(NoticeKind.PLACE_NAMED, emails.CONFIRMED).address(learner, course, token)
    return Notice(NoticeKind.PLACE_NAMED, f"learner-confirmed:{row.reference}:{row.version}", mail, text)


async def _load_places(session: AsyncSession, order_id: int) -> tuple[OrderPlaces, list[Learner]]:
    enrolment, rows = await list_learners_of_order(session, order_id)
    if enrolment is None:
        raise Conflict(_NOT_PAID)
    if enrolment.ended_at:
        raise Conflict(_ENDED)
    course = await describe_course(session, enrolment)
    starts_at = course.run.starts_at if course.run else None
    deadline = find_change_deadline(starts_at, settings().learner_changes_until_hours)
    return OrderPlaces(course, tuple(map(LearnerRecord.of, rows)), deadline), list(rows)


def _address_of(person: LearnerRequest | None) -> str:
    return person.email if person else ""


def _goes_to_another_person(row: Learner, person: LearnerRequest | None) -> bool:
    """Return whether a named learner is replaced by another person, and not only corrected."""
    if not row.email:
        return False
    return person is None or not is_same_person(row.fullname, row.email, person.fullname, person.email)


def _reject_late(places: OrderPlaces, changed: list[tuple[Learner, LearnerRequest | None]]) -> None:
    late = [
        FieldError(email_field(row.number), _TOO_LATE)
        for row, person in changed
        if _goes_to_another_person(row, person)
    ]
    if late and places.has_deadline_passed:
        raise InputRejected(CHECK_FIELDS, tuple(late))


async def _reject_many(
    session: AsyncSession, rows: list[Learner], changed: list[tuple[Learner, LearnerRequest | None]]
) -> None:
    """Raise InputRejected if the order would have mailed too many different addresses within a day."""
    new = [
        (row, _address_of(person))
        for row, person in changed
        if person and person.email.lower() != row.email.lower()
    ]
    if not new:
        return
    references = [row.reference for row in rows]
    recent = await list_recent_recipients(session, emails.CONFIRMED, references, timedelta(days=1))
    addresses = recent | {address.lower() for _, address in new}
    if len(addresses) > len(rows) + settings().learner_changes_per_day:
        errors = [FieldError(email_field(row.number), _TOO_MANY) for row, _ in new]
        raise InputRejected(_TOO_MANY, tuple(errors))


async def _give_place(
    session: AsyncSession, course: EnrolledCourse, row: Learner, person: LearnerRequest | None
) -> None:
    """Change the learner of a place for the buyer. Mail limits apply, as buyers can enter any address."""
    await _change_place(
        session, course, row, person, _find_change(row, person), enqueue_mail=enqueue_within_limit
    )


def _find_change(row: Learner, person: LearnerRequest | None) -> LearnerChange:
    is_given = not row.email or _goes_to_another_person(row, person)
    return LearnerChange.HANDOVER if is_given else LearnerChange.CORRECTION


async def _change_place(
    session: AsyncSession,
    course: EnrolledCourse,
    row: Learner,
    person: LearnerRequest | None,
    change: LearnerChange,
    *,
    enqueue_mail: EnqueueMail,
) -> tuple[str, ...]:
    """Store who takes a place, and notify the people. Return their e-mail addresses.

    A corrected address gets the link. The wrong address gets no e-mail: it may belong to a stranger.
    Raises Conflict if another person would get the place of a learner with a certificate.
    """
    before = LearnerRecord.of(row)
    after = (person.email, person.fullname, person.phone) if person else ("", "", "")
    if after == (before.email, before.fullname, before.phone):
        return ()
    is_given = bool(before.email) and change is LearnerChange.HANDOVER
    if is_given and await has_valid_certificate(session, before.id):
        raise Conflict(_CERTIFIED)
    await assign_place(session, row, person)
    notified: list[str] = []
    if is_given:
        await delete_attendance(session, row)
    if is_given and _address_of(person).lower() != before.email.lower():
        upcoming = tuple(
            replace(meeting, sequence=meeting.sequence + 1)
            for meeting in course.sessions
            if meeting.starts_at > now()
        )
        key = f"learner-replaced:{row.reference}:{before.version}"
        await enqueue_mail(session, emails.replacement_notice(before, course, upcoming), key=key)
        notified.append(before.email)
    if person and person.email.lower() != before.email.lower():
        confirmation = await _build_confirmation(session, course, row)
        await notify(session, confirmation, enqueue_mail=enqueue_mail)
        notified.append(person.email)
    return tuple(notified)


async def change_learner(
    session: AsyncSession,
    reference: str,
    version: int,
    person: LearnerRequest | None,
    change: LearnerChange,
) -> tuple[str, ...]:
    """Name, correct or replace the learner of a place for staff, at any time. Return the addresses of the notified people.

    Raises NotFound, StaleRecord, InputRejected for an `email` of another place, and Conflict if the place has ended,
    or if its learner has a certificate and another person would get the place.
    """
    row = await find_learner_row(session, reference)
    enrolment = await session.get_one(Enrolment, row.enrolment_id)
    await buyers().lock_order(session, enrolment.order_id)
    await _lock_run_of(session, enrolment.order_id)
    places, rows = await _load_places(session, enrolment.order_id)
    # Staff may have ended the place before the locks were taken.
    if row.id not in {place.id for place in rows}:
        raise Conflict(PLACE_ENDED)
    if row.version != version:
        raise StaleRecord(reference, LearnerRecord.of(row))
    others = {place.email.lower() for place in rows if place.id != row.id}
    if person and person.email.lower() in others:
        raise InputRejected(_TAKEN_TWICE, (FieldError("email", _TAKEN_TWICE),))
    return await _change_place(session, places.course, row, person, change, enqueue_mail=enqueue)


async def has_learner(session: AsyncSession, order_id: int, email: str) -> bool:
    """Return whether the order's present enrolment has a learner of that address."""
    return await _find_own_place(session, order_id, email) is not None


async def correct_learner(
    session: AsyncSession, order_id: int, email: str, name: str, new_email: str
) -> None:
    """Correct name and address of the learner; attendance and certificates stay."""
    row = await _find_own_place(session, order_id, email)
    if row:
        person = LearnerRequest.model_construct(fullname=name, email=new_email, phone=row.phone)
        await change_learner(session, row.reference, row.version, person, LearnerChange.CORRECTION)


async def _find_own_place(session: AsyncSession, order_id: int, email: str) -> Learner | None:
    enrolment, rows = await list_learners_of_order(session, order_id)
    if enrolment is None or enrolment.ended_at or not email:
        return None
    return next((row for row in rows if row.email.lower() == email.lower()), None)
