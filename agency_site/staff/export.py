"""Any list as CSV, as filtered: streamed row by row, safe to open in a spreadsheet."""

import csv
import io
from collections.abc import AsyncIterator, Sequence

from fastapi import APIRouter, HTTPException, Request
from fastapi.responses import StreamingResponse
from sqlmodel.sql.expression import SelectOfScalar

from agency_site.clock import in_nairobi, now
from agency_site.db.engine import report_scope, session_scope
from agency_site.staff import audit
from agency_site.staff.admission import require_staff
from agency_site.staff.list_index import listing_named
from agency_site.staff.list_query import ordered
from agency_site.staff.listing import Asked, Listing, read_asked, shown_columns

router = APIRouter(prefix="/admin/export", include_in_schema=False)
CHUNK = 500
"""Rows that are held in memory at a time."""
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def harmless(text: str) -> str:
    """`text` as a spreadsheet may show it: what would be read as a formula begins with an apostrophe (OWASP)."""
    return f"'{text}" if text.startswith(_FORMULA) else text


@router.get("/{name}.csv")
async def export(name: str, request: Request) -> StreamingResponse:
    """The rows that the list's address asks for, all pages of them."""
    listing = listing_named(name)
    if listing is None:
        raise HTTPException(404, "Not Found")
    who = await require_staff(request, listing.right)
    asked = read_asked(listing, request.query_params)
    async with session_scope() as session:
        # Which filters, not their values: the words of a search may name a person.
        await audit.record(session, who, "list.exported", "list", listing.name, ", ".join(asked.filters))
    stamp = f"{in_nairobi(now()):%Y-%m-%d}"
    headers = {
        "Content-Disposition": f'attachment; filename="{listing.name}-{stamp}.csv"',
        "Cache-Control": "no-store",
        "X-Content-Type-Options": "nosniff",
    }
    return StreamingResponse(
        lines_of_export(listing, asked), media_type="text/csv; charset=utf-8", headers=headers
    )


async def lines_of_export(listing: Listing, asked: Asked) -> AsyncIterator[bytes]:
    """The file, piece by piece; never more than a piece of it is in memory."""
    columns = shown_columns(listing, asked)
    # The mark at the beginning tells Excel that this is UTF-8.
    yield b"\xef\xbb\xbf" + _written([[column.label for column in columns]])
    async with report_scope() as session:
        statement = ordered(listing, asked)
        rows = await session.stream(statement.execution_options(yield_per=CHUNK))
        whole = rows.scalars() if isinstance(statement, SelectOfScalar) else rows
        async for some in whole.partitions(CHUNK):
            yield _written([[column.cell(row).text for column in columns] for row in some])


def _written(rows: Sequence[Sequence[str]]) -> bytes:
    text = io.StringIO()
    csv.writer(text).writerows([[harmless(cell) for cell in row] for row in rows])
    return text.getvalue().encode()
