"""The list of consultants."""

from typing import Any

import reflex as rx
from sqlalchemy import func
from sqlalchemy import select as rows_of
from sqlmodel import col, select

from agency_site.auth.rules import Permission
from agency_site.backoffice.elements import button_row, small_note
from agency_site.backoffice.lists.definition import Cell, Choice, Column, ListDefinition, each, number_cell
from agency_site.backoffice.lists.view import list_screen, new_record_link
from agency_site.clock import now
from agency_site.features.booking.admin.consultants.labels import (
    CONSULTANT,
    CONSULTANTS,
    format_ways,
    format_week,
    state_cell,
)
from agency_site.features.booking.bookings.rules import BookingState
from agency_site.features.booking.bookings.tables import Booking
from agency_site.features.booking.consultants.tables import Consultant


def _select_consultants() -> Any:
    upcoming = (
        select(func.count())
        .select_from(Booking)
        .where(
            col(Booking.consultant_id) == col(Consultant.id),
            col(Booking.state) == BookingState.CONFIRMED,
            col(Booking.starts_at) > now(),
        )
        .scalar_subquery()
    )
    return rows_of(Consultant, upcoming.label("upcoming"))


CONSULTANT_LIST_DEFINITION = ListDefinition(
    name="consultants",
    title="Consultants",
    noun=("consultant", "consultants"),
    path=CONSULTANTS,
    permission=Permission.SET_HOURS,
    rows=_select_consultants,
    identity=col(Consultant.id),
    reference=lambda row: row.Consultant.reference,
    columns=(
        Column("name", "Name", lambda row: Cell(row.Consultant.name, "strong"), sort=func.lower(Consultant.name)),
        Column("email", "E-mail", lambda row: Cell(row.Consultant.email)),
        Column("hours", "Hours", lambda row: Cell(format_week(row.Consultant.hours))),
        Column("ways", "Ways", lambda row: Cell(format_ways(row.Consultant.ways.split()))),
        Column("upcoming", "Upcoming bookings", lambda row: number_cell(row.upcoming), caption=True),
        Column("state", "State", lambda row: state_cell(is_active=row.Consultant.is_active)),
    ),
    order="name",
    href=lambda row: f"{CONSULTANT}?ref={row.Consultant.reference}",
    filters=(
        Choice("state", "State", lambda: (("active", "Active"), ("inactive", "Inactive")),
               lambda value: col(Consultant.is_active).is_(value == "active")),
    ),
    search=each(lambda word: func.lower(Consultant.name).contains(word, autoescape=True)),
    search_hint="Name",
    found_everywhere=False,
    empty="No consultants yet. Each time takes as many bookings as the policy under Hours says.",
)  # fmt: skip


def _explanation() -> rx.Component:
    return rx.fragment(
        small_note(
            "The people who take consultations. While one of them is active, clients book a person: each takes one booking at a "
            "time, within their own hours."
        ),
        button_row(new_record_link("New consultant", CONSULTANT)),
    )


CONSULTANT_LIST = list_screen(CONSULTANT_LIST_DEFINITION, _explanation(), icon="users")
