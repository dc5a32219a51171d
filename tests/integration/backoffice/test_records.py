"""Declared records, by the example of coupons: creating, editing and acting on their page, alone and at the same time."""

from dataclasses import replace
from typing import Any

import pytest
from sqlmodel import col, select

from agency_site.auth.rules import Permission, Role
from agency_site.auth.tables import AuditEntry
from agency_site.backoffice import records as framework
from agency_site.backoffice.record_page import RecordState
from agency_site.db.engine import read_scope
from agency_site.db.event_log import list_events
from agency_site.errors import Conflict, NotFound, StaleRecord
from agency_site.features.checkout.admin.coupons import COUPONS
from agency_site.features.checkout.coupons.tables import Coupon, CouponEvent
from tests import records
from tests.integration.backoffice.conftest import Tab, enter, hire, open_tab

pytestmark = pytest.mark.usefixtures("database")

CODE = "KARIBU"
PATH, PAGE = "/admin/coupon", f"/admin/coupon?ref={CODE}"
EDITOR, OTHER, THIRD = "amina@mwanga.example", "otieno@mwanga.example", "njeri@mwanga.example"
"""Who uses the page, and two who change the record elsewhere."""
JUNK: tuple[Any, ...] = (None, 3, "x", [1], {"code": ["a"]}, {"code": "\ud800", "discount": "\ud800"})


async def create(**texts: str) -> Coupon:
    row: Coupon = await records.create(COUPONS, {"code": CODE, "discount": "10%", **texts}, OTHER)
    return row


async def edit(actor: str = OTHER, **texts: str) -> Coupon:
    """Save the form with these texts changed, as another editor."""
    row: Coupon = await records.edit(COUPONS, CODE, texts, actor)
    return row


async def stored() -> Coupon:
    row: Coupon = await records.find(COUPONS, CODE)
    return row


async def open_page() -> Tab:
    await hire()
    return await open_tab(RecordState, PAGE)


async def open_form() -> Tab:
    tab = await open_page()
    await tab.run("ask", key="edit")
    return tab


async def save(tab: Tab, **texts: str) -> None:
    """Save the open form with these texts changed."""
    await tab.run("run", key="edit", form={**tab.state.draft, **texts})


async def audited(actor: str = EDITOR) -> list[tuple[str, str]]:
    """Return actions and details of the entries of that actor, oldest first."""
    async with read_scope() as session:
        query = select(AuditEntry).where(AuditEntry.kind == "coupon", AuditEntry.actor == actor)
        entries = await session.exec(query.order_by(col(AuditEntry.id)))
        return [(entry.action, entry.detail) for entry in entries]


async def refusals() -> list[tuple[str, str]]:
    """Return who was refused which permission."""
    async with read_scope() as session:
        query = select(AuditEntry).where(AuditEntry.action == "staff.right_refused")
        return [(entry.actor, entry.reference) for entry in await session.exec(query)]


async def history() -> list[tuple[str, str]]:
    """Return the events of the coupon with their actors, oldest first."""
    async with read_scope() as session:
        events = await list_events(session, CouponEvent, (await stored()).id)
    return [(event.what, event.actor) for event in events]


async def count() -> int:
    async with read_scope() as session:
        return len((await session.exec(select(Coupon))).all())


def details_of(tab: Tab) -> dict[str, str]:
    return {line.label: line.text for line in tab.state.details}


class TestNewRecord:
    async def test_a_new_record_is_stored_and_its_page_opens(self) -> None:
        await hire()
        tab = await open_tab(RecordState, PATH)
        names = [field.name for group in tab.state.form for field in group.fields]
        assert names == [field.name for field in COUPONS.fields]
        redirect = await tab.run("run", key="create", form={"code": "karibu", "discount": "10%"})
        assert f"{PATH}?ref={CODE}" in str(redirect)
        assert await audited() == [("coupon.created", "")]
        tab.go_to(PAGE)
        await tab.run("open_record")
        facts = tab.state.facts
        assert (facts["heading"], facts["below"], facts["state"]) == ("10%", "All courses", "Valid")
        assert details_of(tab)["Valid until"] == "No end"
        assert [(line.what, line.who) for line in tab.state.lines] == [("Created", EDITOR)]

    async def test_a_code_that_is_taken_is_refused_at_its_field(self) -> None:
        await create()
        await hire()
        tab = await open_tab(RecordState, PATH)
        assert await tab.run("run", key="create", form={"code": CODE, "discount": "20%"}) is None
        assert tab.state.errors == {"code": "A coupon with this code exists already."}
        assert (await count(), (await stored()).percent) == (1, 10)
        assert (await audited(), await history()) == ([], [("created", OTHER)])

    async def test_every_wrong_field_has_its_message(self) -> None:
        await hire()
        tab = await open_tab(RecordState, PATH)
        form = {"code": "x", "discount": "101%", "uses": "0", "course_slug": "no-such-course"}
        await tab.run("run", key="create", form=form)
        assert list(tab.state.errors) == ["code", "discount", "course_slug", "uses"]
        assert await count() == 0

    def test_nobody_may_create_what_only_visitors_create(self) -> None:
        assert COUPONS.permission_to("create") is Permission.WORK_PAYMENTS
        assert replace(COUPONS, can_create=False).permission_to("create") is None


class TestEdit:
    async def test_an_edit_is_in_history_and_audit_log(self) -> None:
        await create(uses="5")
        tab = await open_form()
        assert (tab.state.panel, tab.state.draft["discount"]) == ("edit", "10%")
        await save(tab, discount="1,500", uses="")
        assert (tab.state.done, tab.state.panel, tab.state.facts["heading"]) == ("Saved.", "", "KES 1,500")
        assert await audited() == [("coupon.edited", "Discount, Number of uses")]
        newest = tab.state.lines[0]
        assert (newest.what, newest.who) == ("Edited", EDITOR)
        assert newest.words.splitlines() == [
            "Discount, %: 10 → empty",
            "Discount, KES: empty → 1500",
            "Number of uses: 5 → empty",
        ]

    async def test_an_unchanged_edit_writes_neither_event_nor_audit_entry(self) -> None:
        before = await create(uses="5", valid_from="2020-11-02T09:00")
        tab = await open_form()
        await save(tab)
        assert (tab.state.done, tab.state.panel) == ("Saved.", "")
        assert (await audited(), await history()) == ([], [("created", OTHER)])
        after = await stored()
        assert (after.version, after.updated_at) == (before.version, before.updated_at)

    async def test_the_code_of_a_stored_record_is_fixed(self) -> None:
        await create()
        tab = await open_form()
        assert "code" not in [field.name for group in tab.state.form for field in group.fields]
        await save(tab, code="OTHER", discount="20%")
        assert ((await stored()).percent, await audited()) == (20, [("coupon.edited", "Discount")])

    async def test_a_check_refuses_at_its_field_and_stores_nothing(self) -> None:
        await create()
        tab = await open_form()
        await save(tab, discount="20%", valid_until="2020-11-02T09:00")
        assert (list(tab.state.errors), tab.state.panel) == (["valid_until"], "edit")
        assert ((await stored()).percent, await audited()) == (10, [])


class TestTwoEditors:
    async def test_edits_of_different_fields_are_merged_and_each_log_names_its_own(self) -> None:
        await create()
        tab = await open_form()
        await edit(uses="5")
        await save(tab, discount="20%")
        assert (tab.state.done, tab.state.conflicts) == ("Saved.", [])
        row = await stored()
        assert (row.percent, row.uses, tab.state.version) == (20, 5, row.version)
        assert await audited() == [("coupon.edited", "Discount")]
        assert await audited(OTHER) == [("coupon.created", ""), ("coupon.edited", "Number of uses")]
        assert tab.state.lines[0].words == "Discount, %: 10 → 20"

    async def test_the_author_of_a_conflict_is_who_changed_the_disputed_field(self) -> None:
        await create()
        tab = await open_form()
        await edit(THIRD, discount="15%")
        await edit(OTHER, uses="5")
        await save(tab, discount="20%")
        assert [(each.label, each.theirs, each.own) for each in tab.state.conflicts] == [
            ("Discount", "15%", "20%")
        ]
        assert tab.state.conflict_author == THIRD
        assert (await stored()).percent == 15

    async def test_an_edit_in_another_window_of_the_same_person_says_so(self) -> None:
        await create()
        tab = await open_form()
        await edit(EDITOR, discount="15%")
        await edit(OTHER, uses="5")
        await save(tab, discount="20%")
        assert tab.state.conflict_author == "you, in another window"

    async def test_save_mine_logs_only_what_differs_from_the_saved_row(self) -> None:
        await create()
        tab = await open_form()
        await edit(discount="15%", uses="5")
        await save(tab, discount="20%")
        await tab.run("save_mine", _form={})
        assert (tab.state.done, tab.state.panel, tab.state.conflicts) == ("Saved.", "", [])
        row = await stored()
        assert (row.percent, row.uses) == (20, 5)
        assert await audited() == [("coupon.edited", "Discount")]
        assert tab.state.lines[0].words == "Discount, %: 15 → 20"

    async def test_keep_theirs_saves_only_what_is_not_disputed(self) -> None:
        await create()
        tab = await open_form()
        await edit(discount="15%")
        await save(tab, discount="20%", uses="5")
        await tab.run("keep_theirs")
        row = await stored()
        assert (row.percent, row.uses, tab.state.conflicts) == (15, 5, [])
        assert await audited() == [("coupon.edited", "Number of uses")]

    async def test_keep_theirs_of_all_fields_writes_nothing(self) -> None:
        await create()
        tab = await open_form()
        await edit(discount="15%")
        await save(tab, discount="20%")
        await tab.run("keep_theirs")
        assert (tab.state.done, tab.state.facts["heading"]) == ("The saved version was kept.", "15%")
        assert await audited() == []

    async def test_the_same_change_of_both_is_written_once(self) -> None:
        await create()
        tab = await open_form()
        await edit(discount="20%")
        await save(tab, discount="20%")
        assert tab.state.done == "Another person has already made the same change."
        assert await audited() == []

    async def test_a_stale_version_is_refused_with_the_saved_one(self) -> None:
        created = await create()
        saved = await edit(discount="20%")
        with pytest.raises(StaleRecord) as stale:
            await records.edit(COUPONS, CODE, {"discount": "30%"}, EDITOR, created.version)
        current = stale.value.current
        assert (current.version, current.fields["discount"], current.fields["state"]) == (
            saved.version,
            "20%",
            "Valid",
        )
        with pytest.raises(StaleRecord):
            await records.act(COUPONS, "end", CODE, EDITOR, version=created.version)
        assert ((await stored()).percent, (await stored()).ended_at) == (20, None)
        assert await audited() == []

    async def test_an_edit_of_a_record_that_was_ended_meanwhile_is_refused(self) -> None:
        await create()
        tab = await open_form()
        await records.act(COUPONS, "end", CODE, OTHER)
        await save(tab, discount="20%")
        assert (tab.state.problem, tab.state.facts["state"]) == ("This coupon has ended.", "Ended")
        assert ((await stored()).percent, await audited()) == (10, [])


class TestAction:
    async def test_an_action_is_asked_and_logged_with_both_states(self) -> None:
        await create()
        tab = await open_page()
        assert tab.state.possible == ["edit", "end"]
        await tab.run("ask", key="end")
        assert (tab.state.panel, "cannot be undone" in tab.state.question) == ("end", True)
        await tab.run("run", key="end", form={})
        assert (tab.state.done, tab.state.panel) == ("The coupon has ended.", "")
        assert (tab.state.facts["state"], tab.state.possible) == ("Ended", [])
        assert (await stored()).ended_at is not None
        assert await audited() == [("coupon.ended", "Valid → Ended")]
        assert await history() == [("created", OTHER), ("ended", EDITOR)]
        assert tab.state.lines[0].what == "Ended"

    async def test_a_page_of_an_earlier_version_ends_nothing_and_shows_the_present_one(self) -> None:
        await create()
        tab = await open_page()
        await tab.run("ask", key="end")
        row = await edit(discount="20%")
        await tab.run("run", key="end", form={})
        assert "Your changes were not saved." in tab.state.problem
        assert (tab.state.done, tab.state.panel, tab.state.version) == ("", "", row.version)
        assert tab.state.facts["heading"] == "20%"
        assert ((await stored()).ended_at, await audited()) == (None, [])
        await tab.run("run", key="end", form={})
        assert (tab.state.problem, (await stored()).ended_at is None) == ("", False)

    async def test_an_action_that_the_state_refuses_says_why_and_the_page_keeps_its_content(self) -> None:
        await create()
        await records.act(COUPONS, "end", CODE, OTHER)
        tab = await open_page()
        facts, details = dict(tab.state.facts), list(tab.state.details)
        assert (facts["state"], tab.state.possible) == ("Ended", [])
        for key in ("end", "edit"):
            await tab.run("run", key=key, form={"discount": "20%"})
            assert tab.state.problem == "This coupon has ended."
        assert (tab.state.facts, tab.state.details, tab.state.reference) == (facts, details, CODE)
        assert (await audited(), len(await history())) == ([], 2)
        with pytest.raises(Conflict, match="This coupon has ended"):
            await records.act(COUPONS, "end", CODE, EDITOR)

    async def test_an_action_without_own_words_names_the_state(self) -> None:
        await create()
        await records.act(COUPONS, "end", CODE, OTHER)
        silent = replace(COUPONS, actions=(replace(COUPONS.actions[0], refusal=None),))
        with pytest.raises(Conflict, match="This coupon is ended, so this is not possible"):
            await records.act(silent, "end", CODE, EDITOR)


class TestPermissions:
    async def test_a_viewer_sees_the_record_and_changes_nothing(self) -> None:
        await create()
        await hire("viewer@mwanga.example", Role.VIEWER)
        token = (await enter("viewer@mwanga.example")).token
        tab = Tab(RecordState, token, PAGE)
        await tab.run("open_record")
        assert (tab.state.facts["heading"], tab.back_office.refusal) == ("10%", "")
        await tab.run("run", key="end", form={})
        assert tab.back_office.refusal
        assert tab.state.facts == {}
        assert await refusals() == [("viewer@mwanga.example", "work_payments")]
        events: tuple[tuple[str, dict[str, Any]], ...] = (
            ("ask", {"key": "end"}),
            ("ask", {"key": "edit"}),
            ("run", {"key": "edit", "form": {"discount": "20%"}}),
            ("run", {"key": "create", "form": {"code": "OTHER", "discount": "20%"}}),
            ("save_mine", {"_form": {}}),
            ("keep_theirs", {}),
        )
        for handler, arguments in events:
            other = Tab(RecordState, token, PAGE)
            await other.run("open_record")
            await other.run(handler, **arguments)
            assert other.back_office.refusal, (handler, arguments)
        row = await stored()
        assert (row.percent, row.ended_at, await count()) == (10, None, 1)
        assert await history() == [("created", OTHER)]

    async def test_a_viewer_gets_no_form_of_a_new_record(self) -> None:
        await hire("viewer@mwanga.example", Role.VIEWER)
        tab = Tab(RecordState, (await enter("viewer@mwanga.example")).token, PATH)
        await tab.run("open_record")
        assert (tab.state.ready, tab.state.form) == (True, [])

    async def test_a_role_that_sees_no_payments_cannot_open_the_page(self) -> None:
        await create()
        await hire(role=Role.EDITOR)
        tab = Tab(RecordState, (await enter()).token, PAGE)
        await tab.run("open_record")
        assert (bool(tab.back_office.refusal), tab.state.facts, tab.state.details) == (True, {}, [])


class TestAnyArgument:
    @pytest.mark.parametrize("key", [None, 3, "", "nothing", ["end"], {"key": "end"}, "_create", "\ud800"])
    async def test_unknown_keys_are_refused(self, key: Any) -> None:
        await create()
        await hire()
        events: tuple[tuple[str, dict[str, Any]], ...] = (("ask", {}), ("run", {"form": {}}))
        for handler, arguments in events:
            tab = await open_tab(RecordState, PAGE)
            await tab.run(handler, key=key, **arguments)
            assert tab.back_office.refusal
            assert tab.state.panel == ""
        assert (await history(), await audited()) == ([("created", OTHER)], [])

    @pytest.mark.parametrize("form", JUNK)
    async def test_forms_bear_any_content(self, form: Any) -> None:
        await create()
        tab = await open_form()
        for key in ("edit", "create"):
            await tab.run("run", key=key, form=form)
            assert tab.state.problem
        await tab.run("save_mine", _form=form)
        await tab.run("keep_theirs")
        await tab.run("close_panel")
        row = await stored()
        assert (row.percent, row.version, await count()) == (10, 1, 1)
        assert await audited() == []

    @pytest.mark.parametrize("form", JUNK)
    async def test_an_action_ignores_fields_that_it_does_not_have(self, form: Any) -> None:
        await create()
        tab = await open_page()
        await tab.run("run", key="end", form=form)
        assert (await stored()).ended_at is not None

    @pytest.mark.parametrize("query", ["", "?ref=NO-SUCH", "?ref=%ED%A0%80", "?ref=%00", "?code=KARIBU"])
    async def test_a_page_without_a_record_does_nothing(self, query: str) -> None:
        await create()
        await hire()
        tab = await open_tab(RecordState, PATH + query)
        assert (tab.state.reference, tab.state.facts) == ("", {})
        for key in ("edit", "end"):
            await tab.run("ask", key=key)
            assert tab.state.problem
            await tab.run("run", key=key, form={"discount": "20%"})
            assert tab.state.problem
        assert (await history(), await audited()) == ([("created", OTHER)], [])

    async def test_a_path_without_a_record_is_refused(self) -> None:
        await create()
        await hire()
        for path in ("/admin/coupons", "/admin/no-such-record", "/admin"):
            tab = await open_tab(RecordState, f"{path}?ref={CODE}")
            await tab.run("run", key="end", form={})
            assert tab.back_office.refusal
        assert (await stored()).ended_at is None

    @pytest.mark.parametrize("reference", ["", "NO-SUCH", "\ud800", "a\x00b", "%"])
    async def test_no_reference_breaks_a_statement(self, reference: str) -> None:
        with pytest.raises(NotFound):
            await records.find(COUPONS, reference)
        async with read_scope() as session:
            with pytest.raises(NotFound):
                await framework.lock_row(session, COUPONS, records.member(EDITOR), reference)
