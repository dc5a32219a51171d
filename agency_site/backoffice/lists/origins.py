"""Columns and filters of lists whose records store the origin of a visit."""

from typing import Any

from sqlalchemy import ColumnElement, SQLColumnExpression, and_, literal_column
from sqlmodel import col

from agency_site.backoffice.lists.definition import Cell, Column, ExactText, Filter, record_of
from agency_site.visits.rules import clean_part

_SOURCE, _CAMPAIGN = ("visit-source", "Visit source"), ("visit-campaign", "Campaign")


def origin_columns(table: Any) -> tuple[Column, ...]:
    """Return the columns of a `table` with `WithOrigin`; files have them by default."""
    return (
        Column(*_SOURCE, lambda row: Cell(record_of(row, table).visit_source), is_shown=False, exported=True),
        Column(
            *_CAMPAIGN, lambda row: Cell(record_of(row, table).visit_campaign), is_shown=False, exported=True
        ),
    )


def origin_filters(table: Any) -> tuple[Filter, ...]:
    """Return the filters of a `table` with `WithOrigin`."""
    return (
        ExactText(*_SOURCE, clean_part, lambda value: _is_exactly(col(table.visit_source), value)),
        ExactText(*_CAMPAIGN, clean_part, lambda value: _is_exactly(col(table.visit_campaign), value)),
    )


def _is_exactly(column: SQLColumnExpression[str], value: str) -> ColumnElement[bool]:
    # A literal instead of a parameter: databases use the partial index only if they see that its condition holds.
    no_text: ColumnElement[str] = literal_column("''")
    return and_(column == value, column != no_text)
