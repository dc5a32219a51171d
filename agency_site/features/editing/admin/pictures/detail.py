"""The state of a picture's page: describing it, moving its focal point, deleting it."""

from typing import Any, ClassVar

import reflex as rx
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.auth import audit
from agency_site.auth.rules import Permission, Staff
from agency_site.backoffice.access_control import staff_event
from agency_site.backoffice.detail_page import DetailPage, Edit
from agency_site.backoffice.state import StaffState
from agency_site.db.engine import read_scope, session_scope
from agency_site.errors import NotFound
from agency_site.features.editing.admin.pictures.labels import (
    FIELD_LABELS,
    Description,
    picture_facts,
    picture_fields,
    use_lines,
)
from agency_site.features.editing.admin.pictures.uses import find_earlier_uses, find_uses
from agency_site.features.editing.pictures import staff_usecases
from agency_site.features.editing.pictures.api import PICTURE_LIST
from agency_site.features.editing.pictures.records import PictureRecord
from agency_site.features.editing.pictures.staff_request import PictureRequest
from agency_site.form_input import read_form
from agency_site.ids import parse_id
from agency_site.ui.forms import submitted

EDIT_FORM, DELETE = "edit", "delete"
"""The panels of the page."""


class PicturePage(DetailPage, StaffState):
    """The open picture."""

    VIEW: ClassVar = Permission.SEE_CONTENT
    EDIT: ClassVar = Permission.WORK_CONTENT
    PARAMETER: ClassVar = "id"
    FIELDS: ClassVar = FIELD_LABELS

    uses: rx.Field[list[str]] = rx.field(default_factory=list)
    """The entries that show the picture."""
    earlier_uses: rx.Field[list[str]] = rx.field(default_factory=list)
    """The entries of which only earlier versions show it."""

    @staff_event(Permission.WORK_CONTENT)
    async def edit(self, _who: Staff) -> None:
        await self._begin_edit()

    @staff_event(Permission.WORK_CONTENT)
    async def save(self, who: Staff, form: dict[str, Any]) -> None:
        request = read_form(PictureRequest, submitted(form))
        await self._save_form(who, EDIT_FORM, picture_fields(request))

    @staff_event(Permission.WORK_CONTENT)
    async def ask_to_delete(self, _who: Staff) -> None:
        self._open_panel(DELETE)

    @staff_event(Permission.WORK_CONTENT)
    async def delete(self, who: Staff) -> Any:
        """Delete the picture, and return to the list."""
        identity = _picture_id(self.reference)
        async with session_scope() as session:
            picture = await staff_usecases.find_picture(session, identity)
            uses = await find_uses(session, picture.digest)
            await staff_usecases.delete_picture(session, identity, self.version, uses)
            await audit.record(session, who, "picture.deleted", "picture", self.reference, picture.digest)
        return rx.redirect(PICTURE_LIST, replace=True)

    async def _opened(self, who: Staff) -> None:
        is_missing = self.facts.get("description") == Description.MISSING
        if self.reference and is_missing and not self.panel and who.has_permission(Permission.WORK_CONTENT):
            await self._begin_edit()

    async def _begin_edit(self) -> None:
        async with read_scope() as session:
            picture = await staff_usecases.find_picture(session, _picture_id(self.reference))
        self._open_panel(EDIT_FORM)
        self._open_form(picture)

    async def _apply(self, session: AsyncSession, who: Staff, edit: Edit, version: int) -> str:
        request = read_form(PictureRequest, edit.fields)
        await staff_usecases.save_picture(session, _picture_id(self.reference), version, request)
        await audit.record(session, who, "picture.saved", "picture", self.reference)
        return "Saved."

    def _fields_of(self, record: PictureRecord) -> dict[str, str]:
        return picture_fields(record)

    async def _read(self, session: AsyncSession, _who: Staff, reference: str) -> dict[str, Any]:
        picture = await staff_usecases.find_picture(session, _picture_id(reference))
        return {
            "reference": reference,
            "version": picture.version,
            "facts": picture_facts(picture),
            "uses": use_lines(await find_uses(session, picture.digest)),
            "earlier_uses": use_lines(await find_earlier_uses(session, picture.digest)),
        }


def _picture_id(reference: str) -> int:
    """Return the id in the page's address. Raises NotFound for an invalid one."""
    identity = parse_id(reference)
    if not identity:
        raise NotFound("This picture does not exist.")
    return identity
