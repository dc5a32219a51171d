"""The mails to learners: that they have a place, and that it was given to somebody else."""

from agency_site.clock import format_moment
from agency_site.content.brand import BRAND
from agency_site.features.academy.calendar_files import all_sessions, removed_session
from agency_site.features.academy.learners import EnrolledCourse, LearnerRecord
from agency_site.features.academy.records import SessionRecord
from agency_site.features.academy.rules import JOIN_BEFORE
from agency_site.mail.rules import Attachment, Message
from agency_site.settings import settings

CONFIRMED, REPLACED, LINK_AGAIN = "learner-confirmed", "learner-replaced", "learner-link"
_OPEN_PAGE = "Open your course page"
_JOIN = (
    f"Your page has the button to join; it appears {JOIN_BEFORE.seconds // 60} minutes before each session."
)


def build_link(token: str) -> str:
    """The absolute address of a learner's private page."""
    return f"{settings().site_url}/learner/{token}"


def place_confirmation(learner: LearnerRecord, course: EnrolledCourse, token: str) -> Message:
    """To whoever has got a place."""
    return _write(
        learner,
        course,
        CONFIRMED,
        f"Your place: {course.name}",
        "You have a place in our course",
        f"you have a place in {course.name}. {_describe_start(course)}",
        token=token,
        attachments=(all_sessions(learner, course, build_link(token)),) if course.is_scheduled else (),
    )


def link_again(learner: LearnerRecord, course: EnrolledCourse, token: str) -> Message:
    """To a learner who has asked for the link of the private page."""
    return _write(
        learner,
        course,
        LINK_AGAIN,
        f"Your link: {course.name}",
        "The link to your course page",
        "here is the link to your course page once more. Whoever has it can open the page: please keep it to yourself.",
        token=token,
    )


def replacement_notice(
    learner: LearnerRecord, course: EnrolledCourse, upcoming: tuple[SessionRecord, ...]
) -> Message:
    """To the person whose place the buyer has given to somebody else."""
    return _write(
        learner,
        course,
        REPLACED,
        f"Your place was given to somebody else: {course.name}",
        "Your place was given to somebody else",
        f"whoever bought your place in {course.name} has given it to somebody else. Your link no longer opens its page.",
        attachments=tuple(removed_session(learner, course, one) for one in upcoming),
    )


def _describe_start(course: EnrolledCourse) -> str:
    if course.run is None or not course.is_scheduled:
        return "We will write to you with the start date and how to join."
    count = len(course.sessions)
    sessions = "one session" if count == 1 else f"{count} sessions"
    starts = format_moment(course.run.starts_at)
    return f"It starts on {starts}, Nairobi time, and has {sessions}. The attached file puts them into your calendar."


def _write(
    learner: LearnerRecord,
    course: EnrolledCourse,
    kind: str,
    subject: str,
    heading: str,
    *paragraphs: str,
    token: str = "",
    attachments: tuple[Attachment, ...] = (),
) -> Message:
    opens_room = (_JOIN,) if token and course.is_scheduled else ()
    return Message(
        kind=kind,
        to=learner.email,
        to_name=learner.fullname,
        subject=subject,
        heading=heading,
        paragraphs=(f"Hello {learner.fullname},", *paragraphs),
        facts=(("Reference", learner.reference), ("Course", course.name), *_list_run(course)),
        actions=((_OPEN_PAGE, build_link(token)),) if token else (),
        closing=(*opens_room, f"Questions? Call {BRAND.phone} or answer this e-mail."),
        attachments=attachments,
        about=learner.reference,
    )


def _list_run(course: EnrolledCourse) -> tuple[tuple[str, str], ...]:
    if course.run is None or not course.is_scheduled:
        return ()
    trainer = (("Trainer", course.run.trainer),) if course.run.trainer else ()
    sessions = tuple(
        (f"Session {number}", f"{format_moment(one.starts_at)}, Nairobi time")
        for number, one in enumerate(course.sessions, start=1)
    )
    return (("Course run", course.run.reference), *trainer, *sessions)
