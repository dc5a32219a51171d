"""Reports as CSV files."""

import csv
import io
from typing import Annotated

from fastapi import APIRouter, HTTPException, Path, Request
from fastapi.responses import Response

from agency_site.auth import audit
from agency_site.auth.rules import Permission
from agency_site.backoffice.http_access import require_permission
from agency_site.backoffice.lists.export import harmless
from agency_site.backoffice.periods import parse_days
from agency_site.backoffice.reports.definition import Report, ReportRows, Row, find_report
from agency_site.clock import today
from agency_site.db.engine import report_scope, session_scope

router = APIRouter(prefix="/admin/export/reports", include_in_schema=False)


@router.get("/{key}.csv")
async def export_report(key: Annotated[str, Path(max_length=60)], request: Request) -> Response:
    """Return a report of the days in the address with all its rows."""
    who = await require_permission(request, Permission.SEE_REPORTS, Permission.EXPORT)
    report = find_report(key)
    if report is None:
        raise HTTPException(404, "Not Found")
    first, last = parse_days(request.query_params, today())
    async with session_scope() as session:
        await audit.record(session, who, "list.exported", "list", report.key, f"{first} to {last}")
    async with report_scope() as session:
        content = await report.read_rows(session, first, last)
    headers = {
        "Content-Disposition": f'attachment; filename="{report.key}-{first}-to-{last}.csv"',
        "Cache-Control": "no-store",
        "X-Content-Type-Options": "nosniff",
    }
    return Response(_write_csv(report, content), media_type="text/csv; charset=utf-8", headers=headers)


def _write_csv(report: Report, content: ReportRows) -> bytes:
    text = io.StringIO()
    lines = csv.writer(text)
    lines.writerow([column.heading for column in report.columns])
    rows = [*content.rows, content.total] if content.total and content.rows else content.rows
    lines.writerows(_write_row(row) for row in rows)
    # Excel reads a file with a byte order mark as UTF-8.
    return ("\ufeff" + text.getvalue()).encode()


def _write_row(row: Row) -> list[str | int | float]:
    return ["" if value is None else harmless(value) if isinstance(value, str) else value for value in row]
