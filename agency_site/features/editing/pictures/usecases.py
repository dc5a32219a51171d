"""Use cases of pictures: store an uploaded one, find it, read its files."""

from collections.abc import Iterable, Sequence
from urllib.parse import urlsplit

from sqlmodel import col, select
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.clock import now
from agency_site.content.link_targets import is_delivered
from agency_site.db.found_rows import find_one
from agency_site.db.inserts import insert_new
from agency_site.db.record_versions import update_record
from agency_site.errors import NotFound
from agency_site.features.editing.pictures.forms import PictureForm, ProcessedPicture
from agency_site.features.editing.pictures.records import PictureRecord
from agency_site.features.editing.pictures.staff_request import PictureUpload
from agency_site.features.editing.pictures.tables import Picture, PictureFile
from agency_site.form_input import search_text
from agency_site.picture_addresses import CENTRE, PICTURES

_NEWEST_PICTURES = 60


async def store_picture(
    session: AsyncSession, picture: ProcessedPicture, upload: PictureUpload, actor: str
) -> PictureRecord:
    """Store a picture with its files, and return it. A picture that is stored already stays as it is; a deleted one returns."""
    address, moment = picture.address, now()
    alt = "" if upload.is_decorative else upload.alt
    values = {
        "name": upload.name,
        "suffix": address.suffix,
        "width": address.width,
        "height": address.height,
        "alt": alt,
        "is_decorative": upload.is_decorative,
        "focus_x": CENTRE,
        "focus_y": CENTRE,
        "author": actor,
        "search": search_text(upload.name, alt, address.digest),
        "created_at": moment,
        "updated_at": moment,
        "deleted_at": None,
    }
    new_ids = await insert_new(session, Picture, [{"digest": address.digest, "version": 1, **values}])
    if not new_ids:
        wanted = select(Picture).where(Picture.digest == address.digest)
        row = await find_one(session, wanted, "This picture does not exist.", fresh=True)
        if row.deleted_at is None or not await update_record(session, Picture, row.id, row.version, **values):
            return await find_by_digest(session, address.digest)
        new_ids = [row.id or 0]
    session.add_all(
        PictureFile(picture_id=new_ids[0], name=form.name, media_type=form.media_type, body=form.body)
        for form in picture.forms
    )
    await session.flush()
    return await find_by_digest(session, address.digest)


async def find_by_digest(session: AsyncSession, digest: str) -> PictureRecord:
    """Return the picture with that digest. Raises NotFound."""
    wanted = select(Picture).where(Picture.digest == digest, col(Picture.deleted_at).is_(None))
    row = await find_one(session, wanted, "This picture does not exist.", fresh=True)
    return PictureRecord.of(row)


async def list_pictures(session: AsyncSession, most: int = _NEWEST_PICTURES) -> Sequence[PictureRecord]:
    """Return the latest pictures, for choosing one."""
    wanted = select(Picture).where(col(Picture.deleted_at).is_(None))
    newest = wanted.order_by(col(Picture.created_at).desc(), col(Picture.id).desc()).limit(most)
    return [PictureRecord.of(row) for row in (await session.exec(newest)).all()]


async def find_missing_pictures(session: AsyncSession, addresses: Iterable[str]) -> list[str]:
    """Return those of the addresses at which this site shows no picture, uploaded or delivered."""
    paths = {address: urlsplit(address).path for address in dict.fromkeys(addresses)}
    uploaded = await _list_uploaded(session, paths.values())
    return [address for address, path in paths.items() if path not in uploaded and not is_delivered(path)]


async def _list_uploaded(session: AsyncSession, paths: Iterable[str]) -> set[str]:
    """Return those of the paths at which the library has a file. A deleted picture has none."""
    digests = {path.removeprefix(PICTURES).partition("/")[0] for path in paths if path.startswith(PICTURES)}
    files = select(Picture.digest, PictureFile.name).where(
        PictureFile.picture_id == Picture.id, col(Picture.digest).in_(digests)
    )
    return {f"{PICTURES}{digest}/{name}" for digest, name in await session.exec(files)}


async def read_file(session: AsyncSession, digest: str, name: str) -> PictureForm:
    """Return a file of a picture. Raises NotFound."""
    wanted = select(PictureFile.media_type, PictureFile.body).where(
        PictureFile.picture_id == Picture.id, Picture.digest == digest, PictureFile.name == name
    )
    row = (await session.exec(wanted)).one_or_none()
    if row is None:
        raise NotFound("This picture does not exist.")
    media_type, body = row
    return PictureForm(name, media_type, body)
