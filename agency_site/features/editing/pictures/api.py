"""The files of pictures, and the upload of one by the browser of a member of staff."""

import re
from collections.abc import Mapping
from urllib.parse import urlencode

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse, Response
from starlette.datastructures import UploadFile

from agency_site.accept_headers import has_etag, weights
from agency_site.auth import audit
from agency_site.auth.pages import go, require_own_origin
from agency_site.auth.rules import Permission, Staff
from agency_site.backoffice.http_access import require_permission
from agency_site.db.engine import read_scope, session_scope
from agency_site.errors import InputRejected, NotFound
from agency_site.features.editing.pictures.forms import PictureForm
from agency_site.features.editing.pictures.processing import process_picture
from agency_site.features.editing.pictures.recent_files import RecentFiles
from agency_site.features.editing.pictures.records import PictureRecord
from agency_site.features.editing.pictures.rules import PICTURE_FIELD, digest_of, picture_problem
from agency_site.features.editing.pictures.staff_request import PictureUpload
from agency_site.features.editing.pictures.usecases import find_by_digest, read_file, store_picture
from agency_site.form_input import read_form
from agency_site.picture_addresses import SHARE_FORM
from agency_site.signing import is_signed, sign

PICTURE_LIST, PICTURE_PAGE = "/admin/pictures", "/admin/picture"
PICTURE_UPLOAD = f"{PICTURE_LIST}/upload"

_DIGEST = re.compile("[0-9a-f]{16}")
_NAME = re.compile(r"[0-9]{1,4}\.webp|[0-9]{1,4}x[0-9]{1,4}\.(?:jpg|png|svg)|share\.jpg")
_A_YEAR = "public, max-age=31536000, immutable"
_AN_HOUR = "public, max-age=3600"
"""For the picture of messengers, which changes with the focal point."""
_DRAWING_POLICY = "default-src 'none'; style-src 'unsafe-inline'; sandbox"
"""Even opened by itself a drawing is only displayed."""
_PURPOSE = "picture-problem"

router = APIRouter(include_in_schema=False)
_recent_files = RecentFiles()


@router.get("/pictures/{digest}/{name}")
async def show_picture(digest: str, name: str, request: Request) -> Response:
    """Serve a file of a picture. Raises NotFound."""
    if not (_DIGEST.fullmatch(digest) and _NAME.fullmatch(name)):
        raise NotFound("This picture does not exist.")

    async def load() -> PictureForm:
        async with read_scope() as session:
            return await read_file(session, digest, name)

    file = await _recent_files.read(f"{digest}/{name}", load)
    headers = {
        "Cache-Control": _AN_HOUR if name == SHARE_FORM else _A_YEAR,
        "ETag": file.etag,
        "X-Content-Type-Options": "nosniff",
    }
    if file.form.media_type == "image/svg+xml":
        headers["Content-Security-Policy"] = _DRAWING_POLICY
    if has_etag(request.headers.get("if-none-match", ""), file.etag):
        return Response(status_code=304, headers=headers)
    return Response(file.form.body, headers=headers, media_type=file.form.media_type)


@router.post(PICTURE_UPLOAD)
async def receive_picture(request: Request) -> Response:
    """Store the file. The editor gets the picture as JSON; a plain form leads to the picture's page.

    Raises FromElsewhere, and InputRejected if the editor asks.
    """
    who = await require_permission(request, Permission.WORK_CONTENT)
    require_own_origin(request)
    is_for_editor = weights(request.headers.get("accept", "")).get("application/json", 0.0) > 0
    try:
        picture = await _store_upload(*await _read_upload(request), who)
    except InputRejected as refused:
        if is_for_editor:
            raise
        return go(f"{PICTURE_LIST}?{urlencode(_signed_problem(refused.message))}")
    return JSONResponse(_describe(picture)) if is_for_editor else go(f"{PICTURE_PAGE}?id={picture.id}")


async def _read_upload(request: Request) -> tuple[bytes, PictureUpload]:
    async with request.form(max_files=1, max_fields=5) as form:
        file = form.get(PICTURE_FIELD)
        # A form in which no file was chosen sends one without a name.
        if not isinstance(file, UploadFile) or not file.filename:
            raise picture_problem("Please choose a picture.")
        fields = {"name": file.filename, "alt": form.get("alt"), "is_decorative": form.get("decorative")}
        return await file.read(), read_form(PictureUpload, fields)


async def _store_upload(content: bytes, upload: PictureUpload, who: Staff) -> PictureRecord:
    """Return the picture of a file, which is decoded only if it is not stored yet."""
    digest = digest_of(content)
    try:
        async with read_scope() as session:
            return await find_by_digest(session, digest)
    except NotFound:
        processed = await process_picture(content, digest)
    async with session_scope() as session:
        picture = await store_picture(session, processed, upload, who.email)
        await audit.record(session, who, "picture.uploaded", "picture", str(picture.id), picture.digest)
    return picture


def _describe(picture: PictureRecord) -> dict[str, str | int]:
    return {
        "id": picture.id,
        "src": picture.address.text,
        "alt": picture.alt,
        "width": picture.width,
        "height": picture.height,
        "digest": picture.digest,
    }


def _signed_problem(problem: str) -> dict[str, str]:
    return {"problem": problem, "signature": sign(_PURPOSE, problem)}


def read_problem(query: Mapping[str, object]) -> str:
    """Return why the last file was not accepted; empty if the address has no reason that this site signed."""
    problem, signature = str(query.get("problem", "")), str(query.get("signature", ""))
    return problem if problem and is_signed(signature, _PURPOSE, problem) else ""
