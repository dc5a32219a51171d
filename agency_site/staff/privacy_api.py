"""All that is held about a person, as a file to hand over."""

import json

from fastapi import APIRouter, Request, Response

from agency_site.clock import in_nairobi, now
from agency_site.db.engine import report_scope, session_scope
from agency_site.staff import audit, privacy
from agency_site.staff.admission import require_staff
from agency_site.staff.entry import posted
from agency_site.staff.rules import Right

EXPORT = "/admin/people/export"

router = APIRouter(include_in_schema=False)


@router.post(EXPORT)
async def export(request: Request) -> Response:
    """The file; posted, so that whom it is about stands in no address. Raises as `privacy.sought` does."""
    who = await require_staff(request, Right.PRIVACY, Right.EXPORT)
    form = await posted(request)
    person = privacy.sought(form.get("email", ""), form.get("phone", ""))
    reference = privacy.reference_of(person)
    async with session_scope() as session:
        await audit.record(session, who, "person.exported", "person", reference)
    async with report_scope() as session:
        found = await privacy.held(session, person)
    text = json.dumps(privacy.document(person, found), ensure_ascii=False, indent=2)
    headers = {
        "Content-Disposition": f'attachment; filename="{reference}-{in_nairobi(now()):%Y-%m-%d}.json"',
        "Cache-Control": "no-store",
        "X-Content-Type-Options": "nosniff",
        "X-Robots-Tag": "noindex, nofollow",
    }
    return Response(text, media_type="application/json; charset=utf-8", headers=headers)
