"""The list of waiting list entries of all runs, open and former."""

from typing import Any

from sqlalchemy import ColumnElement, SQLColumnExpression
from sqlalchemy import select as rows_of
from sqlmodel import col

from agency_site.auth.rules import Permission
from agency_site.backoffice.lists.definition import (
    Cell,
    Choice,
    Column,
    Days,
    ListDefinition,
    clients_in,
    moment_cell,
    number_cell,
    search_in,
    state_filter,
)
from agency_site.backoffice.lists.view import list_screen
from agency_site.content.courses import course_options
from agency_site.features.academy.admin.labels import (
    RUN_PATH,
    WAITING_LISTS_PATH,
    WAITING_STATES,
    name_waiting_state,
)
from agency_site.features.academy.reservations.tables import WaitingEntry
from agency_site.features.academy.runs.tables import CourseRun


def _select_entries() -> Any:
    # Subqueries instead of joins: the count of rows then reads no runs.
    is_run = col(CourseRun.id) == col(WaitingEntry.run_id)

    def subquery(column: SQLColumnExpression[Any], name: str) -> Any:
        return rows_of(column).where(is_run).scalar_subquery().label(name)

    return rows_of(
        WaitingEntry,
        subquery(col(CourseRun.course_name), "course"),
        subquery(col(CourseRun.reference), "run"),
        subquery(col(CourseRun.starts_at), "starts_at"),
    )


def _of_course(slug: str) -> ColumnElement[bool]:
    runs = rows_of(col(CourseRun.id)).where(col(CourseRun.course_slug) == slug)
    return col(WaitingEntry.run_id).in_(runs)


def _name_cell(row: Any) -> Cell:
    entry = row.WaitingEntry
    return Cell(entry.fullname) if entry.email else Cell("Erased", "quiet")


def _state_cell(row: Any) -> Cell:
    state, is_confirmed = row.WaitingEntry.state, row.WaitingEntry.confirmed_at is not None
    tone = WAITING_STATES[state].tone if is_confirmed else "quiet"
    return Cell(name_waiting_state(state, is_confirmed=is_confirmed), tone)


WAITING_LIST_DEFINITION = ListDefinition(
    name="waiting",
    title="Waiting lists",
    noun=("waiting list entry", "waiting list entries"),
    path=WAITING_LISTS_PATH,
    permission=Permission.SEE_ENROLMENTS,
    rows=_select_entries,
    identity=col(WaitingEntry.id),
    reference=lambda row: row.WaitingEntry.reference,
    columns=(
        Column("reference", "Reference", lambda row: Cell(row.WaitingEntry.reference, "strong"),
               sort=col(WaitingEntry.reference)),
        Column("since", "Since", lambda row: moment_cell(row.WaitingEntry.created_at), unit="Nairobi",
               sort=col(WaitingEntry.created_at)),
        Column("name", "Name", _name_cell),
        Column("email", "E-mail", lambda row: Cell(row.WaitingEntry.email)),
        Column("course", "Course", lambda row: Cell(row.course)),
        Column("run", "Course run", lambda row: Cell(row.run, "whole")),
        Column("starts", "Starts", lambda row: moment_cell(row.starts_at), unit="Nairobi", is_shown=False),
        Column("places", "Places", lambda row: number_cell(row.WaitingEntry.places)),
        Column("state", "State", _state_cell),
        Column("confirmed", "Confirmed", lambda row: moment_cell(row.WaitingEntry.confirmed_at), unit="Nairobi", is_shown=False),
        Column("until", "Kept until", lambda row: moment_cell(row.WaitingEntry.reserved_until), unit="Nairobi", is_shown=False),
    ),
    order="-since",
    # Entries have no page of their own: staff work on them on the page of the run.
    href=lambda row: f"{RUN_PATH}?ref={row.run}",
    filters=(
        Choice("course", "Course", course_options, _of_course),
        state_filter(col(WaitingEntry.state), WAITING_STATES),
        Days("since", "Since", col(WaitingEntry.created_at)),
    ),
    search=search_in(WaitingEntry),
    search_hint="Reference, name, e-mail",
    clients=clients_in(WaitingEntry),
    empty="No waiting list entries yet.",
)  # fmt: skip

WAITING_LIST = list_screen(WAITING_LIST_DEFINITION, icon="clock")
