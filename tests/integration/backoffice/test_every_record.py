"""Every declared record: its page opens, its forms open, two editors meet, and staff without the permission change nothing."""

from collections.abc import Mapping
from typing import Any

import pytest

from agency_site.auth.rules import PERMISSIONS, Permission, Role
from agency_site.backoffice.lists.definition import ListQuery
from agency_site.backoffice.lists.query import open_page
from agency_site.backoffice.record_page import RecordState
from agency_site.backoffice.records import CREATE, EDIT, NOTE, Record, create_record, records, version_of
from agency_site.db.engine import read_scope, session_scope
from agency_site.features.booking.admin.consultants import CONSULTANTS
from agency_site.features.editing.pictures.processing import process_picture
from agency_site.features.editing.pictures.rules import digest_of
from agency_site.features.editing.pictures.staff_request import PictureUpload
from agency_site.features.editing.pictures.usecases import store_picture
from agency_site.staff_application import back_office_groups
from tests import examples
from tests.integration.backoffice.conftest import Tab, enter, hire
from tests.pictures import photo
from tests.records import find, member

EDITS: Mapping[str, tuple[str, str, str]] = {
    "booking": ("fullname", "Their Name", "My Name"),
    "consultant": ("name", "Their Name", "My Name"),
    "coupon": ("uses", "30", "40"),
    "picture": ("alt", "Their words", "My words"),
}
"""A field of each record with fields, with the texts of two editors."""
EMPTY = frozenset({"transaction"})
"""Records of which the examples have none."""

pytestmark = [
    pytest.mark.usefixtures("database"),
    pytest.mark.parametrize("database_url", ["sqlite"], indirect=True),
]


async def fill() -> None:
    """Store examples of all records."""
    assert back_office_groups()
    await examples.fill()
    who = member("owner@example.com")
    async with session_scope() as session:
        texts = CONSULTANTS.first_texts() | {"name": "Wanjiru Kamau"}
        await create_record(session, CONSULTANTS, texts, who)
        content = photo((900, 500))
        picture = await process_picture(content, digest_of(content))
        upload = PictureUpload(name="kiosk.jpg", alt="A kiosk", is_decorative=False)
        await store_picture(session, picture, upload, who.email)


async def find_reference(record: Record) -> str:
    """Return the reference of the first row of the list; empty if there is none."""
    async with read_scope() as session:
        rows = (await open_page(session, record.definition, ListQuery())).rows
    return record.reference_of(rows[0]) if rows else ""


async def open_as(role: Role, record: Record, reference: str) -> Tab:
    token = (await enter(f"{role}@example.com", password=examples.PASSWORD)).token
    tab = Tab(RecordState, token, record.address(reference))
    assert not tab.state.ready, "a page waits until its record has been read"
    await tab.run("open_record")
    return tab


async def find_version(record: Record, reference: str) -> int:
    return version_of(await find(record, reference))


async def test_every_page_names_its_record_and_opens_every_form_that_is_possible() -> None:
    await fill()
    for record in records():
        reference = await find_reference(record)
        assert bool(reference) != (record.kind in EMPTY), record.kind
        if not reference:
            continue
        tab = await open_as(Role.OWNER, record, reference)
        assert (tab.state.problem, tab.state.ready, tab.state.reference) == ("", True, reference), record.kind
        assert tab.state.facts["heading"] in tab.state.subject, record.kind
        assert tab.state.details, record.kind
        for key in tab.state.possible:
            action = record.find_action(key)
            if action and not action.is_asked:
                continue
            await tab.run("ask", key=key)
            assert (tab.state.problem, tab.state.panel) == ("", key), (record.kind, key)
            await tab.run("close_panel")
            assert tab.state.panel == "", (record.kind, key)


async def edit_at_once(record: Record, reference: str, field: str, theirs: str, own: str) -> Any:
    """Have two editors save another text of a field; return the page of the second one."""
    pages = [await open_as(Role.OWNER, record, reference) for _ in range(2)]
    for page in pages:
        await page.run("ask", key=EDIT)
    for page, text in zip(pages, (theirs, own), strict=True):
        await page.run("run", key=EDIT, form={**page.state.draft, field: text})
    return pages[1]


async def test_two_editors_of_every_field_of_a_form_meet_and_the_second_one_chooses() -> None:
    await fill()
    assert {record.kind for record in records() if record.fields} == EDITS.keys()
    for record in records():
        if not record.fields:
            continue
        field, theirs, own = EDITS[record.kind]
        reference = await find_reference(record)
        tab = await edit_at_once(record, reference, field, theirs, own)
        label = record.find_field(field).label
        assert [(each.label, each.theirs, each.own) for each in tab.state.conflicts] == [(label, theirs, own)]
        await tab.run("keep_theirs")
        assert (tab.state.conflicts, tab.state.done) == ([], "The saved version was kept."), record.kind
        assert record.texts(await find(record, reference))[field] == theirs, record.kind


def roles_without(permission: Permission) -> list[Role]:
    """Return the roles of the examples that lack a permission."""
    return [role for role in Role if permission not in PERMISSIONS[role]]


async def test_staff_without_the_permission_see_no_page_and_change_no_record() -> None:
    await fill()
    await hire()
    for record in records():
        if not (reference := await find_reference(record)):
            continue
        before = await find_version(record, reference)
        for role in roles_without(record.see):
            tab = await open_as(role, record, reference)
            assert (tab.back_office.refusal != "", tab.state.facts) == (True, {}), (record.kind, role)
        keys = (CREATE, EDIT, NOTE, *(action.key for action in record.actions))
        for key in keys:
            wanted = record.permission_to(key) or record.work
            role = roles_without(wanted)[0]
            tab = await open_as(role, record, reference)
            for handler, arguments in (("ask", {"key": key}), ("run", {"key": key, "form": {}})):
                await tab.run(handler, **arguments)
                assert tab.back_office.refusal, (record.kind, key, role)
        assert await find_version(record, reference) == before, record.kind
