"""The list of learners: everybody who takes a place, and places without a name."""

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


def _rows() -> Any:
    # Beside each row, not joined to it: a count needs no enrolments.
    own = col(Enrolment.id) == col(Learner.enrolment_id)
    placed = own & (col(CourseRun.id) == col(Enrolment.run_id))

    def beside(column: SQLColumnExpression[Any], which: ColumnElement[bool], name: str) -> Any:
        return rows_of(column).where(which).scalar_subquery().label(name)

    return rows_of(
        Learner,
        beside(col(Enrolment.course_name), own, "course"),
        beside(col(Enrolment.reference), own, "order"),
        beside(col(Enrolment.ended_at), own, "ended_at"),
        beside(col(CourseRun.reference), placed, "run"),
        beside(col(CourseRun.starts_at), placed, "starts_at"),
    )


def _in_enrolments(which: ColumnElement[bool]) -> ColumnElement[bool]:
    return col(Learner.enrolment_id).in_(rows_of(col(Enrolment.id)).where(which))


def _takes_course(value: str) -> ColumnElement[bool]:
    # Asked of each learner: a course has many enrolments.
    own = col(Enrolment.id) == col(Learner.enrolment_id)
    return exists().where(own, col(Enrolment.course_slug) == value)


def _has_state(value: str) -> ColumnElement[bool]:
    ended = col(Learner.ended_at).is_not(None) | _in_enrolments(col(Enrolment.ended_at).is_not(None))
    named = col(Learner.email) != ""
    return {NAMED: ~ended & named, UNNAMED: ~ended & ~named, ENDED: ended}[value]


def _state_cell(row: Any) -> Cell:
    if row.ended_at or row.Learner.ended_at:
        return Cell("Ended", "quiet")
    return Cell("Named", "good") if row.Learner.email else Cell(NOT_NAMED, "busy")


_holds = search_text_in(col(Learner.search), reference=col(Learner.reference), email=col(Learner.email))


def _search(words: Sequence[str]) -> ColumnElement[bool]:
    """Learners by what their rows hold, or by the number of a certificate or the beginning of one, however it is grouped."""
    serial = read_serial(words)
    if not serial:
        return _holds(words)
    certified = rows_of(col(Certificate.learner_id)).where(beginning(col(Certificate.serial), serial))
    has_number = col(Learner.id).in_(certified)
    has_prefix = words[0].upper().startswith(CERTIFICATE_REFERENCE)
    return has_number if has_prefix else has_number | _holds(words)


LEARNER_LIST_DEFINITION = ListDefinition(
    name="learners",
    title="Learners",
    noun=("learner", "learners"),
    path=LEARNERS_PATH,
    permission=Permission.SEE_LEARNERS,
    rows=_rows,
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
        Column("starts", "Starts", lambda row: moment_cell(row.starts_at), unit="Nairobi", shown=False),
        Column("order", "Order", lambda row: Cell(row.order, "whole"), shown=False, permission=Permission.SEE_ENROLMENTS),
        Column("state", "State", _state_cell),
    ),
    order="-since",
    href=lambda row: f"{LEARNER_PATH}?ref={row.Learner.reference}",
    filters=(
        Choice("course", "Course", course_options, _takes_course),
        Choice("state", "State", lambda: _STATE_NAMES, _has_state),
        Days("since", "Since", col(Learner.created_at)),
    ),
    search=_search,
    search_hint="Reference, name, e-mail, certificate number",
    clients=clients_in(Learner),
    empty="No learners yet.",
)  # fmt: skip

LEARNER_LIST = list_screen(LEARNER_LIST_DEFINITION, icon="users")
