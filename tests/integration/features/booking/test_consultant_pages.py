"""The list and the page of consultants: adding, editing, deactivating; permissions, wrong input, edit conflicts."""

from dataclasses import replace
from typing import Any

import pytest
from sqlalchemy.exc import IntegrityError
from sqlmodel import col, select

from agency_site.auth.rules import Role
from agency_site.auth.tables import AuditEntry
from agency_site.backoffice import records as framework
from agency_site.backoffice.lists.definition import read_query
from agency_site.backoffice.lists.query import page_of
from agency_site.backoffice.lists.state import lines_of
from agency_site.backoffice.record_page import RecordState
from agency_site.db.engine import read_scope
from agency_site.features.booking.admin.consultants import CONSULTANTS
from agency_site.features.booking.consultants.tables import Consultant
from tests import records
from tests.integration.backoffice.conftest import Tab, enter, hire, open_tab
from tests.integration.features.booking.staff import ACTOR

pytestmark = pytest.mark.usefixtures("database")

EDITOR, OTHER = "amina@mwanga.example", "otieno@mwanga.example"
"""Who uses the page, and who stored the record before."""

FORM = {
    "name": "Wanjiru Kamau",
    "email": "wanjiru@mwanga.example",
    "ways:video": "yes",
    "monday": "09:00-13:00",
}
"""The form as a browser sends it: each ticked way is a field of its own."""
TEXTS = {"name": FORM["name"], "email": FORM["email"], "ways": "video", "monday": FORM["monday"]}


async def add_consultant(**texts: str) -> Consultant:
    row: Consultant = await records.create(CONSULTANTS, {**TEXTS, **texts}, OTHER)
    return row


async def edit_consultant(consultant: Consultant, actor: str = ACTOR, **texts: str) -> Consultant:
    """Save the form of a consultant with these texts changed, as another editor."""
    row: Consultant = await records.edit(CONSULTANTS, consultant.reference, texts, actor)
    return row


async def open_consultant(consultant: Consultant | None = None) -> Tab:
    await hire()
    query = f"?ref={consultant.reference}" if consultant else ""
    return await open_tab(RecordState, f"/admin/consultant{query}")


def details_of(tab: Tab) -> dict[str, str]:
    return {line.label: line.text for line in tab.state.details}


def shown_fields(tab: Tab) -> dict[str, str]:
    """Return the text of each field of the form on the page."""
    return {field.name: field.value for group in tab.state.form for field in group.fields}


async def stored() -> list[Consultant]:
    async with read_scope() as session:
        return list((await session.exec(select(Consultant).order_by(col(Consultant.id)))).all())


async def audited(actor: str = EDITOR) -> list[tuple[str, str]]:
    """Return actions and details of the entries of the editor of the page, oldest first."""
    async with read_scope() as session:
        query = select(AuditEntry).where(AuditEntry.kind == "consultant", AuditEntry.actor == actor)
        entries = await session.exec(query.order_by(col(AuditEntry.id)))
        return [(entry.action, entry.detail) for entry in entries]


async def test_a_new_consultant_is_added_and_its_page_opens() -> None:
    tab = await open_consultant()
    assert (tab.state.ready, shown_fields(tab)["ways"], shown_fields(tab)["name"]) == (
        True,
        "phone\nkaren\nvideo",
        "",
    )
    redirect = await tab.run("run", key="create", form=FORM)
    (consultant,) = await stored()
    assert f"/admin/consultant?ref={consultant.reference}" in str(redirect)
    assert (consultant.name, consultant.ways, consultant.hours, consultant.is_active) == (
        "Wanjiru Kamau",
        "video",
        {"0": "09:00-13:00"},
        True,
    )
    assert await audited() == [("consultant.created", "")]


async def test_a_reference_that_exists_is_drawn_again(monkeypatch: pytest.MonkeyPatch) -> None:
    taken = (await add_consultant()).reference
    drawn = iter([taken, taken, "CO-7F3K9Q"])
    monkeypatch.setattr(framework, "new_reference", lambda _prefix: next(drawn))
    assert (await add_consultant(name="Brian Otieno")).reference == "CO-7F3K9Q"
    assert [person.seat for person in await stored()] == [0, 1]


async def test_what_the_database_refuses_for_another_reason_is_not_tried_again() -> None:
    async def take_first_seat(_session: Any, consultant: Consultant, _values: Any, _who: Any) -> None:
        consultant.seat = 0

    await add_consultant()
    careless = replace(CONSULTANTS, check=take_first_seat)
    with pytest.raises(IntegrityError):
        await records.create(careless, TEXTS, ACTOR)
    assert len(await stored()) == 1


@pytest.mark.parametrize(
    ("wrong", "field"),
    [
        ({"name": ""}, "name"),
        ({"email": "wanjiru"}, "email"),
        ({"ways:video": ""}, "ways"),
        ({"ways": ""}, "ways"),
        ({"video_link": "http://meet.example.com"}, "video_link"),
        ({"tuesday": "nine to five"}, "tuesday"),
        ({"tuesday": "13:00-09:00"}, "tuesday"),
    ],
)
async def test_wrong_input_is_refused_at_its_field_and_stores_nothing(
    wrong: dict[str, str], field: str
) -> None:
    tab = await open_consultant()
    await tab.run("run", key="create", form={**FORM, **wrong})
    assert list(tab.state.errors) == [field]
    assert await stored() == []


async def test_a_consultant_is_edited_and_the_audit_log_names_the_fields() -> None:
    consultant = await add_consultant()
    tab = await open_consultant(consultant)
    details = details_of(tab)
    assert (details["Hours"], details["Ways"]) == ("Mon 09:00-13:00", "By video")
    assert details["Changed"].endswith(f", {OTHER}")
    await tab.run("ask", key="edit")
    assert (tab.state.panel, tab.state.draft["monday"], shown_fields(tab)["monday"]) == (
        "edit",
        "09:00-13:00",
        "09:00-13:00",
    )
    await tab.run("run", key="edit", form={**FORM, "monday": "", "ways:phone": "yes"})
    assert (tab.state.done, tab.state.panel) == ("Saved.", "")
    details = details_of(tab)
    assert (details["Hours"], details["Ways"]) == ("All business hours", "By phone, By video")
    assert details["Changed"].endswith(f", {EDITOR}")
    assert await audited() == [("consultant.edited", "Ways, Monday")]


async def test_two_editors_of_different_fields_are_merged_and_of_one_field_the_second_chooses() -> None:
    consultant = await add_consultant()
    tab = await open_consultant(consultant)
    await tab.run("ask", key="edit")
    await edit_consultant(consultant, email="kamau@mwanga.example", name="Wanjiru K.")
    form = {**FORM, "name": "Wanjiru Kamau-Njoroge", "friday": "14:00-17:00"}
    await tab.run("run", key="edit", form=form)
    assert [(conflict.label, conflict.theirs) for conflict in tab.state.conflicts] == [("Name", "Wanjiru K.")]
    assert tab.state.conflict_author == ACTOR
    await tab.run("save_mine", _form={})
    (after,) = await stored()
    assert (after.name, after.email) == ("Wanjiru Kamau-Njoroge", "kamau@mwanga.example")
    assert after.hours == {"0": "09:00-13:00", "4": "14:00-17:00"}
    assert (tab.state.done, tab.state.panel, tab.state.conflicts) == ("Saved.", "", [])
    assert await audited() == [("consultant.edited", "Name, Friday")]


async def test_the_audit_log_of_the_second_editor_names_only_what_differs_from_the_saved_row() -> None:
    consultant = await add_consultant()
    tab = await open_consultant(consultant)
    await tab.run("ask", key="edit")
    await edit_consultant(consultant, email="kamau@mwanga.example")
    await tab.run("run", key="edit", form={**FORM, "name": "Wanjiru K."})
    assert (tab.state.done, tab.state.conflicts) == ("Saved.", [])
    (after,) = await stored()
    assert (after.name, after.email) == ("Wanjiru K.", "kamau@mwanga.example")
    assert await audited() == [("consultant.edited", "Name")]
    assert await audited(ACTOR) == [("consultant.edited", "E-mail")]


async def test_who_keeps_the_other_version_saves_the_fields_without_dispute() -> None:
    consultant = await add_consultant()
    tab = await open_consultant(consultant)
    await tab.run("ask", key="edit")
    await edit_consultant(consultant, name="Wanjiru K.", ways="karen")
    form = {**FORM, "name": "Wanjiru N.", "ways:phone": "yes", "friday": "14:00-17:00"}
    await tab.run("run", key="edit", form=form)
    assert [conflict.label for conflict in tab.state.conflicts] == ["Name", "Ways"]
    await tab.run("keep_theirs")
    (after,) = await stored()
    assert (after.name, after.ways) == ("Wanjiru K.", "karen")
    assert after.hours == {"0": "09:00-13:00", "4": "14:00-17:00"}
    assert await audited() == [("consultant.edited", "Friday")]


async def test_a_consultant_is_deactivated_and_reactivated() -> None:
    tab = await open_consultant(await add_consultant())
    assert tab.state.possible == ["edit", "deactivate"]
    await tab.run("ask", key="deactivate")
    assert (tab.state.panel, "0 bookings" in tab.state.question) == ("deactivate", True)
    await tab.run("run", key="deactivate", form={})
    assert (tab.state.facts["state"], tab.state.panel) == ("Inactive", "")
    assert (tab.state.done, tab.state.possible) == (
        "The consultant takes no new bookings.",
        ["edit", "reactivate"],
    )
    await tab.run("run", key="reactivate", form={})
    assert (tab.state.facts["state"], tab.state.done) == ("Active", "The consultant takes bookings again.")
    assert [action for action, _ in await audited()] == ["consultant.deactivated", "consultant.reactivated"]


async def test_a_stale_page_deactivates_nobody() -> None:
    consultant = await add_consultant()
    tab = await open_consultant(consultant)
    await edit_consultant(consultant, name="Wanjiru K.")
    await tab.run("run", key="deactivate", form={})
    assert "Your changes were not saved." in tab.state.problem
    assert [person.is_active for person in await stored()] == [True]


@pytest.mark.parametrize("role", [Role.FINANCE, Role.EDITOR, Role.VIEWER, Role.TRAINER])
async def test_roles_that_do_not_set_hours_cannot_open_or_change_consultants(role: Role) -> None:
    consultant = await add_consultant()
    await hire(role=role)
    tab = Tab(RecordState, (await enter()).token, f"/admin/consultant?ref={consultant.reference}")
    events: tuple[tuple[str, dict[str, Any]], ...] = (
        ("open_record", {}),
        ("ask", {"key": "edit"}),
        ("run", {"key": "create", "form": FORM}),
        ("run", {"key": "edit", "form": FORM}),
        ("run", {"key": "deactivate", "form": {}}),
    )
    for handler, arguments in events:
        await tab.run(handler, **arguments)
        assert tab.back_office.refusal
    assert (tab.state.facts, tab.state.details, tab.state.form) == ({}, [], [])
    assert [person.is_active for person in await stored()] == [True]


@pytest.mark.parametrize(
    "argument", [None, 3, "x", [1], {"name": ["a"]}, {"name": "\ud800", "ways:video": "yes"}]
)
async def test_handlers_bear_any_argument_and_no_open_consultant(argument: Any) -> None:
    tab = await open_consultant()
    await tab.run("run", key="create", form=argument)
    await tab.run("save_mine", _form=argument)
    for key in ("edit", "deactivate", "reactivate"):
        await tab.run("ask", key=key)
        await tab.run("run", key=key, form=argument)
        assert tab.state.problem
    await tab.run("keep_theirs")
    assert await stored() == []


async def test_the_list_shows_hours_ways_and_state() -> None:
    await add_consultant()
    brian = await add_consultant(name="Brian Otieno", monday="", ways="karen\nvideo")
    await records.act(CONSULTANTS, "deactivate", brian.reference, ACTOR)
    definition = CONSULTANTS.definition
    async with read_scope() as session:
        query = read_query(definition, {})
        lines = lines_of(definition, query, await page_of(session, definition, query))
        active = await page_of(session, definition, read_query(definition, {"state": "active", "q": "WANJ"}))
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
