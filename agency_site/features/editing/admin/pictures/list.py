"""The list of pictures, with the upload above it."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import reflex as rx
from sqlalchemy import ColumnElement, and_, not_, select
from sqlmodel import col

from agency_site.auth.rules import Permission, Staff
from agency_site.backoffice.access_control import staff_page
from agency_site.backoffice.behaviours import PostedForm
from agency_site.backoffice.elements import card, small_note
from agency_site.backoffice.lists.definition import (
    Cell,
    Choice,
    Column,
    Days,
    ListDefinition,
    moment_cell,
    number_cell,
    search_text_in,
)
from agency_site.backoffice.lists.view import list_screen
from agency_site.backoffice.state import StaffState, has_permission
from agency_site.features.editing.admin.pictures.behaviours import PictureUpload
from agency_site.features.editing.admin.pictures.labels import (
    DESCRIPTIONS,
    Description,
    description_of,
    preview_src,
    size_text,
)
from agency_site.features.editing.admin.pictures.uses import count_uses
from agency_site.features.editing.pictures.api import PICTURE_LIST, PICTURE_PAGE, PICTURE_UPLOAD, read_problem
from agency_site.features.editing.pictures.records import PictureRecord
from agency_site.features.editing.pictures.rules import ACCEPTED_FILES, LARGEST_FILE_MB, PICTURE_FIELD
from agency_site.features.editing.pictures.tables import Picture
from agency_site.ui.elements import button, notice
from agency_site.ui.forms import field

_CONDITIONS: Mapping[Description, ColumnElement[bool]] = {
    Description.MISSING: and_(not_(col(Picture.is_decorative)), col(Picture.alt) == ""),
    Description.DESCRIBED: col(Picture.alt) != "",
    Description.DECORATIVE: and_(col(Picture.is_decorative)),
}


class PictureUploads(StaffState):
    """The result of an upload by the form itself, without scripts."""

    upload_problem: rx.Field[str] = rx.field("")
    """Why the last file was not accepted."""

    @staff_page(Permission.SEE_CONTENT)
    async def open_uploads(self, _who: Staff) -> None:
        """Show why the last file was not accepted."""
        self.upload_problem = read_problem(self.router.url.query_parameters)


def _picture_rows() -> Any:
    return select(Picture, count_uses().label("uses")).where(col(Picture.deleted_at).is_(None))


def _name_cell(picture: Picture) -> Cell:
    return Cell(picture.name, picture=preview_src(PictureRecord.of(picture)))


def _description_cell(picture: Picture) -> Cell:
    description = description_of(picture.alt, is_decorative=picture.is_decorative)
    return Cell(picture.alt) if description is Description.DESCRIBED else DESCRIPTIONS[description]


PICTURE_LIST_DEFINITION = ListDefinition(
    name="pictures",
    title="Pictures",
    noun=("picture", "pictures"),
    path=PICTURE_LIST,
    permission=Permission.SEE_CONTENT,
    rows=_picture_rows,
    identity=col(Picture.id),
    reference=lambda row: str(row.Picture.id),
    columns=(
        Column("name", "Picture", lambda row: _name_cell(row.Picture)),
        Column("description", "Description", lambda row: _description_cell(row.Picture)),
        Column("size", "Size", lambda row: Cell(size_text(row.Picture.width, row.Picture.height), "whole"), unit="pixels"),
        Column("uses", "Used in", lambda row: number_cell(row.uses), caption=True),
        Column("uploaded", "Uploaded", lambda row: moment_cell(row.Picture.created_at), unit="Nairobi",
               sort=col(Picture.created_at)),
        Column("author", "Uploaded by", lambda row: Cell(row.Picture.author)),
        Column("address", "Address", lambda row: Cell(PictureRecord.of(row.Picture).address.text), is_shown=False),
    ),
    order="-uploaded",
    href=lambda row: f"{PICTURE_PAGE}?id={row.Picture.id}",
    filters=(
        Choice(
            "description",
            "Description",
            lambda: [(state.value, cell.text) for state, cell in DESCRIPTIONS.items()],
            lambda value: _CONDITIONS[Description(value)],
        ),
        Days("uploaded", "Uploaded", col(Picture.created_at)),
    ),
    search=search_text_in(col(Picture.search)),
    search_hint="File name, description",
    empty="No pictures yet.",
    attention=("description", Description.MISSING.value),
)  # fmt: skip


def _upload_card() -> rx.Component:
    form = PostedForm.create(
        small_note(
            "Choose files, drop them here, or paste a picture from the clipboard. Place and camera data are removed.",
        ),
        field(
            "Pictures", PICTURE_FIELD, form="upload", type="file", accept=ACCEPTED_FILES, multiple=True,
            hint=f"JPEG, PNG, WebP, AVIF or SVG, at most {LARGEST_FILE_MB} MB each.",
        ),
        button("Upload", type="submit"),
        action=PICTURE_UPLOAD,
        method="post",
        enc_type="multipart/form-data",
        class_name="record-form",
    )  # fmt: skip
    problem = rx.cond(
        PictureUploads.upload_problem != "",
        notice(PictureUploads.upload_problem, tone="error"),
    )
    return rx.cond(
        has_permission(Permission.WORK_CONTENT),
        card("Upload pictures", problem, PictureUpload.create(form), identity="picture-upload"),
    )


_LIST = list_screen(PICTURE_LIST_DEFINITION, _upload_card(), icon="camera")
PICTURE_LIST_SCREEN = replace(_LIST, on_load=(*_LIST.on_load, PictureUploads.open_uploads))
