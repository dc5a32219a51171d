"""Course runs for tests."""

from agency_site.db.engine import session_scope
from agency_site.features.academy.planning import usecases as runs
from agency_site.features.academy.planning.staff_request import PatternRequest, RunRequest
from agency_site.features.academy.runs import records
from agency_site.features.academy.runs.records import RunRecord
from agency_site.features.academy.runs.rules import RunStatus
from tests.example_records import PAID_COURSE

ACTOR = "wanjiku@example.com"
COURSE = PAID_COURSE.slug
FORM = {
    "course_slug": COURSE,
    "starts_at": "2027-01-12T18:30",
    "trainer": "Otieno Wafula",
    "room": "https://meet.example.com/ads",
    "capacity": "4",
    "price": "",
    "enrol_from": "",
    "enrol_until": "",
}
PATTERN = {"first_day": "2027-01-12", "at": "18:30", "minutes": "120", "weekdays": frozenset({1})}


def run_request(**changes: object) -> RunRequest:
    return RunRequest.model_validate({**FORM, **changes})


async def plan_run(**changes: object) -> RunRecord:
    """Store a planned run without sessions."""
    async with session_scope() as session:
        return await runs.create_run(session, run_request(**changes), ACTOR)


async def open_run(**changes: object) -> RunRecord:
    """Store a run with a session every Tuesday at 18:30 from 12 January 2027, open for enrolment."""
    planned = await plan_run(**changes)
    async with session_scope() as session:
        request = PatternRequest.model_validate(PATTERN)
        await runs.generate_sessions(session, planned.reference, planned.version, request, ACTOR)
        ready = await records.find_run(session, planned.reference)
        await runs.change_status(session, ready.reference, ready.version, RunStatus.OPEN, ACTOR)
        return await records.find_run(session, planned.reference)
