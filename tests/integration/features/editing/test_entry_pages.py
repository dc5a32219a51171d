"""The back office's screens of entries: who may do what, and what each action stores."""

from datetime import timedelta

import pytest
from sqlmodel import col, select

from agency_site.auth.rules import Role
from agency_site.auth.tables import AuditEntry
from agency_site.clock import frozen, now
from agency_site.content.articles import ARTICLES
from agency_site.content.entries import Kind
from agency_site.content.entry_kinds import KINDS
from agency_site.db.engine import read_scope, session_scope
from agency_site.features.editing.admin.entries.detail import ACT, PUBLISH, QUESTIONS, SAVE, EntryPage
from agency_site.features.editing.admin.entries.forms import choice_name
from agency_site.features.editing.admin.entries.labels import CONTENT, entry_address, permission_to_change
from agency_site.features.editing.admin.entries.list import CONTENT_LIST, ContentPage
from agency_site.features.editing.entries import staff_usecases as staff
from agency_site.features.editing.entries.records import EntryRecord
from agency_site.features.editing.entries.rules import EntryState
from agency_site.features.editing.entries.tables import ContentEntry
from agency_site.features.editing.entries.usecases import publish_due_entries
from agency_site.fields import split_lines
from agency_site.form_input import moment_field_value
from tests.integration.backoffice.conftest import Tab, enter, hire, newest_detail

pytestmark = pytest.mark.usefixtures("database")
ARTICLE = KINDS[Kind.ARTICLE]
SLUG = ARTICLES[0].slug
OTHER = "brian@mwanga.example"
BAR = {"text": "Closed on 12 December"}


async def _stored(kind: Kind = Kind.ARTICLE, slug: str = SLUG) -> EntryRecord:
    async with read_scope() as session:
        return await staff.find_entry(session, kind, slug)


async def _save_as_other(**changes: str) -> None:
    async with session_scope() as session:
        entry = await staff.find_entry(session, Kind.ARTICLE, SLUG)
        await staff.save_entry(session, Kind.ARTICLE, SLUG, entry.version, {**entry.fields, **changes}, OTHER)


async def _audited() -> list[tuple[str, str, str]]:
    async with read_scope() as session:
        entries = await session.exec(
            select(AuditEntry).where(AuditEntry.kind == "entry").order_by(col(AuditEntry.id))
        )
        return [(entry.action, entry.reference, entry.detail) for entry in entries]


async def _open(kind: Kind = Kind.ARTICLE, slug: str = SLUG, *, role: Role = Role.OWNER) -> Tab:
    email = f"{role}@mwanga.example"
    await hire(email, role)
    return await _open_again(kind, slug, role=role)


async def _open_again(kind: Kind = Kind.ARTICLE, slug: str = SLUG, *, role: Role = Role.OWNER) -> Tab:
    tab = Tab(EntryPage, (await enter(f"{role}@mwanga.example")).token, entry_address(kind, slug))
    await tab.run("open_record")
    return tab


def _form(act: str = SAVE, **changes: str) -> dict[str, str]:
    """Return what a browser sends for the first article with these changes."""
    fields = ARTICLE.fields_of(ARTICLES[0]) | changes
    shelves = next(field for field in ARTICLE.fields if field.name == "shelves")
    ticks = {choice_name(shelves, shelf): "yes" for shelf in split_lines(fields.pop("shelves"))}
    return fields | ticks | {ACT: act}


async def test_a_saved_draft_changes_nothing_for_visitors_until_it_is_published() -> None:
    tab = await _open()
    await tab.run("submit", form=_form(title="A better title"))
    entry = await _stored()
    assert (entry.title, entry.editor) == ("A better title", "owner@mwanga.example")
    assert entry.published_fields == entry.delivered_fields
    assert [(each.label, each.new) for each in tab.state.unpublished] == [("Title", "A better title")]
    await tab.run("submit", form=_form(PUBLISH, title="A better title"))
    entry = await _stored()
    assert (entry.published_fields or {})["title"] == "A better title"
    assert (tab.state.unpublished, tab.state.facts["state"]) == ([], "Published")
    assert tab.state.facts["changes"].startswith("Changed here, ")
    reference = f"article/{SLUG}"
    assert await _audited() == [
        ("entry.saved", reference, "Title"),
        ("entry.published", reference, "Title"),
    ]


async def test_the_unchanged_form_of_a_delivered_record_has_no_differences() -> None:
    tab = await _open()
    await tab.run("submit", form=_form())
    assert (tab.state.unpublished, tab.state.changed) == ([], [])
    assert not (await _stored()).has_unpublished_changes


async def test_publishing_saves_the_form_first_and_refuses_both_for_incomplete_fields() -> None:
    tab = await _open()
    await tab.run("submit", form=_form(PUBLISH, title="A better title", description="Too short"))
    assert set(tab.state.errors) == {"description"}
    assert (await _stored()).version == 0
    await tab.run("submit", form=_form(PUBLISH, title="A better title"))
    assert (tab.state.done, (await _stored()).title) == (
        "Published. Visitors see it within two seconds.",
        "A better title",
    )


async def test_a_new_entry_gets_its_own_address_and_may_be_published_at_once() -> None:
    tab = await _open(Kind.ANNOUNCEMENT, "")
    assert (tab.state.kind, tab.state.reference, tab.state.can_change) == ("announcement", "", True)
    assert await tab.run("submit", form={**BAR, ACT: PUBLISH}) is not None
    assert tab.state.reference == "announcement/closed-on-12-december"
    entry = await _stored(Kind.ANNOUNCEMENT, "closed-on-12-december")
    assert (entry.state, entry.published_fields and entry.published_fields["text"]) == (
        EntryState.PUBLISHED,
        BAR["text"],
    )
    tab.go_to(entry_address(Kind.ANNOUNCEMENT, "closed-on-12-december"))
    await tab.run("open_record")
    assert tab.state.done == "Published."
    tab.go_to(entry_address(Kind.PARTNER))
    await tab.run("open_record")
    assert (tab.state.kind, tab.state.reference, tab.state.draft["name"]) == ("partner", "", "")


async def test_a_new_entry_without_its_first_field_keeps_the_form() -> None:
    tab = await _open(Kind.ANNOUNCEMENT, "")
    assert await tab.run("submit", form={"label": "Read more", ACT: SAVE}) is None
    assert (set(tab.state.errors), tab.state.reference) == ({"text"}, "")


@pytest.mark.parametrize("kind", [Kind.COURSE, Kind.HOURS])
async def test_of_a_fixed_list_no_new_entry_can_be_opened(kind: Kind) -> None:
    tab = await _open(kind, "")
    assert tab.state.kind == ""
    await tab.run("submit", form={"price": "1"})
    assert tab.state.problem == "No entry is open."


async def test_a_schedule_is_kept_until_it_is_taken_back() -> None:
    tab = await _open()
    tomorrow = now() + timedelta(days=1)
    await tab.run("schedule", form={"moment": moment_field_value(tomorrow)})
    assert tab.state.facts["state"].startswith("Scheduled for ")
    assert (await _stored()).state is EntryState.SCHEDULED
    await tab.run("submit", form=_form(description="Too short"))
    assert set(tab.state.errors) == {"description"}
    await tab.run("unschedule")
    assert ((await _stored()).state, tab.state.facts["state"]) == (EntryState.DRAFT, "Published")


@pytest.mark.parametrize("moment", ["", "soon", "2020-01-01T08:00"])
async def test_a_moment_that_is_none_or_has_passed_is_refused_next_to_its_field(moment: str) -> None:
    tab = await _open()
    await tab.run("schedule", form={"moment": moment})
    assert set(tab.state.errors) == {"moment"}
    assert (await _stored()).version == 0


async def test_hidden_entries_come_back_and_changed_ones_return_to_the_delivered_text() -> None:
    tab = await _open()
    await tab.run("submit", form=_form(PUBLISH, title="A better title"))
    await tab.run("ask", panel="hide")
    assert tab.state.panel == "hide"
    await tab.run("hide")
    assert ((await _stored()).state, tab.state.panel, tab.state.facts["state"]) == (
        EntryState.HIDDEN,
        "",
        "Hidden",
    )
    await tab.run("show_again")
    assert (await _stored()).state is EntryState.PUBLISHED
    await tab.run("return_to_delivered")
    entry = await _stored()
    assert entry.published_fields == entry.delivered_fields
    assert entry.title == ARTICLES[0].title


async def test_an_earlier_version_is_compared_and_restored_into_the_draft() -> None:
    tab = await _open()
    await tab.run("submit", form=_form(title="First"))
    await tab.run("submit", form=_form(title="Second"))
    newest, oldest = tab.state.versions
    assert (newest.what, newest.words, newest.who) == (
        "Draft saved",
        "Changed: Title",
        "owner@mwanga.example",
    )
    await tab.run("compare_version", event_id=oldest.id)
    assert [(each.label, each.old, each.new) for each in tab.state.compared] == [("Title", "Second", "First")]
    await tab.run("restore")
    assert ((await _stored()).title, tab.state.draft["title"], tab.state.panel) == ("First", "First", "")
    await tab.run("compare_version", event_id=999)
    assert tab.state.problem == "There is no such version."


async def test_another_editors_change_is_announced_and_merged_where_fields_differ() -> None:
    tab = await _open()
    await _save_as_other(author="Wanjiku Kamau")
    await tab.run("refresh")
    assert (tab.state.changed_by, tab.state.draft["author"]) == (OTHER, ARTICLES[0].author)
    await tab.run("submit", form=_form(title="Mine"))
    entry = await _stored()
    assert (entry.title, entry.fields["author"]) == ("Mine", "Wanjiku Kamau")
    assert (tab.state.changed_by, tab.state.conflicts) == ("", [])
    assert await newest_detail("entry.saved") == "Title"


@pytest.mark.parametrize(("handler", "title"), [("keep_theirs", "Theirs"), ("save_mine", "Mine")])
async def test_of_two_titles_the_second_editor_chooses_one(handler: str, title: str) -> None:
    tab = await _open()
    await _save_as_other(title="Theirs")
    await tab.run("submit", form=_form(PUBLISH, title="Mine", author="Amina"))
    assert [(each.label, each.theirs, each.own) for each in tab.state.conflicts] == [
        ("Title", "Theirs", "Mine")
    ]
    await tab.run(handler, **({"_form": {}} if handler == "save_mine" else {}))
    entry = await _stored()
    assert (entry.title, entry.fields["author"], entry.state) == (title, "Amina", EntryState.PUBLISHED)


async def test_the_text_is_shown_as_visitors_would_see_it_without_foreign_markup() -> None:
    tab = await _open()
    await tab.run("draw_text", text="## A heading\n\n<script>alert(1)</script> **bold**")
    assert "<script" not in tab.state.html
    assert "<strong>bold</strong>" in tab.state.html


@pytest.mark.parametrize("slug", ["no-such-article", "../admin", "x" * 300])
async def test_an_entry_that_does_not_exist_is_named(slug: str) -> None:
    tab = await _open(slug=slug)
    assert (tab.state.problem, tab.state.reference) == ("There is no such article.", "")


CHANGERS = {
    Kind.ARTICLE: {Role.OWNER, Role.EDITOR},
    Kind.COURSE: {Role.OWNER, Role.FINANCE},
    Kind.PLAN: {Role.OWNER, Role.FINANCE},
    Kind.HOURS: {Role.OWNER, Role.FRONT_DESK},
}


@pytest.mark.parametrize("role", [Role.OWNER, Role.EDITOR, Role.FINANCE, Role.FRONT_DESK, Role.VIEWER])
@pytest.mark.parametrize("kind", CHANGERS)
async def test_each_kind_is_changed_only_by_roles_with_its_permission(kind: Kind, role: Role) -> None:
    definition = KINDS[kind]
    record = definition.delivered[0]
    slug = definition.slug_of(record)
    tab = await _open(kind, slug, role=role)
    may_change = role in CHANGERS[kind]
    assert (tab.state.kind, tab.state.can_change) == (kind, may_change)
    await tab.run("schedule", form={"moment": moment_field_value(now() + timedelta(days=1))})
    assert (await _stored(kind, slug)).version == (2 if may_change else 0)
    assert (tab.back_office.refusal == "") is may_change


async def test_every_handler_of_the_page_refuses_a_viewer() -> None:
    tab = await _open(role=Role.VIEWER)
    sent: dict[str, dict[str, object]] = {
        "submit": {"form": _form(PUBLISH, title="Mine")},
        "schedule": {"form": {"moment": moment_field_value(now() + timedelta(days=1))}},
        "draw_text": {"text": "x"},
        "ask": {"panel": "hide"},
        "compare_version": {"event_id": 1},
        "save_mine": {"_form": {}},
    }
    open_to_readers = {"open_record", "refresh", "close_panel"}
    own = {name for name in EntryPage.event_handlers if name not in ContentPage.event_handlers}
    for name in sorted(own - open_to_readers - {"setvar"}):
        tab = await _open_again(role=Role.VIEWER)
        await tab.run(name, **sent.get(name, {}))
        assert tab.back_office.refusal, name
    assert (await _stored()).version == 0


async def test_the_list_has_delivered_and_added_records_with_their_states() -> None:
    tab = await _open(Kind.ANNOUNCEMENT, "")
    await tab.run("submit", form={**BAR, ACT: SAVE})
    content = Tab(ContentPage, (await enter("owner@mwanga.example")).token, f"{CONTENT}?kind=announcement")
    await content.run("open_content")
    assert (content.state.heading, content.state.new_label) == ("Announcements", "New announcement")
    assert [(line.title, line.state, line.href) for line in content.state.entries] == [
        (BAR["text"], "Draft", entry_address(Kind.ANNOUNCEMENT, "closed-on-12-december"))
    ]
    await _save_as_other(title="Theirs")
    content.go_to(CONTENT)
    await content.run("open_content")
    lines = {line.title: line for line in content.state.entries}
    assert len(lines) == len(ARTICLES)
    assert (lines["Theirs"].state, lines["Theirs"].changes.startswith("Unpublished changes, ")) == (
        "Published",
        True,
    )


async def test_an_open_list_shows_what_others_change() -> None:
    await hire("owner@mwanga.example")
    content = Tab(ContentPage, (await enter("owner@mwanga.example")).token, CONTENT)
    await content.run("open_content")
    await _save_as_other(title="Theirs")
    await content.run("refresh")
    assert "Theirs" in {line.title for line in content.state.entries}


async def test_a_reader_finds_neither_a_link_to_new_entries_nor_their_form() -> None:
    await hire("viewer@mwanga.example", Role.VIEWER)
    content = Tab(ContentPage, (await enter("viewer@mwanga.example")).token, CONTENT)
    await content.run("open_content")
    assert (content.state.new_label, len(content.state.entries)) == ("", len(ARTICLES))
    assert (await _open_again(slug="", role=Role.VIEWER)).state.kind == ""


def test_every_kind_names_its_permission() -> None:
    assert {permission_to_change(kind).value for kind in Kind} == {"work_content", "set_prices", "set_hours"}


async def test_a_text_message_is_measured_while_it_is_written_and_must_fit_into_one_sms() -> None:
    kind, slug = Kind.MAIL_TEXT, "booking-reminder"
    tab = await _open(kind, slug)
    assert tab.state.text_length.endswith("characters with usual values: 1 SMS, 18 left")
    await tab.run("measure_text", text="x" * 161)
    assert tab.state.text_length.startswith("161 characters with usual values: 2 SMS")
    fields = dict((await _stored(kind, slug)).fields)
    await tab.run("submit", form=fields | {"text_message": "x" * 161, ACT: PUBLISH})
    assert "161 characters" in tab.state.errors["text_message"]
    await tab.run("submit", form=fields | {"text_message": "See {link}", ACT: PUBLISH})
    assert (await _stored(kind, slug)).fields["text_message"] == "See {link}"
    assert tab.state.facts["stage"] == EntryState.PUBLISHED


async def test_an_unusual_price_is_published_once_it_is_confirmed() -> None:
    kind, slug = Kind.COURSE, "google-ads"
    tab = await _open(kind, slug)
    fields = dict((await _stored(kind, slug)).fields)
    for answer in ("cancel", "confirm"):
        await tab.run("submit", form=fields | {"price": "0", ACT: PUBLISH})
        assert (tab.state.panel, tab.state.questions) == (
            QUESTIONS,
            ["KES 15,000 becomes KES 0. Everybody gets it for nothing."],
        )
        assert (await _stored(kind, slug)).version == 0
        await tab.run(answer)
        assert (tab.state.panel, tab.state.questions) == ("", [])
    assert (tab.state.done, ((await _stored(kind, slug)).visible_fields or {})["price"]) == (
        "Published. Visitors see it within two seconds.",
        "0",
    )
    await tab.run("confirm")
    assert (await _stored(kind, slug)).version == 2


async def test_an_unusual_price_is_scheduled_and_then_changed_once_it_is_confirmed() -> None:
    kind, slug = Kind.PLAN, "starter"
    tab = await _open(kind, slug)
    fields = dict((await _stored(kind, slug)).fields)
    await tab.run("submit", form=fields | {"price": "33,000", ACT: SAVE})
    assert tab.state.panel == ""
    tomorrow = moment_field_value(now() + timedelta(days=1))
    await tab.run("schedule", form={"moment": tomorrow})
    assert tab.state.panel == QUESTIONS
    await tab.run("confirm")
    assert (await _stored(kind, slug)).state is EntryState.SCHEDULED
    await tab.run("submit", form=fields | {"price": "330", ACT: SAVE})
    assert (tab.state.panel, (await _stored(kind, slug)).fields["price"]) == (QUESTIONS, "33,000")
    await tab.run("confirm")
    assert (await _stored(kind, slug)).fields["price"] == "330"


async def test_a_new_text_at_the_former_address_of_another_one_is_published_once_it_is_confirmed() -> None:
    tab = await _open()
    await tab.run("submit", form=_form(PUBLISH, address="moved"))
    tab.go_to(entry_address(Kind.ARTICLE))
    await tab.run("open_record")
    await tab.run("submit", form=_form(PUBLISH, title="Own", address=SLUG))
    assert tab.state.panel == QUESTIONS
    assert await tab.run("confirm") is not None
    entry = await _stored(slug=f"{SLUG}-2")
    assert (entry.state, entry.title) == (EntryState.PUBLISHED, "Own")


async def test_a_hidden_text_that_is_scheduled_says_both_and_shows_its_differences() -> None:
    tab = await _open()
    await tab.run("hide")
    await tab.run("submit", form=_form(title="A better title"))
    assert [each.label for each in tab.state.unpublished] == ["Title"]
    await tab.run("schedule", form={"moment": moment_field_value(now() + timedelta(days=1))})
    assert tab.state.facts["state"].startswith("Hidden until then. Scheduled for ")
    assert (tab.state.facts["path"], tab.state.can_hide) == ("", False)
    await tab.run("show_again")
    assert (tab.state.done, (await _stored()).state) == ("Visitors see it again.", EntryState.SCHEDULED)
    await tab.run("unschedule")
    assert [each.label for each in tab.state.unpublished] == ["Title"]


async def test_a_renewed_preview_has_another_link() -> None:
    tab = await _open()
    before = tab.state.preview
    await tab.run("renew_preview")
    assert tab.state.preview not in ("", before)


async def test_a_text_that_was_not_published_on_time_says_why_and_is_counted() -> None:
    tab = await _open()
    moment = now() + timedelta(days=1)
    await tab.run("schedule", form={"moment": moment_field_value(moment)})
    async with session_scope() as session:
        row = (await session.exec(select(ContentEntry))).one()
        row.document = {**row.document, "image": "/images/gone.png"}
    with frozen(moment + timedelta(minutes=1)):
        async with session_scope() as session:
            assert await publish_due_entries(session) == 0
    tab = await _open_again()
    assert (
        tab.state.facts["problem"] == "The picture /images/gone.png is not in the library. Please upload it."
    )
    content = Tab(ContentPage, (await enter("owner@mwanga.example")).token, CONTENT)
    await content.run("open_content")
    assert [line.href for line in content.state.problems] == [entry_address(Kind.ARTICLE, SLUG)]
    async with read_scope() as session:
        assert CONTENT_LIST.count_attention is not None
        assert await CONTENT_LIST.count_attention(session) == 1
    await tab.run("submit", form=_form())
    assert tab.state.facts["problem"] == ""
