"""Forms of entries, the differences between two versions, and their words."""

from datetime import UTC, datetime

import pytest

from agency_site.backoffice.audit_labels import record_page
from agency_site.content.entries import Kind
from agency_site.content.entry_kinds import KINDS, KindDefinition
from agency_site.db.event_log import SYSTEM, LoggedEvent
from agency_site.errors import InputRejected
from agency_site.features.editing.admin.entries.differences import list_differences, list_values
from agency_site.features.editing.admin.entries.forms import (
    LONGEST,
    choice_name,
    fill_fields,
    next_morning,
    read_fields,
)
from agency_site.features.editing.admin.entries.labels import (
    describe_changes,
    describe_state,
    entry_address,
    find_kind,
    split_reference,
    version_lines,
)
from agency_site.features.editing.entries.records import EntryRecord, EntryVersion
from agency_site.features.editing.entries.rules import EntryChange, EntryState
from agency_site.fields import Control

ARTICLE = KINDS[Kind.ARTICLE]
NOON = datetime(2026, 6, 12, 9, tzinfo=UTC)


def _submitted_form(definition: KindDefinition, fields: dict[str, str]) -> dict[str, str]:
    """Return what the browser sends: a name for each ticked box, line breaks of its own."""
    form: dict[str, str] = {}
    for field in definition.fields:
        value = fields.get(field.name, "")
        if field.control is Control.CHOICES:
            form |= {choice_name(field, option): "yes" for option in value.split("\n") if option}
        elif field.control is not Control.TICK or value:
            form[field.name] = value.replace("\n", "\r\n")
    return form


@pytest.mark.parametrize("definition", KINDS.values(), ids=list(KINDS))
def test_the_form_of_a_delivered_record_returns_its_fields(definition: KindDefinition) -> None:
    for record in definition.delivered:
        fields = fill_fields(definition, definition.fields_of(record))
        assert read_fields(definition, _submitted_form(definition, fields), fields) == fields
        assert list_differences(definition, definition.fields_of(record), fields) == []


def test_a_form_has_only_the_fields_of_its_kind() -> None:
    fields = read_fields(ARTICLE, {"title": "T", "state": "published", "featured": "yes", "act": "save"}, {})
    assert set(fields) == {field.name for field in ARTICLE.fields}
    assert (fields["title"], fields["featured"], fields["shelves"]) == ("T", "yes", "")


@pytest.mark.parametrize("text", ["a\x00b", "x" * (LONGEST + 1)])
def test_text_that_cannot_be_stored_is_refused_next_to_its_field(text: str) -> None:
    with pytest.raises(InputRejected) as refused:
        read_fields(ARTICLE, {"title": "T", "text": text}, {})
    assert set(refused.value.by_field()) == {"text"}


def test_a_short_field_is_compared_as_a_whole_and_a_long_text_by_line() -> None:
    old = {"title": "Old", "text": "One\n\nTwo\n\nThree", "featured": "", "author": "Amina"}
    new = {"title": "New", "text": "One\n\n2\n\nThree\n\nFour", "featured": "yes", "author": "Amina"}
    title, text, featured = list_differences(ARTICLE, old, new)
    assert (title.label, title.old, title.new, title.lines) == ("Title", "Old", "New", [])
    assert [(line.mark, line.word, line.text) for line in text.lines] == [
        ("-", "Removed", "Two"),
        ("+", "Added", "2"),
        ("+", "Added", ""),
        ("+", "Added", "Four"),
    ]
    assert (featured.old, featured.new) == ("No", "Yes")


def test_values_are_listed_for_readers_with_empty_ones() -> None:
    values = {value.label: value.text for value in list_values(ARTICLE, {"title": "T", "featured": "yes"})}
    assert (values["Title"], values["Featured"], values["Author"]) == ("T", "Yes", "empty")


def _entry(
    state: EntryState, published: str | None, delivered: str | None, title: str = "Own"
) -> EntryRecord:
    published_fields, delivered_fields = (
        None if value is None else {"title": value} for value in (published, delivered)
    )
    return EntryRecord(
        Kind.ARTICLE, "slug", title, 3, state, {"title": title, "order": ""}, published_fields, delivered_fields,
        NOON, "amina@mwanga.example", NOON,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("state", "published", "delivered", "words", "changes"),
    [
        (EntryState.DRAFT, None, None, "Draft", ""),
        (EntryState.PUBLISHED, "Own", None, "Published", "Written here, 12 June, by amina@mwanga.example"),
        (EntryState.PUBLISHED, "Own", "Base", "Published", "Changed here, 12 June, by amina@mwanga.example"),
        (
            EntryState.PUBLISHED,
            "Before",
            "Base",
            "Published",
            "Changed here, 12 June, by amina@mwanga.example. Unpublished changes",
        ),
        (EntryState.DRAFT, "Base", "Base", "Published", "Unpublished changes, 12 June, by amina@mwanga.example"),
        (EntryState.DRAFT, "Own", "Own", "Published", ""),
        (EntryState.HIDDEN, None, "Own", "Hidden", "Changed here, 12 June, by amina@mwanga.example"),
        (EntryState.SCHEDULED, None, None, "Scheduled for Fri 12 Jun 2026, 12:00", ""),
    ],
)  # fmt: skip
def test_state_and_changes_are_words(
    state: EntryState, published: str | None, delivered: str | None, words: str, changes: str
) -> None:
    entry = _entry(state, published, delivered)
    assert (describe_state(entry)[0], describe_changes(entry)) == (words, changes)


def test_every_change_is_named_in_the_history_with_what_differed() -> None:
    events = [
        EntryVersion(number, LoggedEvent(NOON, SYSTEM, change), {"title": str(number)})
        for number, change in enumerate(EntryChange)
    ]
    lines = version_lines(_entry(EntryState.DRAFT, None, "Base"), list(reversed(events)))
    assert len({line.what for line in lines}) == len(EntryChange)
    assert {line.who for line in lines} == {"on time, automatically"}
    assert [line.words for line in lines if line.what == "Published"] == ["Changed: Title"]


def test_the_address_of_an_entry_is_that_of_the_audit_log() -> None:
    assert entry_address(Kind.ARTICLE) == "/admin/entry?kind=article"
    address = entry_address(Kind.TEAM_MEMBER, "amina-o")
    assert address == record_page("entry", "team_member/amina-o")
    assert split_reference("team_member/amina-o") == (Kind.TEAM_MEMBER, "amina-o")


@pytest.mark.parametrize("name", ["", "Article", "article/x", "__class__"])
def test_a_kind_that_does_not_exist_is_no_kind(name: str) -> None:
    assert find_kind(name) is None


def test_the_proposed_moment_is_the_next_morning_in_nairobi() -> None:
    assert next_morning(datetime(2026, 6, 12, 22, 30, tzinfo=UTC)) == datetime(2026, 6, 14, 5, tzinfo=UTC)
