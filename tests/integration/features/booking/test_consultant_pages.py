"""The list and the page of consultants: adding, editing, deactivating; permissions, wrong input, edit conflicts."""

from typing import Any

import pytest
from sqlmodel import col, select

from agency_site.auth.rules import Role
from agency_site.auth.tables import AuditEntry
from agency_site.backoffice.lists.definition import read_query
from agency_site.backoffice.lists.query import page_of
from agency_site.backoffice.lists.state import lines_of
from agency_site.db.engine import read_scope
from agency_site.features.booking.admin.consultants.detail import ConsultantPage
from agency_site.features.booking.admin.consultants.list import CONSULTANT_LIST_DEFINITION as CONSULTANTS
from agency_site.features.booking.consultants import staff_usecases as consultants
from agency_site.features.booking.consultants.records import ConsultantRecord
from agency_site.features.booking.consultants.staff_request import ConsultantRequest
from tests.integration.backoffice.conftest import Tab, enter, hire, open_tab
from tests.integration.features.booking.staff import ACTOR, do

pytestmark = pytest.mark.usefixtures("database")

FORM = {"name": "Wanjiru Kamau", "email": "wanjiru@mwanga.example", "video": "on", "monday": "09:00-13:00"}


async def add_consultant(**form: str) -> ConsultantRecord:
    request = ConsultantRequest.model_validate({**FORM, **form})
    record: ConsultantRecord = await do(consultants.save_consultant, request, ACTOR)
    return record


async def open_consultant(consultant: ConsultantRecord | None = None) -> Tab:
    await hire()
    query = f"?ref={consultant.reference}" if consultant else ""
    return await open_tab(ConsultantPage, f"/admin/consultant{query}")


async def stored() -> tuple[ConsultantRecord, ...]:
    async with read_scope() as session:
        return await consultants.list_consultants(session)


async def audited() -> list[tuple[str, str]]:
    async with read_scope() as session:
        query = select(AuditEntry).where(AuditEntry.kind == "consultant").order_by(col(AuditEntry.id))
        return [(entry.action, entry.detail) for entry in await session.exec(query)]


async def test_a_new_consultant_is_added_and_its_page_opens() -> None:
    tab = await open_consultant()
    assert (tab.state.ready, tab.state.draft["karen"], tab.state.draft["name"]) == (True, "Yes", "")
    redirect = await tab.run("save", form=FORM)
    (consultant,) = await stored()
    assert f"/admin/consultant?ref={consultant.reference}" in str(redirect)
    assert (consultant.name, consultant.ways, consultant.hours, consultant.is_active) == (
        "Wanjiru Kamau",
        ("video",),
        {"0": "09:00-13:00"},
        True,
    )
    assert await audited() == [("consultant.created", "")]


@pytest.mark.parametrize(
    ("wrong", "field"),
    [
        ({"name": ""}, "name"),
        ({"email": "wanjiru"}, "email"),
        ({"video": ""}, "video"),
        ({"video_link": "http://meet.example.com"}, "video_link"),
        ({"tuesday": "nine to five"}, "tuesday"),
        ({"tuesday": "13:00-09:00"}, "tuesday"),
    ],
)
async def test_wrong_input_is_refused_at_its_field_and_stores_nothing(
    wrong: dict[str, str], field: str
) -> None:
    tab = await open_consultant()
    await tab.run("save", form={**FORM, **wrong})
    assert list(tab.state.errors) == [field]
    assert await stored() == ()


async def test_a_consultant_is_edited_and_the_audit_log_names_the_fields() -> None:
    consultant = await add_consultant()
    tab = await open_consultant(consultant)
    assert (tab.state.facts["hours"], tab.state.facts["ways"]) == ("Mon 09:00-13:00", "By video")
    await tab.run("edit")
    assert (tab.state.panel, tab.state.draft["monday"]) == ("edit", "09:00-13:00")
    await tab.run("save", form={**FORM, "monday": "", "phone": "on"})
    assert (tab.state.done, tab.state.panel) == ("Saved.", "")
    assert (tab.state.facts["hours"], tab.state.facts["ways"]) == ("All business hours", "By phone, By video")
    assert await audited() == [("consultant.edited", "By phone, Monday")]


async def test_two_editors_of_different_fields_are_merged_and_of_one_field_the_second_chooses() -> None:
    consultant = await add_consultant()
    tab = await open_consultant(consultant)
    await tab.run("edit")
    theirs = ConsultantRequest.model_validate({**FORM, "email": "kamau@mwanga.example", "name": "Wanjiru K."})
    await do(consultants.save_consultant, theirs, ACTOR, consultant.reference, consultant.version)
    await tab.run("save", form={**FORM, "name": "Wanjiru Kamau-Njoroge", "friday": "14:00-17:00"})
    assert [(conflict.label, conflict.theirs) for conflict in tab.state.conflicts] == [("Name", "Wanjiru K.")]
    assert tab.state.conflict_author == ACTOR
    await tab.run("save_mine", _form={})
    (after,) = await stored()
    assert (after.name, after.email) == ("Wanjiru Kamau-Njoroge", "kamau@mwanga.example")
    assert after.hours == {"0": "09:00-13:00", "4": "14:00-17:00"}


async def test_a_consultant_is_deactivated_and_reactivated() -> None:
    tab = await open_consultant(await add_consultant())
    await tab.run("ask_to_deactivate")
    assert tab.state.panel == "deactivate"
    await tab.run("deactivate")
    assert (tab.state.facts["state"], tab.state.panel) == ("Inactive", "")
    await tab.run("reactivate")
    assert tab.state.facts["state"] == "Active"
    assert [action for action, _ in await audited()] == ["consultant.deactivated", "consultant.reactivated"]


async def test_a_stale_page_deactivates_nobody() -> None:
    consultant = await add_consultant()
    tab = await open_consultant(consultant)
    request = ConsultantRequest.model_validate({**FORM, "name": "Wanjiru K."})
    await do(consultants.save_consultant, request, ACTOR, consultant.reference, consultant.version)
    await tab.run("deactivate")
    assert "Your changes were not saved." in tab.state.problem
    assert [person.is_active for person in await stored()] == [True]


@pytest.mark.parametrize("role", [Role.FINANCE, Role.EDITOR, Role.VIEWER, Role.TRAINER])
async def test_roles_that_do_not_set_hours_cannot_open_or_change_consultants(role: Role) -> None:
    consultant = await add_consultant()
    await hire(role=role)
    tab = Tab(ConsultantPage, (await enter()).token, f"/admin/consultant?ref={consultant.reference}")
    for handler, arguments in (("open_record", {}), ("save", {"form": FORM}), ("deactivate", {})):
        await tab.run(handler, **arguments)
        assert tab.back_office.refusal
    assert tab.state.facts == {}
    assert [person.is_active for person in await stored()] == [True]


@pytest.mark.parametrize("argument", [None, 3, "x", [1], {"name": ["a"]}, {"name": "\ud800", "video": "on"}])
async def test_handlers_bear_any_argument_and_no_open_consultant(argument: Any) -> None:
    tab = await open_consultant()
    await tab.run("save", form=argument)
    await tab.run("save_mine", _form=argument)
    for handler in ("edit", "ask_to_deactivate", "deactivate", "reactivate", "keep_theirs"):
        await tab.run(handler)
    assert await stored() == ()


async def test_the_list_shows_hours_ways_and_state() -> None:
    await add_consultant()
    brian = await add_consultant(name="Brian Otieno", monday="", karen="on")
    await do(consultants.deactivate_consultant, brian.reference, brian.version, ACTOR)
    async with read_scope() as session:
        query = read_query(CONSULTANTS, {})
        lines = lines_of(CONSULTANTS, query, await page_of(session, CONSULTANTS, query))
        active = await page_of(
            session, CONSULTANTS, read_query(CONSULTANTS, {"state": "active", "q": "WANJ"})
        )
    assert [[field.text for field in line.fields] for line in lines] == [
        [
            "Brian Otieno",
            "wanjiru@mwanga.example",
            "All business hours",
            "In Karen, By video",
            "0",
            "Inactive",
        ],
        ["Wanjiru Kamau", "wanjiru@mwanga.example", "Mon 09:00-13:00", "By video", "0", "Active"],
    ]
    assert [row.Consultant.name for row in active] == ["Wanjiru Kamau"]
