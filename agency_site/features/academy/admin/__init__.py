"""The academy's screens of the back office, in the order of the navigation."""

from agency_site.backoffice.screens import Screen
from agency_site.features.academy.admin.dashboard import SOURCE
from agency_site.features.academy.admin.enrolments.list import ENROLMENT_LIST
from agency_site.features.academy.admin.learners.detail_view import LEARNER_DETAIL
from agency_site.features.academy.admin.learners.list import LEARNER_LIST
from agency_site.features.academy.admin.runs.calendar_view import RUN_CALENDAR
from agency_site.features.academy.admin.runs.detail_view import RUN_DETAIL
from agency_site.features.academy.admin.runs.list import RUN_LIST
from agency_site.features.academy.admin.waiting_list.list import WAITING_LIST

SCREENS: tuple[Screen, ...] = (
    ENROLMENT_LIST,
    LEARNER_LIST,
    LEARNER_DETAIL,
    RUN_LIST,
    RUN_CALENDAR,
    RUN_DETAIL,
    WAITING_LIST,
)

__all__ = ["SCREENS", "SOURCE"]
