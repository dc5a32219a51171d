"""The import of an M-Pesa statement: a file that the browser of a member of staff posts."""

import asyncio
from collections.abc import Mapping
from urllib.parse import urlencode

from fastapi import APIRouter, Request
from fastapi.responses import Response
from starlette.datastructures import UploadFile

from agency_site.auth import audit
from agency_site.auth.pages import go, require_own_origin
from agency_site.auth.rules import Permission, Staff
from agency_site.backoffice.http_access import require_permission
from agency_site.db.engine import session_scope
from agency_site.errors import SiteError
from agency_site.features.checkout.statements.usecases import ImportResult, import_statement, store_import
from agency_site.mpesa.statement import UnreadableStatement, parse_statement
from agency_site.signing import is_signed, sign

STATEMENTS = "/admin/statements"

STATEMENT_IMPORT = f"{STATEMENTS}/import"

STATEMENT_FIELD = "statement"

STATEMENT_FILES = ".csv,text/csv,.xlsx,application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
"""The file types that the browser offers."""

LARGEST_STATEMENT = 900 * 1024
"""Bytes of the request; the proxy in `deploy/Caddyfile` passes 1 MB."""

_PURPOSE = "statement-problem"

router = APIRouter(include_in_schema=False)


@router.post(STATEMENT_IMPORT)
async def receive_statement(request: Request) -> Response:
    """Import the file, then show the result, or why it was not imported. Raises FromElsewhere."""
    who = await require_permission(request, Permission.WORK_PAYMENTS)
    require_own_origin(request)
    try:
        number = await _import_file(await _read_file(request), who)
    except UnreadableStatement as unreadable:
        return _redirect_with_problem(str(unreadable))
    except SiteError as refused:
        return _redirect_with_problem(refused.message)
    return go(f"{STATEMENTS}?import={number}")


async def _read_file(request: Request) -> bytes:
    async with request.form(max_files=1, max_fields=5) as form:
        file = form.get(STATEMENT_FIELD)
        content = await file.read() if isinstance(file, UploadFile) else b""
    if not content:
        raise UnreadableStatement("Please choose the file of the statement.")
    return content


async def _import_file(content: bytes, who: Staff) -> int:
    statement = await asyncio.to_thread(parse_statement, content)
    result = await import_statement(session_scope, statement, who.email)
    async with session_scope() as session:
        number = await store_import(session, statement, result, who.email)
        await audit.record(
            session, who, "statement.imported", "statement", str(number), _describe_counts(result)
        )
    return number


def _describe_counts(result: ImportResult) -> str:
    counts = (
        (len(result.paid), "paid"),
        (len(result.review), "to review"),
        (len(result.unassigned), "unassigned"),
        (len(result.returned), "reversed"),
        (len(result.unpaid), "ended without payment"),
        (result.known, "known"),
        (len(result.unread), "not read"),
    )
    return ", ".join(f"{number} {label}" for number, label in counts)


def _redirect_with_problem(problem: str) -> Response:
    return go(f"{STATEMENTS}?{urlencode({'problem': problem, 'signature': sign(_PURPOSE, problem)})}")


def read_problem(query: Mapping[str, object]) -> str:
    """Return why the last file was not imported; empty if the address has no reason that this site signed."""
    problem, signature = str(query.get("problem", "")), str(query.get("signature", ""))
    return problem if problem and is_signed(signature, _PURPOSE, problem) else ""
