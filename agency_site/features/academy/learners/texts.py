"""Text messages to learners, beside their mails."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from agency_site.features.academy.learners.emails import build_link
from agency_site.features.academy.learners.usecases import EnrolledCourse, LearnerRecord
from agency_site.notices.rules import NoticeKind
from agency_site.notices.usecases import NoticeText


@dataclass(frozen=True)
class LearnerText:
    """A text message that several learners get, each with the link to their own page."""

    kind: NoticeKind
    words: str
    """Key of the mail text that has its words."""
    values: Mapping[str, str] = field(default_factory=dict)
    """A value for each placeholder, except those of the course and the link."""
    useless_after: datetime | None = None
    """As in `TextMessage`."""
    needed_by: datetime | None = None
    """As in `NoticeText`."""

    def address(self, learner: LearnerRecord, course: EnrolledCourse, token: str) -> NoticeText:
        """Return the text message to one learner."""
        return NoticeText(
            words=self.words,
            to=learner.phone,
            values={"course": course.name, **self.values},
            link=build_link(token),
            about=learner.reference,
            useless_after=self.useless_after,
            needed_by=self.needed_by,
        )
