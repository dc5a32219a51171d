"""The list of learners, with the places that have no learner yet."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import ColumnElement, SQLColumnExpression, exists
from sqlalchemy import select as rows_of
from sqlmodel import col

from agency_site.auth.rules import Permission
from agency_site.backoffice.lists.definition import (
    Cell,
    Choice,
    Column,
    Days,
    ListDefinition,
    beginning,
    clients_in,
    moment_cell,
    search_text_in,
)
from agency_site.backoffice.lists.view import list_screen
from agency_site.content.courses import course_options
from agency_site.features.academy.admin.labels import LEARNER_PATH, LEARNERS_PATH, NOT_NAMED
from agency_site.features.academy.learners.rules import CERTIFICATE_REFERENCE, read_serial
from agency_site.features.academy.learners.tables import Certificate, Enrolment, Learner
from agency_site.features.academy.learners.trainers import visible_learners
from agency_site.features.academy.runs.tables import CourseRun

NAMED, UNNAMED, ENDED = "named", "unnamed", "ended"

_STATE_NAMES = ((NAMED, "Named"), (UNNAMED, NOT_NAMED), (ENDED, "Ended"))


def _select_learners() -> Any:
    # Subqueries instead of joins: the count of rows then reads no enrolments and runs.
    is_enrolment = col(Enrolment.id) == col(Learner.enrolment_id)
    is_run = is_enrolment & (col(CourseRun.id) == col(Enrolment.run_id))

    def subquery(column: SQLColumnExpression[Any], which: ColumnElement[bool], name: str) -> Any:
        return rows_of(column).where(which).scalar_subquery().label(name)

    return rows_of(
        Learner,
        subquery(col(Enrolment.course_name), is_enrolment, "course"),
        subquery(col(Enrolment.reference), is_enrolment, "order"),
        subquery(col(Enrolment.ended_at), is_enrolment, "ended_at"),
        subquery(col(CourseRun.reference), is_run, "run"),
        subquery(col(CourseRun.starts_at), is_run, "starts_at"),
    )


def _in_enrolments(which: ColumnElement[bool]) -> ColumnElement[bool]:
    return col(Learner.enrolment_id).in_(rows_of(col(Enrolment.id)).where(which))


def _takes_course(value: str) -> ColumnElement[bool]:
    # EXISTS for each learner: `IN` would first collect all enrolments of the course.
    is_enrolment = col(Enrolment.id) == col(Learner.enrolment_id)
    return exists().where(is_enrolment, col(Enrolment.course_slug) == value)


def _has_state(value: str) -> ColumnElement[bool]:
    has_ended = col(Learner.ended_at).is_not(None) | _in_enrolments(col(Enrolment.ended_at).is_not(None))
    is_named = col(Learner.email) != ""
    return {NAMED: ~has_ended & is_named, UNNAMED: ~has_ended & ~is_named, ENDED: has_ended}[value]


def _state_cell(row: Any) -> Cell:
    if row.ended_at or row.Learner.ended_at:
        return Cell("Ended", "quiet")
    return Cell("Named", "good") if row.Learner.email else Cell(NOT_NAMED, "busy")


_contains_text = search_text_in(
    col(Learner.search), reference=col(Learner.reference), email=col(Learner.email)
)


def _contains_words(words: Sequence[str]) -> ColumnElement[bool]:
    """Find learners by the text of their rows, or by the serial number of a certificate or its beginning, in any grouping."""
    serial = read_serial(words)
    if not serial:
        return _contains_text(words)
    learner_ids = rows_of(col(Certificate.learner_id)).where(beginning(col(Certificate.serial), serial))
    has_number = col(Learner.id).in_(learner_ids)
    has_prefix = words[0].upper().startswith(CERTIFICATE_REFERENCE)
    return has_number if has_prefix else has_number | _contains_text(words)


LEARNER_LIST_DEFINITION = ListDefinition(
    name="learners",
    title="Learners",
    noun=("learner", "learners"),
    path=LEARNERS_PATH,
    permission=Permission.SEE_LEARNERS,
    rows=_select_learners,
    visible=visible_learners,
    identity=col(Learner.id),
    reference=lambda row: row.Learner.reference,
    columns=(
        Column("reference", "Reference", lambda row: Cell(row.Learner.reference, "strong"), sort=col(Learner.reference)),
        Column("since", "Since", lambda row: moment_cell(row.Learner.created_at), unit="Nairobi",
               sort=col(Learner.created_at)),
        Column("name", "Name", lambda row: Cell(row.Learner.fullname)),
        Column("email", "E-mail", lambda row: Cell(row.Learner.email)),
        Column("course", "Course", lambda row: Cell(row.course)),
        Column("run", "Course run", lambda row: Cell(row.run or "", "whole")),
        Column("starts", "Starts", lambda row: moment_cell(row.starts_at), unit="Nairobi", is_shown=False),
        Column("order", "Order", lambda row: Cell(row.order, "whole"), is_shown=False, permission=Permission.SEE_ENROLMENTS),
        Column("state", "State", _state_cell),
    ),
    order="-since",
    href=lambda row: f"{LEARNER_PATH}?ref={row.Learner.reference}",
    filters=(
        Choice("course", "Course", course_options, _takes_course),
        Choice("state", "State", lambda: _STATE_NAMES, _has_state),
        Days("since", "Since", col(Learner.created_at)),
    ),
    search=_contains_words,
    search_hint="Reference, name, e-mail, certificate number",
    clients=clients_in(Learner),
    empty="No learners yet.",
)  # fmt: skip

LEARNER_LIST = list_screen(LEARNER_LIST_DEFINITION, icon="users")
