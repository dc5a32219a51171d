"""What the academy's tables hold about visitors: nothing but what an order's export shows with it."""

from agency_site.db.personal_data import ClassifiedColumns
from agency_site.features.academy.tables import Enrolment, PlaceReservation

CLASSIFIED = (
    ClassifiedColumns(
        table=Enrolment,
        shown=("id", "reference", "course_slug", "course_name", "places", "created_at", "ended_at"),
        internal=("order_id", "run_id"),
    ),
    ClassifiedColumns(table=PlaceReservation, internal=("id", "order_id", "run_id", "places", "kept_until")),
)
"""Enrolments are exported with their orders, which say whose they are."""
