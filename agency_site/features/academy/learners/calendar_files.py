"""Calendar files for learners: all sessions of a run to import, or one session that has changed or was removed."""

from dataclasses import replace

from agency_site.content.brand import BRAND
from agency_site.features.academy.learners.usecases import EnrolledCourse, LearnerRecord
from agency_site.features.academy.runs.records import SessionRecord
from agency_site.features.academy.runs.rules import RunStatus
from agency_site.mail.calendars import Invitation, build_invitation_file, build_published_file
from agency_site.mail.rules import Attachment

_PRODUCT = "Academy"


def build_course_file(learner: LearnerRecord, course: EnrolledCourse, link: str) -> Attachment:
    """Build a file with all sessions of the course's run. `link` is the address of the learner's page."""
    sessions = [_build_invitation(learner, course, session, link) for session in course.sessions]
    return build_published_file(learner.reference, _PRODUCT, sessions)


def build_session_file(
    learner: LearnerRecord, course: EnrolledCourse, session: SessionRecord, link: str
) -> Attachment:
    """Build a file that updates a session in the learner's calendar."""
    return build_invitation_file(_build_invitation(learner, course, session, link))


def build_removal_file(learner: LearnerRecord, course: EnrolledCourse, session: SessionRecord) -> Attachment:
    """Build a file that removes a session from the learner's calendar. Its sequence must be above that of the last file."""
    return build_invitation_file(replace(_build_invitation(learner, course, session, ""), cancelled=True))


def _build_invitation(
    learner: LearnerRecord, course: EnrolledCourse, session: SessionRecord, link: str
) -> Invitation:
    lines = [f"Learner: {learner.reference}", f"Questions? Call {BRAND.phone} or write to {BRAND.email}."]
    if link:
        lines.append(f"To join: {link}")
    return Invitation(
        reference=session.reference,
        sequence=session.sequence,
        product=_PRODUCT,
        summary=": ".join(filter(None, (course.name, session.topic))),
        location="Online",
        description="\n".join(lines),
        starts_at=session.starts_at,
        ends_at=session.ends_at,
        created_at=session.created_at,
        updated_at=session.updated_at,
        organizer=BRAND.email,
        email=learner.email,
        cancelled=course.run is not None and course.run.status is RunStatus.CANCELLED,
    )
