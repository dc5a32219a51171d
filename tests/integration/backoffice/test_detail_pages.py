"""Detail pages that two members of staff use at the same time."""

from typing import Any

import pytest

from agency_site.auth import accounts
from agency_site.auth.rules import Role
from agency_site.backoffice.accounts.detail import StaffAccountPage
from agency_site.db.engine import read_scope, session_scope
from agency_site.features.newsletter import issues
from agency_site.features.newsletter.admin.issue_detail import IssuePage
from agency_site.features.newsletter.issues import IssueRecord
from agency_site.features.newsletter.request import IssueDraft
from agency_site.features.newsletter.rules import IssueState
from tests.integration.backoffice.conftest import hire, open_tab
from tests.integration.features.newsletter.readers import reader

pytestmark = pytest.mark.usefixtures("database")
OTHER = "brian@mwanga.example"
DRAFT = IssueDraft("The queue", "the-queue", "", "People wait.", ())


async def _stored(reference: str) -> IssueRecord:
    async with read_scope() as session:
        return await issues.find(session, reference)


async def _create() -> str:
    async with session_scope() as session:
        return (await issues.create(session, DRAFT, OTHER)).reference


async def _save(reference: str, **fields: Any) -> None:
    async with session_scope() as session:
        version = (await issues.find(session, reference)).version
        await issues.save(session, reference, version, IssueDraft(**vars(DRAFT) | fields), OTHER)


def _form(**fields: str) -> dict[str, str]:
    return {"title": DRAFT.title, "slug": DRAFT.slug, "summary": "", "text": DRAFT.text} | fields


async def test_a_new_issue_keeps_its_page_when_it_gets_its_address() -> None:
    await hire()
    tab = await open_tab(IssuePage, "/admin/newsletter")
    assert (tab.state.stage, tab.state.reference) == ("draft", "")
    assert await tab.run("save", form=_form()) is not None
    reference = tab.state.reference
    tab.go_to(f"/admin/newsletter?id={reference}")
    await tab.run("open_record")
    assert (tab.state.reference, tab.state.done, tab.state.draft["title"]) == (
        reference,
        "Saved.",
        "The queue",
    )
    tab.go_to("/admin/newsletter")
    await tab.run("open_record")
    assert (tab.state.reference, tab.state.stage, tab.state.draft) == ("", "draft", {})


async def test_an_issue_says_to_how_many_it_goes_before_it_is_scheduled() -> None:
    await hire()
    reference = await _create()
    tab = await open_tab(IssuePage, f"/admin/newsletter?id={reference}")
    assert tab.state.readers == "0 subscribers"
    await reader()
    tab = await open_tab(IssuePage, f"/admin/newsletter?id={reference}")
    assert tab.state.readers == "1 subscriber"


async def test_another_editors_change_is_announced_and_merged_where_fields_differ() -> None:
    await hire()
    reference = await _create()
    tab = await open_tab(IssuePage, f"/admin/newsletter?id={reference}")
    await _save(reference, summary="Theirs")
    await tab.run("refresh")
    assert (tab.state.changed_by, tab.state.draft["summary"]) == (OTHER, "")
    await tab.run("save", form=_form(text="Mine"))
    assert (tab.state.done, tab.state.conflicts, tab.state.changed_by) == ("Saved.", [], "")
    stored = await _stored(reference)
    assert (stored.summary, stored.text, tab.state.version) == ("Theirs", "Mine", stored.version)


@pytest.mark.parametrize(("handler", "summary"), [("keep_theirs", "Theirs"), ("save_mine", "Mine")])
async def test_of_two_summaries_the_second_editor_chooses_one(handler: str, summary: str) -> None:
    await hire()
    reference = await _create()
    tab = await open_tab(IssuePage, f"/admin/newsletter?id={reference}")
    await _save(reference, summary="Theirs")
    await tab.run("save", form=_form(summary="Mine", text="Mine as well"))
    assert [(difference.label, difference.theirs, difference.own) for difference in tab.state.conflicts] == [
        ("Summary", "Theirs", "Mine")
    ]
    assert tab.state.changed_by == OTHER
    await tab.run(handler, **({"_form": {}} if handler == "save_mine" else {}))
    assert tab.state.conflicts == []
    stored = await _stored(reference)
    assert (stored.summary, stored.text) == (summary, "Mine as well")
    assert tab.state.draft["summary"] == summary


async def test_an_issue_that_was_scheduled_in_the_meantime_takes_no_change() -> None:
    await hire()
    reference = await _create()
    tab = await open_tab(IssuePage, f"/admin/newsletter?id={reference}")
    async with session_scope() as session:
        await issues.send_now(session, reference, 1, OTHER)
    await tab.run("refresh")
    assert tab.state.stage == IssueState.DRAFT
    await tab.run("save", form=_form(text="Mine"))
    assert [difference.label for difference in tab.state.conflicts] == ["Text", "State"]
    await tab.run("save_mine", _form={})
    assert "scheduled" in tab.state.problem
    await tab.run("keep_theirs")
    assert (tab.state.stage, tab.state.conflicts) == (IssueState.SCHEDULED, [])
    assert (await _stored(reference)).text == DRAFT.text


async def test_the_form_of_a_role_keeps_what_is_chosen_until_it_is_saved() -> None:
    await hire()
    member = await hire("member@mwanga.example", Role.VIEWER)
    tab = await open_tab(StaffAccountPage, f"/admin/staff/person?id={member.id}")
    second = await open_tab(StaffAccountPage, f"/admin/staff/person?id={member.id}")
    await tab.run("save_role", form={"role": "finance"})
    assert (tab.state.done.startswith("The role is Finance now."), tab.state.chosen_role) == (True, "finance")
    await second.run("refresh")
    assert (second.state.facts["role"], second.state.chosen_role) == ("finance", "viewer")
    await second.run("save_role", form={"role": "editor"})
    assert [(difference.theirs, difference.own) for difference in second.state.conflicts] == [
        ("Finance", "Editor")
    ]
    await second.run("keep_theirs")
    assert (second.state.chosen_role, second.state.conflicts) == ("finance", [])
    await second.run("ask", action="disable")
    await second.run("confirm")
    async with read_scope() as session:
        assert (await accounts.find_account(session, member.id or 0)).disabled_at
    assert second.state.facts["state_name"] == "Disabled"
    await second.run("enable")
    assert (second.state.facts["state_name"], second.state.done) == ("Active", "Account enabled.")


async def test_an_account_that_does_not_exist_is_named() -> None:
    await hire()
    for reference in ("999999999", "x", "0"):
        tab = await open_tab(StaffAccountPage, f"/admin/staff/person?id={reference}")
        assert (tab.state.problem, tab.state.reference) == ("This account does not exist.", "")


async def test_an_issue_shows_the_size_of_its_mail_while_it_is_written_and_warns_before_it_is_cut_off() -> (
    None
):
    await hire()
    reference = await _create()
    tab = await open_tab(IssuePage, f"/admin/newsletter?id={reference}")
    assert (tab.state.size.endswith(" KB as a mail"), tab.state.is_too_large) == (True, False)
    before = tab.state.size
    long = "\n\n".join(f"- [Point {number}](/book): people stop where others wait." for number in range(700))
    await tab.run("measure", text=long)
    assert tab.state.size != before
    assert tab.state.is_too_large
    await tab.run("measure", text="People wait.")
    assert (tab.state.size, tab.state.is_too_large) == (before, False)
    await tab.run("save", form=_form(text=long))
    assert (tab.state.done, tab.state.is_too_large) == ("Saved.", True)
