"""Use cases of staff: describe and delete pictures."""

from collections.abc import Sequence

from sqlalchemy import delete, update
from sqlmodel import col, select
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.clock import now
from agency_site.db.found_rows import find_one
from agency_site.db.record_versions import update_record
from agency_site.errors import Conflict, StaleRecord
from agency_site.features.editing.pictures.processing import redraw_share_form
from agency_site.features.editing.pictures.records import PictureRecord, PictureUse
from agency_site.features.editing.pictures.staff_request import PictureRequest
from agency_site.features.editing.pictures.tables import Picture, PictureFile
from agency_site.features.editing.pictures.usecases import read_file
from agency_site.form_input import search_text
from agency_site.picture_addresses import SHARE_FORM


async def find_picture(session: AsyncSession, identity: int) -> PictureRecord:
    """Return the picture with that id. Raises NotFound."""
    wanted = select(Picture).where(Picture.id == identity, col(Picture.deleted_at).is_(None))
    row = await find_one(session, wanted, "This picture does not exist.", fresh=True)
    return PictureRecord.of(row)


async def save_picture(
    session: AsyncSession, identity: int, version: int, request: PictureRequest
) -> PictureRecord:
    """Change the description and the focal point of a picture. Raises NotFound and StaleRecord."""
    picture = await find_picture(session, identity)
    search = search_text(picture.name, request.alt, picture.digest)
    row = await session.get_one(Picture, identity)
    former = {*row.former_alts, picture.alt} - {"", request.alt}
    values = request.model_dump() | {"search": search, "updated_at": now(), "former_alts": sorted(former)}
    await _update(session, picture, version, **values)
    if (request.focus_x, request.focus_y) != (picture.focus_x, picture.focus_y):
        await _redraw_share_file(session, picture, request)
    return await find_picture(session, identity)


async def delete_picture(
    session: AsyncSession, identity: int, version: int, uses: Sequence[PictureUse]
) -> None:
    """Delete the files of a picture that is shown nowhere. Raises NotFound, StaleRecord, and Conflict if it has `uses`."""
    picture = await find_picture(session, identity)
    if uses:
        raise Conflict(
            f"This picture is still used, by “{uses[0].title}” for example. Replace it there first."
        )
    await _update(session, picture, version, deleted_at=now())
    await session.exec(delete(PictureFile).where(col(PictureFile.picture_id) == identity))


async def _update(session: AsyncSession, picture: PictureRecord, version: int, **values: object) -> None:
    if not await update_record(session, Picture, picture.id, version, **values):
        raise StaleRecord("this picture", await find_picture(session, picture.id))


async def _redraw_share_file(session: AsyncSession, picture: PictureRecord, request: PictureRequest) -> None:
    widths = picture.address.webp_widths
    if not widths:
        return
    largest = await read_file(session, picture.digest, f"{widths[-1]}.webp")
    form = await redraw_share_form(largest.body, request.focus_x, request.focus_y)
    files = update(PictureFile).where(
        col(PictureFile.picture_id) == picture.id, col(PictureFile.name) == SHARE_FORM
    )
    await session.exec(files.values(body=form.body))
