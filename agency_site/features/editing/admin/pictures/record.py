"""Pictures in the back office: the library with its upload, and the page on which a picture is described, cropped and deleted."""

from collections.abc import Mapping
from dataclasses import replace
from enum import StrEnum
from functools import partial
from typing import Any

import reflex as rx
from sqlalchemy import ColumnElement, and_, delete, inspect, not_, select, update
from sqlmodel import col
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.auth import audit
from agency_site.auth.rules import Permission, Staff
from agency_site.backoffice.elements import card, small_note
from agency_site.backoffice.lists.definition import (
    Cell,
    Choice,
    Column,
    Days,
    moment_cell,
    number_cell,
    search_text_in,
    when,
)
from agency_site.backoffice.record_page import RecordState, record_screens, related_list
from agency_site.backoffice.records import (
    EDIT,
    Action,
    Leave,
    Record,
    Related,
    RelatedLine,
    Values,
    is_changed,
)
from agency_site.clock import now
from agency_site.errors import Conflict, reject
from agency_site.features.editing.admin.pictures.behaviours import FocalPoint
from agency_site.features.editing.admin.pictures.upload import PictureUploads, upload_card
from agency_site.features.editing.admin.pictures.uses import (
    FindUses,
    count_uses,
    find_earlier_uses,
    find_uses,
)
from agency_site.features.editing.pictures.api import PICTURE_LIST, PICTURE_PAGE
from agency_site.features.editing.pictures.processing import redraw_share_form
from agency_site.features.editing.pictures.records import PictureRecord
from agency_site.features.editing.pictures.rules import ALT_LENGTH
from agency_site.features.editing.pictures.staff_request import parse_share
from agency_site.features.editing.pictures.tables import Picture, PictureFile
from agency_site.features.editing.pictures.usecases import read_file
from agency_site.fields import Control, Field
from agency_site.form_input import line, search_text
from agency_site.picture_addresses import SHARE_FORM, PictureAddress


class Description(StrEnum):
    """The state of a picture's description."""

    MISSING = "missing"
    DESCRIBED = "described"
    DECORATIVE = "decorative"


_STATES: Mapping[Description, Cell] = {
    Description.MISSING: Cell("Missing", "bad"),
    Description.DESCRIBED: Cell("Described", "good"),
    Description.DECORATIVE: Cell("Decorative", "quiet"),
}
_CONDITIONS: Mapping[Description, ColumnElement[bool]] = {
    Description.MISSING: and_(not_(col(Picture.is_decorative)), col(Picture.alt) == ""),
    Description.DESCRIBED: col(Picture.alt) != "",
    Description.DECORATIVE: and_(col(Picture.is_decorative)),
}


def _find_description(picture: Picture) -> Description:
    if picture.is_decorative:
        return Description.DECORATIVE
    return Description.DESCRIBED if picture.alt else Description.MISSING


def _state_cell(row: Any) -> Cell:
    return _STATES[_find_description(row.Picture)]


def _description_cell(row: Any) -> Cell:
    is_described = _find_description(row.Picture) is Description.DESCRIBED
    return Cell(row.Picture.alt) if is_described else _state_cell(row)


def _address_of(picture: Picture) -> PictureAddress:
    return PictureRecord.of(picture).address


def _format_size(picture: Picture) -> str:
    return f"{picture.width} × {picture.height}"  # noqa: RUF001 - the sign of multiplication


def _name_cell(row: Any) -> Cell:
    """Return the name, with the smallest form of the picture, or the drawing itself."""
    picture, address = row.Picture, _address_of(row.Picture)
    widths = address.webp_widths
    return Cell(
        picture.name, picture=f"/pictures/{picture.digest}/{widths[0]}.webp" if widths else address.src
    )


def _describe_focus(row: Any) -> Cell:
    return Cell(f"{row.Picture.focus_x} % from the left, {row.Picture.focus_y} % from the top")


def _select_pictures() -> Any:
    return select(Picture, count_uses().label("uses")).where(col(Picture.deleted_at).is_(None))


async def _read_values(_session: AsyncSession, row: Any, _who: Staff) -> Mapping[str, str]:
    picture, address = row.Picture, _address_of(row.Picture)
    share = address.share_src and f"{address.share_src}?v={picture.version}"
    return {"label": _format_size(picture), "src": address.src, "share": share, "alt": picture.alt}


async def _list_uses(find: FindUses, session: AsyncSession, row: Any) -> list[RelatedLine]:
    uses = await find(session, row.Picture.digest)
    return [RelatedLine(f"{use.kind.replace('_', ' ').capitalize()}: {use.title}", "") for use in uses]


async def _complete(session: AsyncSession, picture: Picture, _values: Values, _who: Staff) -> None:
    """Require a description unless the picture is decorative, and store what follows from the fields."""
    if picture.is_decorative:
        picture.alt = ""
    elif not picture.alt:
        raise reject("alt", "Describe what the picture shows, or mark it as decorative.")
    if is_changed(picture, "alt"):
        (former,) = inspect(picture).attrs.alt.history.deleted
        picture.former_alts = sorted({*picture.former_alts, former} - {"", picture.alt})
        picture.search = search_text(picture.name, picture.alt, picture.digest)
    if is_changed(picture, "focus_x") or is_changed(picture, "focus_y"):
        await _redraw_share_file(session, picture)


async def _redraw_share_file(session: AsyncSession, picture: Picture) -> None:
    widths = _address_of(picture).webp_widths
    if not widths:
        return
    largest = await read_file(session, picture.digest, f"{widths[-1]}.webp")
    form = await redraw_share_form(largest.body, picture.focus_x, picture.focus_y)
    files = update(PictureFile).where(
        col(PictureFile.picture_id) == picture.id, col(PictureFile.name) == SHARE_FORM
    )
    await session.exec(files.values(body=form.body))


async def _is_unused(_session: AsyncSession, row: Any) -> bool:
    return bool(row.uses == 0)


async def _delete(session: AsyncSession, picture: Picture, _values: Values, who: Staff) -> Leave:
    if uses := await find_uses(session, picture.digest):
        raise Conflict(
            f"This picture is still used, by “{uses[0].title}” for example. Replace it there first."
        )
    picture.deleted_at = now()
    await session.exec(delete(PictureFile).where(col(PictureFile.picture_id) == picture.id))
    await audit.record(session, who, "picture.deleted", "picture", str(picture.id), picture.digest)
    return Leave(PICTURE_LIST, is_gone=True)


def _share_field(name: str, label: str) -> Field:
    return Field(
        name, label, Control.NUMBER, longest=100, parser=parse_share, group="Focal point",
        group_hint="Click the part of the picture that must stay visible when it is cropped.",
    )  # fmt: skip


_USES = Related("uses", partial(_list_uses, find_uses), is_shown=False, follows_version=False)
_EARLIER_USES = Related(
    "earlier_uses", partial(_list_uses, find_earlier_uses), is_shown=False, follows_version=False
)

PICTURES = Record(
    table=Picture,
    kind="picture",
    noun=("picture", "pictures"),
    icon="camera",
    path=PICTURE_PAGE,
    list_path=PICTURE_LIST,
    parameter="id",
    see=Permission.SEE_CONTENT,
    work=Permission.WORK_CONTENT,
    reference=col(Picture.id),
    missing="This picture does not exist.",
    author="",
    state=_state_cell,
    heading=lambda row: (row.Picture.name, f"Uploaded {when(row.Picture.created_at)} by {row.Picture.author}"),
    fields=(
        Field("alt", "Description", longest=ALT_LENGTH, parser=lambda typed: line(typed, "The description", ALT_LENGTH),
              hint="What it shows, in one sentence, for people who do not see it."),
        Field("is_decorative", "Decorative: it shows nothing that a text could say", Control.TICK, is_required=False),
        _share_field("focus_x", "From the left, in %"),
        _share_field("focus_y", "From the top, in %"),
    ),
    check=_complete,
    opens_form=lambda row: _find_description(row.Picture) is Description.MISSING,
    facts=(
        "alt",
        Column("focus", "Focal point", _describe_focus),
        Column("address", "Address", lambda row: Cell(_address_of(row.Picture).text)),
    ),
    values=_read_values,
    related=(_USES, _EARLIER_USES),
    rows=_select_pictures,
    visible=lambda _who: col(Picture.deleted_at).is_(None),
    columns=(
        Column("name", "Picture", _name_cell),
        Column("description", "Description", _description_cell),
        Column("size", "Size", lambda row: Cell(_format_size(row.Picture), "whole"), unit="pixels"),
        Column("uses", "Used in", lambda row: number_cell(row.uses), caption=True),
        Column("uploaded", "Uploaded", lambda row: moment_cell(row.Picture.created_at), unit="Nairobi",
               sort=col(Picture.created_at)),
        Column("author", "Uploaded by", lambda row: Cell(row.Picture.author)),
        Column("address", "Address", lambda row: Cell(_address_of(row.Picture).text), is_shown=False),
    ),
    order="-uploaded",
    filters=(
        Choice("description", "Description", lambda: [(state.value, cell.text) for state, cell in _STATES.items()],
               lambda value: _CONDITIONS[Description(value)]),
        Days("uploaded", "Uploaded", col(Picture.created_at)),
    ),
    search=search_text_in(col(Picture.search)),
    search_hint="File name, description",
    empty="No pictures yet.",
    attention=("description", Description.MISSING.value),
    actions=(
        Action("delete", "Delete", _delete, event="deleted", is_audited=False, is_offered=_is_unused,
               title="Delete this picture?", confirm="Delete picture",
               question="Its files are removed. Upload it again if you need it later. Earlier versions of texts that show it "
               "cannot be published again without it."),
    ),
    log_labels={"edited": "Picture described", "saved": "Picture described", "uploaded": "Picture uploaded"},
)  # fmt: skip


def _picture_card() -> rx.Component:
    facts = RecordState.facts
    image = rx.el.img(src=facts["src"], alt=facts["alt"], class_name="picture-large")
    return rx.cond(RecordState.panel != EDIT, card("Picture", image, identity="picture-heading"))


def _focal_point() -> rx.Component:
    return FocalPoint.create(
        src=RecordState.facts["src"],
        label=RecordState.facts["alt"],
        across="picture-focus_x",
        down="picture-focus_y",
    )


def _uses_card() -> rx.Component:
    uses, earlier = RecordState.related[_USES.key], RecordState.related[_EARLIER_USES.key]
    return card(
        "Used in",
        rx.cond(uses, related_list(_USES), small_note("Not used anywhere.")),
        rx.cond(
            earlier, rx.fragment(small_note("Only in earlier versions of:"), related_list(_EARLIER_USES))
        ),
        identity="picture-uses",
    )


def _share_card() -> rx.Component:
    share = RecordState.facts["share"]
    image = rx.el.img(src=share, alt="", class_name="picture-share")
    return rx.cond(share != "", card("When shared", image, identity="picture-shared"))


_LIST, _PAGE = record_screens(
    PICTURES,
    above=(upload_card,),
    top=(_picture_card,),
    form=(_focal_point,),
    side=(_uses_card, _share_card),
)
SCREENS = (replace(_LIST, on_load=(*_LIST.on_load, PictureUploads.open_uploads)), _PAGE)
