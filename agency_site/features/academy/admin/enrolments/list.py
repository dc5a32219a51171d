"""The list of enrolments, with the number of places of each course above it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import reflex as rx
from sqlalchemy import ColumnElement
from sqlalchemy import select as rows_of
from sqlmodel import col

from agency_site.auth.rules import Permission, Staff
from agency_site.backoffice.access_control import staff_page, staff_watch
from agency_site.backoffice.lists.definition import (
    Cell,
    Choice,
    Client,
    Clients,
    Column,
    Days,
    ListDefinition,
    moment_cell,
    number_cell,
)
from agency_site.backoffice.lists.view import list_screen
from agency_site.backoffice.screens import COUNT_MS
from agency_site.backoffice.state import StaffState
from agency_site.content.courses import course_options
from agency_site.db.engine import report_scope
from agency_site.db.personal_data import matches_person
from agency_site.features.academy.enrolments.usecases import CourseEnrolments, count_enrolments
from agency_site.features.academy.learners.tables import Enrolment
from agency_site.features.academy.runs.tables import CourseRun
from agency_site.phone_numbers import format_phone_number
from agency_site.places import buyers
from agency_site.ui.behaviours import Interval

PATH = "/admin/enrolments"

PRESENT = "holds"
"""The value of the state filter for enrolments that have not ended, which are the ones counted."""


@dataclass
class CourseLine:
    """A course with its numbers of places and enrolments."""

    name: str
    href: str
    places: int
    detail: str


class CourseCounts(StaffState):
    """The numbers of places of each course."""

    courses: rx.Field[list[CourseLine]] = rx.field(default_factory=list)

    @staff_page(Permission.SEE_ENROLMENTS)
    async def open_counts(self, _who: Staff) -> None:
        await self._count()

    @staff_watch(Permission.SEE_ENROLMENTS)
    async def refresh_counts(self, _who: Staff) -> None:
        await self._count()

    async def _count(self) -> None:
        async with report_scope() as session:
            courses = [_course_line(counts) for counts in await count_enrolments(session)]
        if courses != self.courses:
            self.courses = courses


def _course_line(counts: CourseEnrolments) -> CourseLine:
    orders = f"{counts.enrolments} enrolment" if counts.enrolments == 1 else f"{counts.enrolments} enrolments"
    free = f"{counts.free} free" if counts.free else ""
    ended = f"{counts.ended} ended" if counts.ended else ""
    detail = ", ".join(filter(None, (orders, free, ended)))
    return CourseLine(
        counts.course_name, f"{PATH}?course={counts.course_slug}&state={PRESENT}", counts.places, detail
    )


def _has_state(value: str) -> ColumnElement[bool]:
    ended = col(Enrolment.ended_at)
    return ended.is_(None) if value == PRESENT else ended.is_not(None)


def _contains_words(words: Sequence[str]) -> ColumnElement[bool]:
    return col(Enrolment.order_id).in_(buyers().search_orders(words))


def _bought_by(client: Client) -> ColumnElement[bool]:
    buyer = buyers().select_buyers().subquery()
    is_of_client = matches_person(client.email, client.phone, buyer.c.email, buyer.c.phone)
    return col(Enrolment.order_id).in_(rows_of(buyer.c.order_id).where(is_of_client))


def _buyer_cell(row: Any) -> Cell:
    return Cell(f"{row.first_name} {row.last_name}".strip() or "Erased")


def _select_enrolments() -> Any:
    # Subqueries instead of joins: the count of rows then reads no orders and runs.
    buyer = buyers().select_buyers().subquery()
    columns = (buyer.c[part] for part in ("first_name", "last_name", "email", "phone"))
    is_buyer = buyer.c.order_id == col(Enrolment.order_id)
    is_run = col(CourseRun.id) == col(Enrolment.run_id)
    return rows_of(
        Enrolment,
        *(rows_of(column).where(is_buyer).scalar_subquery().label(column.name) for column in columns),
        rows_of(col(CourseRun.reference)).where(is_run).scalar_subquery().label("run"),
        rows_of(col(CourseRun.starts_at)).where(is_run).scalar_subquery().label("starts_at"),
    )


ENROLMENT_LIST_DEFINITION = ListDefinition(
    name="enrolments",
    title="Enrolments",
    noun=("enrolment", "enrolments"),
    path=PATH,
    permission=Permission.SEE_ENROLMENTS,
    rows=_select_enrolments,
    identity=col(Enrolment.id),
    reference=lambda row: row.Enrolment.reference,
    columns=(
        Column("reference", "Reference", lambda row: Cell(row.Enrolment.reference, "strong"),
               sort=col(Enrolment.reference)),
        Column("since", "Enrolled on", lambda row: moment_cell(row.Enrolment.created_at), unit="Nairobi",
               sort=col(Enrolment.created_at)),
        Column("name", "Name", _buyer_cell),
        Column("email", "E-mail", lambda row: Cell(row.email or "")),
        Column("phone", "Phone", lambda row: Cell(format_phone_number(row.phone or ""), "whole"), is_shown=False),
        Column("course", "Course", lambda row: Cell(row.Enrolment.course_name)),
        Column("run", "Course run", lambda row: Cell(row.run or "", "whole")),
        Column("starts", "Starts", lambda row: moment_cell(row.starts_at), unit="Nairobi", is_shown=False),
        Column("places", "Places", lambda row: number_cell(row.Enrolment.places), caption=True),
        Column("state", "State", lambda row: Cell("Ended", "quiet") if row.Enrolment.ended_at else Cell("Enrolled", "good")),
        Column("ended", "Ended on", lambda row: moment_cell(row.Enrolment.ended_at), unit="Nairobi", is_shown=False),
    ),
    order="-since",
    href=lambda row: f"/admin/order?ref={row.Enrolment.reference}",
    filters=(
        Choice("course", "Course", course_options, lambda value: col(Enrolment.course_slug) == value),
        Choice("state", "State", lambda: ((PRESENT, "Enrolled"), ("ended", "Ended")), _has_state),
        Days("since", "Enrolled", col(Enrolment.created_at)),
    ),
    search=_contains_words,
    clients=Clients(
        lambda row: Client(f"{row.first_name} {row.last_name}".strip(), row.email or "", row.phone or ""),
        col(Enrolment.reference),
        _bought_by,
    ),
    search_hint="Reference, name, e-mail, phone",
    # The search over all records finds the orders instead.
    found_everywhere=False,
    empty="No enrolments yet.",
)  # fmt: skip


def _course_counts() -> rx.Component:
    return rx.fragment(
        Interval.create(every=COUNT_MS, active=True, on_tick=CourseCounts.refresh_counts),
        rx.cond(
            CourseCounts.courses,
            rx.el.section(
                rx.el.h2("Places per course", class_name="sr-only"),
                rx.el.ul(rx.foreach(CourseCounts.courses, _course_item), class_name="money-courses"),
            ),
        ),
    )


def _course_item(line: CourseLine) -> rx.Component:
    return rx.el.li(
        rx.el.a(
            rx.el.strong(line.places),
            rx.el.span(line.name),
            rx.el.small(line.detail),
            href=line.href,
        ),
        key=line.href,
    )


_LIST = list_screen(ENROLMENT_LIST_DEFINITION, _course_counts(), icon="certificate")

ENROLMENT_LIST = replace(_LIST, on_load=(*_LIST.on_load, CourseCounts.open_counts))
