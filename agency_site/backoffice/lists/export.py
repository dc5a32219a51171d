"""Export of any list as CSV, with its filters: streamed row by row, safe to open in a spreadsheet."""

import csv
import io
import unicodedata
from collections.abc import AsyncIterator, Sequence
from datetime import datetime

from fastapi import APIRouter, HTTPException, Request
from fastapi.responses import StreamingResponse
from sqlmodel.sql.expression import SelectOfScalar

from agency_site.auth import audit
from agency_site.auth.rules import Permission
from agency_site.backoffice.http_access import require_permission
from agency_site.backoffice.lists.definition import (
    Cell,
    Column,
    ListDefinition,
    ListQuery,
    exported_columns,
    find_definition,
    read_query,
)
from agency_site.backoffice.lists.query import ordered
from agency_site.clock import in_nairobi, now
from agency_site.db.engine import report_scope, session_scope
from agency_site.phone_numbers import format_foreign_number

router = APIRouter(prefix="/admin/export", include_in_schema=False)
CHUNK = 500
"""Rows in memory at a time."""
_FORMULA = ("=", "+", "-", "@")
_CONTROLS = ("\t", "\r", "\n")


def harmless(text: str) -> str:
    """Return `text` with an apostrophe before anything that a spreadsheet would read as a formula (OWASP).

    Some spreadsheets skip blanks and invisible characters first, and read full-width signs as the plain ones.
    """
    visible = (char for char in text if not char.isspace() and unicodedata.category(char) not in ("Cc", "Cf"))
    sign = unicodedata.normalize("NFKC", next(visible, ""))
    return f"'{text}" if sign.startswith(_FORMULA) or text.startswith(_CONTROLS) else text


def format_for_spreadsheets(moment: datetime) -> str:
    """Format a moment as Nairobi time: Excel and LibreOffice do not read ISO 8601 with an offset as a time."""
    return f"{in_nairobi(moment):%Y-%m-%d %H:%M:%S}"


def in_file(cell: Cell) -> str | int:
    """Return the value of a cell for a file: plain numbers, moments in Nairobi time, texts made harmless.

    A foreign phone number keeps its plus: spreadsheets read digits with spaces as text, not as a formula.
    """
    if isinstance(cell.raw, datetime):
        return format_for_spreadsheets(cell.raw)
    return (format_foreign_number(cell.text) or harmless(cell.text)) if cell.raw is None else cell.raw


@router.get("/{name}.csv")
async def export(name: str, request: Request) -> StreamingResponse:
    """Return all rows of the address's query, over all pages."""
    definition = find_definition(name)
    if definition is None:
        raise HTTPException(404, "Not Found")
    who = await require_permission(request, definition.permission, Permission.EXPORT)
    definition = definition.seen_by(who)
    list_query = read_query(definition, request.query_params)
    async with session_scope() as session:
        # Which filters, not their values: the words of a search may name a person.
        await audit.record(
            session, who, "list.exported", "list", definition.name, ", ".join(list_query.filters)
        )
    stamp = f"{in_nairobi(now()):%Y-%m-%d}"
    headers = {
        "Content-Disposition": f'attachment; filename="{definition.name}-{stamp}.csv"',
        "Cache-Control": "no-store",
        "X-Content-Type-Options": "nosniff",
    }
    return StreamingResponse(
        lines_of_export(definition, list_query), media_type="text/csv; charset=utf-8", headers=headers
    )


async def lines_of_export(definition: ListDefinition, list_query: ListQuery) -> AsyncIterator[bytes]:
    """Yield the file in pieces; only one piece is in memory at a time."""
    columns = exported_columns(definition, list_query)
    # The byte order mark makes Excel read UTF-8.
    yield b"\xef\xbb\xbf" + _csv_lines([[_heading(column) for column in columns]])
    async with report_scope() as session:
        statement = ordered(definition, list_query)
        rows = await session.stream(statement.execution_options(yield_per=CHUNK))
        records = rows.scalars() if isinstance(statement, SelectOfScalar) else rows
        async for chunk in records.partitions(CHUNK):
            yield _csv_lines([[in_file(column.cell(row)) for column in columns] for row in chunk])


def _heading(column: Column) -> str:
    return f"{column.label} ({column.unit})" if column.unit else column.label


def _csv_lines(rows: Sequence[Sequence[str | int]]) -> bytes:
    text = io.StringIO()
    csv.writer(text).writerows(rows)
    return text.getvalue().encode()
