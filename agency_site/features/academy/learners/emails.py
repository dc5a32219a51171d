"""Mails to learners and buyers about places, changes of a course, reminders, certificates and recordings."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from agency_site.clock import format_moment
from agency_site.content.brand import BRAND
from agency_site.content.mail_texts import MailWords, write_words
from agency_site.features.academy.learners.calendar_files import (
    build_course_file,
    build_removal_file,
    build_session_file,
)
from agency_site.features.academy.learners.rules import shorten_serial
from agency_site.features.academy.learners.usecases import EnrolledCourse, LearnerRecord
from agency_site.features.academy.runs.records import MaterialRecord, MessageRecord, SessionRecord
from agency_site.features.academy.runs.rules import JOIN_BEFORE
from agency_site.mail.rules import Attachment, Message, split_paragraphs
from agency_site.settings import settings

CONFIRMED, REPLACED, LINK_AGAIN = "learner-confirmed", "learner-replaced", "learner-link"

CHANGED, RUN_CANCELLED, REMINDER = "session-changed", "run-cancelled", "session-reminder"

MESSAGE, MOVED, CERTIFICATE = "run-message", "learner-moved", "certificate-issued"

RECORDING = "recording-added"

PLACE_ENDED = "place-ended"

_OPEN_PAGE = "Open your course page"

QUESTIONS = f"Questions? Call {BRAND.phone} or reply to this e-mail."

_JOIN = f"The button to join appears on your page {JOIN_BEFORE.seconds // 60} minutes before each session."


def build_certificate_address(serial: str) -> str:
    """Return the absolute address of the public page that confirms a certificate."""
    return f"{settings().site_url}/certificate/{serial}"


def build_link(token: str) -> str:
    """Return the absolute address of a learner's private page."""
    return f"{settings().site_url}/learner/{token}"


def place_confirmation(learner: LearnerRecord, course: EnrolledCourse, token: str) -> Message:
    """Tell a learner that they have a place."""
    return _write_to_learner(
        learner,
        course,
        CONFIRMED,
        write_words(CONFIRMED, course=course.name, dates=_describe_start(course)),
        "You have a place in our course",
        *_mention_file(course),
        token=token,
        attachments=(build_course_file(learner, course, build_link(token)),) if course.is_scheduled else (),
    )


def link_again(learner: LearnerRecord, course: EnrolledCourse, token: str) -> Message:
    """Send a learner the link of the private page again."""
    return _write_to_learner(
        learner,
        course,
        LINK_AGAIN,
        write_words(LINK_AGAIN, course=course.name),
        "The link to your course page",
        token=token,
    )


def replacement_notice(
    learner: LearnerRecord, course: EnrolledCourse, upcoming: tuple[SessionRecord, ...]
) -> Message:
    """Tell a learner that the buyer has transferred the place. The mail lists no sessions: they are no longer the learner's."""
    return replace(
        _write_to_learner(
            learner,
            course,
            REPLACED,
            write_words(REPLACED, course=course.name),
            "Your place has been transferred",
            *_mention_removals(upcoming),
            attachments=tuple(build_removal_file(learner, course, session) for session in upcoming),
        ),
        facts=(("Reference", learner.reference), ("Course", course.name)),
    )


def session_notice(
    learner: LearnerRecord,
    course: EnrolledCourse,
    token: str,
    session: SessionRecord,
    before: datetime | None,
) -> Message:
    """Tell a learner that a session has changed, or is new if `before` is None."""
    return _write_to_learner(
        learner,
        course,
        CHANGED,
        _write_change(course.name, session.starts_at, before),
        "A session has changed",
        "Open the attached file to update your calendar.",
        token=token,
        attachments=(build_session_file(learner, course, session, build_link(token)),),
    )


def find_change_words(starts_at: datetime, before: datetime | None) -> str:
    """Return the key of the words about a session that has changed, or is new if `before` is None."""
    if before is None:
        return "session-added"
    return CHANGED if before == starts_at else "session-moved"


def _write_change(course: str, starts_at: datetime, before: datetime | None) -> MailWords:
    previous = {"previous_start": format_moment(before)} if before else {}
    key = find_change_words(starts_at, before)
    return write_words(key, course=course, start=_format_start(starts_at), **previous)


def _format_start(starts_at: datetime) -> str:
    return f"{format_moment(starts_at)}, Nairobi time"


def removal_notice(
    learner: LearnerRecord, course: EnrolledCourse, token: str, session: SessionRecord
) -> Message:
    """Tell a learner that a session is cancelled."""
    return _write_to_learner(
        learner,
        course,
        CHANGED,
        write_words("session-cancelled", course=course.name, start=_format_start(session.starts_at)),
        "A session has been cancelled",
        token=token,
        attachments=(build_removal_file(learner, course, session),),
    )


def schedule_notice(
    learner: LearnerRecord, course: EnrolledCourse, token: str, removed: Sequence[SessionRecord]
) -> Message:
    """Tell a learner the new times of all sessions. The sessions in `removed` are cancelled."""
    return _write_to_learner(
        learner,
        course,
        CHANGED,
        write_words("course-rescheduled", course=course.name),
        "Your course has new dates",
        token=token,
        attachments=(
            build_course_file(learner, course, build_link(token)),
            *(build_removal_file(learner, course, session) for session in removed),
        ),
    )


def run_cancelled(
    learner: LearnerRecord, course: EnrolledCourse, token: str, upcoming: Sequence[SessionRecord]
) -> Message:
    """Tell a learner that the run is cancelled."""
    return _write_to_learner(
        learner,
        course,
        RUN_CANCELLED,
        _write_cancellation(course),
        "Your course run has been cancelled",
        *_mention_removals(upcoming),
        token=token,
        attachments=tuple(build_removal_file(learner, course, session) for session in upcoming),
    )


@dataclass(frozen=True)
class PlaceBuyer:
    """A buyer who takes none of the places."""

    order: str
    """Reference of the order."""
    name: str
    email: str
    is_enrolled: bool = True
    """False if money has arrived for the order, but its places are not paid in full."""

    @property
    def reason(self) -> str:
        """The reason why the buyer gets mails about the course."""
        if not self.is_enrolled:
            return (
                "You are receiving this e-mail because you have paid towards a place in this course. "
                "Your order shows what has arrived."
            )
        return (
            "You are receiving this e-mail because you bought places in this course. "
            "The learners whom you named receive their own e-mail."
        )


def run_cancelled_for_buyer(buyer: PlaceBuyer, course: EnrolledCourse) -> Message:
    """Tell a buyer that the run is cancelled."""
    return replace(
        _write_to_buyer(
            buyer,
            course,
            RUN_CANCELLED,
            _write_cancellation(course),
            "The course run that you booked has been cancelled",
        ),
        facts=(("Reference", buyer.order), ("Course", course.name)),
    )


def session_notice_for_buyer(
    buyer: PlaceBuyer, course: EnrolledCourse, session: SessionRecord, before: datetime | None
) -> Message:
    """Tell a buyer that a session has changed, or is new if `before` is None."""
    return _write_to_buyer(
        buyer,
        course,
        CHANGED,
        _write_change(course.name, session.starts_at, before),
        "A session of the course that you booked has changed",
    )


def removal_notice_for_buyer(buyer: PlaceBuyer, course: EnrolledCourse, session: SessionRecord) -> Message:
    """Tell a buyer that a session is cancelled."""
    return _write_to_buyer(
        buyer,
        course,
        CHANGED,
        write_words("session-cancelled-buyer", course=course.name, start=_format_start(session.starts_at)),
        "A session of the course that you booked has been cancelled",
    )


def schedule_notice_for_buyer(buyer: PlaceBuyer, course: EnrolledCourse) -> Message:
    """Tell a buyer the new times of all sessions."""
    return _write_to_buyer(
        buyer,
        course,
        CHANGED,
        write_words("course-rescheduled-buyer", course=course.name),
        "The course that you booked has new dates",
    )


def _write_to_buyer(
    buyer: PlaceBuyer, course: EnrolledCourse, kind: str, words: MailWords, heading: str
) -> Message:
    return Message(
        kind=kind,
        to=buyer.email,
        to_name=buyer.name,
        subject=words.subject,
        heading=heading,
        paragraphs=(
            f"Hello {buyer.name},",
            *words.opening,
            buyer.reason,
        ),
        facts=(("Reference", buyer.order), ("Course", course.name), *_run_facts(course)),
        closing=(QUESTIONS,),
        about=buyer.order,
    )


def session_reminder(
    learner: LearnerRecord, course: EnrolledCourse, token: str, session: SessionRecord
) -> Message:
    """Remind a learner of a session."""
    topic = f" The topic is: {session.topic}." if session.topic else ""
    return _write_to_learner(
        learner,
        course,
        REMINDER,
        write_words(
            REMINDER,
            course=course.name,
            date=format_moment(session.starts_at),
            start=_format_start(session.starts_at),
            topic=topic,
        ),
        "See you at the session",
        token=token,
    )


def certificate(learner: LearnerRecord, course: EnrolledCourse, token: str, serial: str) -> Message:
    """Tell a learner that their page has a certificate."""
    return replace(
        _write_to_learner(
            learner,
            course,
            CERTIFICATE,
            write_words(CERTIFICATE, course=course.name),
            "Congratulations: your certificate is here",
            "Others can check it on our site with the web address or the code printed on it. "
            "On your page you can choose whether they see your name there.",
            token=token,
        ),
        facts=(("Certificate", shorten_serial(serial)), ("Course", course.name)),
        closing=(QUESTIONS,),
    )


def recording_notice(
    learner: LearnerRecord, course: EnrolledCourse, token: str, recording: MaterialRecord
) -> Message:
    """Tell a learner that their page has a recording of a session."""
    return replace(
        _write_to_learner(
            learner,
            course,
            RECORDING,
            write_words(RECORDING, course=course.name, recording=recording.title),
            "A new recording is on your course page",
            "You will find it on your page with the other materials of this course.",
            token=token,
        ),
        facts=(("Reference", learner.reference), ("Course", course.name), ("Recording", recording.title)),
        closing=(QUESTIONS,),
    )


def run_message(
    learner: LearnerRecord, course: EnrolledCourse, token: str, message: MessageRecord
) -> Message:
    """Send a learner the message of staff to all learners of the run."""
    return replace(
        _write_to_learner(
            learner,
            course,
            MESSAGE,
            MailWords(message.subject, split_paragraphs(message.text)),
            message.subject,
            token=token,
        ),
        facts=(("Reference", learner.reference), ("Course", course.name)),
    )


def move_notice(
    learner: LearnerRecord, course: EnrolledCourse, token: str, removed: Sequence[SessionRecord]
) -> Message:
    """Tell a learner that they are in another run. `removed` are the coming sessions of the previous run."""
    return _write_to_learner(
        learner,
        course,
        MOVED,
        write_words(
            "learner-moved" if removed else "learner-placed",
            course=course.name,
            dates=_describe_start(course),
        ),
        "About your place in the course",
        *_mention_file(course),
        token=token,
        attachments=(
            *((build_course_file(learner, course, build_link(token)),) if course.is_scheduled else ()),
            *(build_removal_file(learner, course, session) for session in removed),
        ),
    )


def place_ended(learner: LearnerRecord, course: EnrolledCourse, upcoming: Sequence[SessionRecord]) -> Message:
    """Tell a learner that staff have ended the place."""
    return _write_to_learner(
        learner,
        course,
        PLACE_ENDED,
        write_words(PLACE_ENDED, course=course.name),
        "Your place in the course has ended",
        *_mention_removals(upcoming),
        attachments=tuple(build_removal_file(learner, course, session) for session in upcoming),
    )


def place_ended_for_buyer(buyer: PlaceBuyer, course: EnrolledCourse, learner: str, left: int) -> Message:
    """Tell a buyer that staff have ended one of the places. `left` places remain."""
    place = f"The place of {learner}" if learner else "One of the places that you bought"
    rest = {0: "You have no other place in this course.", 1: "You still have one place."}.get(
        left, f"You still have {left} places."
    )
    return replace(
        _write_to_buyer(
            buyer,
            course,
            PLACE_ENDED,
            MailWords(f"A place has ended: {course.name}", (f"{place} in {course.name} has ended. {rest}",)),
            "A place in the course that you booked has ended",
        ),
        facts=(("Reference", buyer.order), ("Course", course.name)),
    )


def move_notice_for_buyer(buyer: PlaceBuyer, course: EnrolledCourse) -> Message:
    """Tell a buyer that the places are in another run, or in their first run."""
    return _write_to_buyer(
        buyer,
        course,
        MOVED,
        write_words("learner-moved-buyer", course=course.name, dates=_describe_start(course)),
        "The places that you bought have dates",
    )


def _write_cancellation(course: EnrolledCourse) -> MailWords:
    assert course.run is not None
    return write_words(RUN_CANCELLED, course=course.name, start=_format_start(course.run.starts_at))


def _describe_start(course: EnrolledCourse) -> str:
    if course.run is None or not course.is_scheduled:
        return "We will e-mail you the start date and the joining details."
    count = len(course.sessions)
    sessions = "one session" if count == 1 else f"{count} sessions"
    return f"It starts on {format_moment(course.run.starts_at)}, Nairobi time, and has {sessions}."


def _mention_file(course: EnrolledCourse) -> tuple[str, ...]:
    return ("Open the attached file to add the sessions to your calendar.",) if course.is_scheduled else ()


def _mention_removals(removed: Sequence[SessionRecord]) -> tuple[str, ...]:
    return ("Open the attached files to remove the sessions from your calendar.",) if removed else ()


def _write_to_learner(
    learner: LearnerRecord,
    course: EnrolledCourse,
    kind: str,
    words: MailWords,
    heading: str,
    *paragraphs: str,
    token: str = "",
    attachments: tuple[Attachment, ...] = (),
) -> Message:
    joining = (_JOIN,) if token and course.is_scheduled else ()
    return Message(
        kind=kind,
        to=learner.email,
        to_name=learner.fullname,
        subject=words.subject,
        heading=heading,
        paragraphs=(f"Hello {learner.fullname},", *words.opening, *paragraphs),
        facts=(("Reference", learner.reference), ("Course", course.name), *_run_facts(course)),
        actions=((_OPEN_PAGE, build_link(token)),) if token else (),
        closing=(*joining, QUESTIONS),
        attachments=attachments,
        about=learner.reference,
    )


def _run_facts(course: EnrolledCourse) -> tuple[tuple[str, str], ...]:
    if course.run is None or not course.is_scheduled:
        return ()
    trainer = (("Trainer", course.run.trainer),) if course.run.trainer else ()
    sessions = tuple(
        (f"Session {number}", _format_start(session.starts_at))
        for number, session in enumerate(course.sessions, start=1)
    )
    return (("Course run", course.run.reference), *trainer, *sessions)
