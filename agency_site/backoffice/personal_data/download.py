"""The download of a visitor's personal data."""

import json

from fastapi import APIRouter, Request, Response

from agency_site.auth import audit
from agency_site.auth.pages import read_posted_form
from agency_site.auth.rules import Permission
from agency_site.backoffice.http_access import require_permission
from agency_site.backoffice.personal_data import data_requests
from agency_site.clock import in_nairobi, now
from agency_site.db.engine import report_scope, session_scope

EXPORT = "/admin/people/export"

router = APIRouter(include_in_schema=False)


@router.post(EXPORT)
async def export(request: Request) -> Response:
    """Return the file. The form is posted, so that no address names the person. Raises as `data_requests.parse_person`."""
    who = await require_permission(request, Permission.PRIVACY, Permission.EXPORT)
    form = await read_posted_form(request)
    person = data_requests.parse_person(form.get("email", ""), form.get("phone", ""))
    reference = data_requests.reference_of(person)
    async with session_scope() as session:
        await audit.record(session, who, "person.exported", "person", reference)
    async with report_scope() as session:
        results = await data_requests.find_records(session, person)
    text = json.dumps(data_requests.document(person, results), ensure_ascii=False, indent=2)
    headers = {
        "Content-Disposition": f'attachment; filename="{reference}-{in_nairobi(now()):%Y-%m-%d}.json"',
        "Cache-Control": "no-store",
        "X-Content-Type-Options": "nosniff",
        "X-Robots-Tag": "noindex, nofollow",
    }
    return Response(text, media_type="application/json; charset=utf-8", headers=headers)
