"""Who takes which course: counts per course, and everybody as a list."""

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
from agency_site.db.personal_data import of_person
from agency_site.features.academy.enrolments.usecases import CourseEnrolments, count_enrolments
from agency_site.features.academy.learners.tables import Enrolment
from agency_site.features.academy.runs.tables import CourseRun
from agency_site.phone_numbers import format_phone_number
from agency_site.places import buyers
from agency_site.ui.behaviours import Interval

PATH = "/admin/enrolments"

PRESENT = "holds"
"""The filter for enrolments that have not ended: those that are counted."""


@dataclass
class CourseLine:
    """One course with its numbers."""

    name: str
    href: str
    places: int
    detail: str


class CourseCounts(StaffState):
    """How many take each course."""

    courses: rx.Field[list[CourseLine]] = rx.field(default_factory=list)

    @staff_page(Permission.SEE_ENROLMENTS)
    async def open_counts(self, _who: Staff) -> None:
        await self._count()

    @staff_watch(Permission.SEE_ENROLMENTS)
    async def refresh_counts(self, _who: Staff) -> None:
        await self._count()

    async def _count(self) -> None:
        async with report_scope() as session:
            courses = [_line(one) for one in await count_enrolments(session)]
        if courses != self.courses:
            self.courses = courses


def _line(one: CourseEnrolments) -> CourseLine:
    orders = f"{one.enrolments} enrolment" if one.enrolments == 1 else f"{one.enrolments} enrolments"
    free = f"{one.free} free" if one.free else ""
    ended = f"{one.ended} ended" if one.ended else ""
    detail = ", ".join(filter(None, (orders, free, ended)))
    return CourseLine(one.course_name, f"{PATH}?course={one.course_slug}&state={PRESENT}", one.places, detail)


def _has_state(value: str) -> ColumnElement[bool]:
    ended = col(Enrolment.ended_at)
    return ended.is_(None) if value == PRESENT else ended.is_not(None)


def _search(words: Sequence[str]) -> ColumnElement[bool]:
    return col(Enrolment.order_id).in_(buyers().search_orders(words))


def _bought_by(client: Client) -> ColumnElement[bool]:
    buyer = buyers().select_buyers().subquery()
    theirs = of_person(client.email, client.phone, buyer.c.email, buyer.c.phone)
    return col(Enrolment.order_id).in_(rows_of(buyer.c.order_id).where(theirs))


def _name(row: Any) -> Cell:
    return Cell(f"{row.first_name} {row.last_name}".strip() or "Erased")


def _rows() -> Any:
    # Beside each row, not joined to it: a count needs no orders.
    buyer = buyers().select_buyers().subquery()
    columns = (buyer.c[part] for part in ("first_name", "last_name", "email", "phone"))
    own = buyer.c.order_id == col(Enrolment.order_id)
    placed = col(CourseRun.id) == col(Enrolment.run_id)
    return rows_of(
        Enrolment,
        *(rows_of(one).where(own).scalar_subquery().label(one.name) for one in columns),
        rows_of(col(CourseRun.reference)).where(placed).scalar_subquery().label("run"),
        rows_of(col(CourseRun.starts_at)).where(placed).scalar_subquery().label("starts_at"),
    )


ENROLMENT_LIST_DEFINITION = ListDefinition(
    name="enrolments",
    title="Enrolments",
    noun=("enrolment", "enrolments"),
    path=PATH,
    permission=Permission.SEE_ENROLMENTS,
    rows=_rows,
    identity=col(Enrolment.id),
    reference=lambda row: row.Enrolment.reference,
    columns=(
        Column("reference", "Reference", lambda row: Cell(row.Enrolment.reference, "strong"),
               sort=col(Enrolment.reference)),
        Column("since", "Enrolled on", lambda row: moment_cell(row.Enrolment.created_at), unit="Nairobi",
               sort=col(Enrolment.created_at)),
        Column("name", "Name", _name),
        Column("email", "E-mail", lambda row: Cell(row.email or "")),
        Column("phone", "Phone", lambda row: Cell(format_phone_number(row.phone or ""), "whole"), shown=False),
        Column("course", "Course", lambda row: Cell(row.Enrolment.course_name)),
        Column("run", "Course run", lambda row: Cell(row.run or "", "whole")),
        Column("starts", "Starts", lambda row: moment_cell(row.starts_at), unit="Nairobi", shown=False),
        Column("places", "Places", lambda row: number_cell(row.Enrolment.places), caption=True),
        Column("state", "State", lambda row: Cell("Ended", "quiet") if row.Enrolment.ended_at else Cell("Enrolled", "good")),
        Column("ended", "Ended on", lambda row: moment_cell(row.Enrolment.ended_at), unit="Nairobi", shown=False),
    ),
    order="-since",
    href=lambda row: f"/admin/order?ref={row.Enrolment.reference}",
    filters=(
        Choice("course", "Course", course_options, lambda value: col(Enrolment.course_slug) == value),
        Choice("state", "State", lambda: ((PRESENT, "Enrolled"), ("ended", "Ended")), _has_state),
        Days("since", "Enrolled", col(Enrolment.created_at)),
    ),
    search=_search,
    clients=Clients(
        lambda row: Client(f"{row.first_name} {row.last_name}".strip(), row.email or "", row.phone or ""),
        col(Enrolment.reference),
        _bought_by,
    ),
    search_hint="Reference, name, e-mail, phone",
    # The search over everything finds the orders.
    found_everywhere=False,
    empty="No enrolments yet.",
)  # fmt: skip


def _counts() -> rx.Component:
    return rx.fragment(
        Interval.create(every=COUNT_MS, active=True, on_tick=CourseCounts.refresh_counts),
        rx.cond(
            CourseCounts.courses,
            rx.el.section(
                rx.el.h2("Places per course", class_name="sr-only"),
                rx.el.ul(rx.foreach(CourseCounts.courses, _course), class_name="money-courses"),
            ),
        ),
    )


def _course(one: CourseLine) -> rx.Component:
    return rx.el.li(
        rx.el.a(
            rx.el.strong(one.places),
            rx.el.span(one.name),
            rx.el.small(one.detail),
            href=one.href,
        ),
        key=one.href,
    )


_LIST = list_screen(ENROLMENT_LIST_DEFINITION, _counts(), icon="certificate")

ENROLMENT_LIST = replace(_LIST, on_load=(*_LIST.on_load, CourseCounts.open_counts))
