"""The list of course runs."""

from collections.abc import Sequence

from sqlalchemy import ColumnElement, and_, or_
from sqlmodel import col, select

from agency_site.auth.rules import Permission
from agency_site.backoffice.lists.definition import (
    Cell,
    Choice,
    Column,
    Days,
    ListDefinition,
    moment_cell,
    number_cell,
    search_text_in,
)
from agency_site.backoffice.lists.view import list_screen
from agency_site.clock import now
from agency_site.content.courses import course_options
from agency_site.features.academy.admin.labels import RUN_PATH, RUNS_PATH, STATES, state_cell, taken_cell
from agency_site.features.academy.admin.runs.calendar_view import run_toolbar
from agency_site.features.academy.certificates.usecases import select_due_certificates
from agency_site.features.academy.learners.tables import Enrolment
from agency_site.features.academy.learners.trainers import visible_runs
from agency_site.features.academy.reservations.usecases import select_kept_unpaid
from agency_site.features.academy.runs.rules import RunState, RunStatus
from agency_site.features.academy.runs.tables import CourseRun

ACTIVE = "active"
"""The value of the state filter for all but cancelled runs, which the dashboard counts."""

CERTIFICATES_DUE = "certificates"
"""The value for finished runs with learners who are due a certificate."""


KEPT_UNPAID = "unpaid"
"""The value for runs in which unpaid orders keep many places."""


def has_state(value: str) -> ColumnElement[bool]:
    """Return the condition of a value of the state filter; for a state, that of runs to which `find_state` gives it now."""
    if value == ACTIVE:
        return col(CourseRun.status) != RunStatus.CANCELLED
    if value == CERTIFICATES_DUE:
        return col(CourseRun.id).in_(select_due_certificates().with_only_columns(col(Enrolment.run_id)))
    if value == KEPT_UNPAID:
        return col(CourseRun.id).in_(select_kept_unpaid())
    moment, run = now(), CourseRun
    cancelled, planned = col(run.status) == RunStatus.CANCELLED, col(run.status) == RunStatus.PLANNED
    ahead = ~cancelled & (col(run.starts_at) > moment) & (col(run.ends_at) > moment)
    full = and_(col(run.capacity).is_not(None), col(run.taken) >= col(run.capacity))
    unlimited_or_free = or_(col(run.capacity).is_(None), col(run.taken) < col(run.capacity))
    conditions = {
        RunState.CANCELLED: cancelled,
        RunState.FINISHED: ~cancelled & (col(run.ends_at) <= moment),
        RunState.RUNNING: ~cancelled & (col(run.starts_at) <= moment) & (col(run.ends_at) > moment),
        RunState.PLANNED: ahead & planned,
        RunState.FULL: ahead & ~planned & full,
        RunState.OPEN: ahead & ~planned & unlimited_or_free,
    }
    return conditions[RunState(value)]


def _list_states() -> Sequence[tuple[str, str]]:
    names = [(state.value, cell.text) for state, cell in STATES.items()]
    return [
        (ACTIVE, "Not cancelled"),
        *names,
        (CERTIFICATES_DUE, "Certificates to issue"),
        (KEPT_UNPAID, "Many unpaid places"),
    ]


RUN_LIST_DEFINITION = ListDefinition(
    name="runs",
    title="Course runs",
    noun=("course run", "course runs"),
    kind="run",
    path=RUNS_PATH,
    permission=Permission.SEE_LEARNERS,
    rows=lambda: select(CourseRun),
    visible=visible_runs,
    identity=col(CourseRun.id),
    columns=(
        Column("reference", "Reference", lambda run: Cell(run.reference, "strong"), sort=col(CourseRun.reference)),
        Column("course", "Course", lambda run: Cell(run.course_name)),
        Column("starts", "Starts", lambda run: moment_cell(run.starts_at, "whole"), unit="Nairobi",
               sort=col(CourseRun.starts_at)),
        Column("ends", "Ends", lambda run: moment_cell(run.ends_at, "whole"), unit="Nairobi", is_shown=False),
        Column("state", "State", state_cell),
        Column("taken", "Places taken", taken_cell, caption=True),
        Column("trainer", "Trainer", lambda run: Cell(run.trainer)),
        Column("price", "Price", lambda run: number_cell(run.price), unit="KES", is_shown=False,
               permission=Permission.SEE_PAYMENTS),
    ),
    order="-starts",
    href=lambda run: f"{RUN_PATH}?ref={run.reference}",
    filters=(
        Choice("state", "State", _list_states, has_state),
        Choice("course", "Course", course_options, lambda value: col(CourseRun.course_slug) == value),
        Days("starts", "Starts", col(CourseRun.starts_at)),
    ),
    search=search_text_in(col(CourseRun.search)),
    search_hint="Reference, course, trainer",
    empty="No course runs yet.",
)  # fmt: skip


RUN_LIST = list_screen(RUN_LIST_DEFINITION, run_toolbar(RUNS_PATH), icon="calendar")
