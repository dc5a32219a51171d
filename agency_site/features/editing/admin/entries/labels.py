"""Entries in words for staff: states, the addresses of their screens, their history. No I/O."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from urllib.parse import urlencode

from agency_site.auth.rules import Permission, Staff
from agency_site.backoffice.lists.definition import Tone, when
from agency_site.clock import in_nairobi
from agency_site.content.entries import Kind
from agency_site.content.entry_kinds import KINDS, KindDefinition
from agency_site.db.event_log import SYSTEM
from agency_site.errors import NotFound
from agency_site.features.editing.entries.records import EntryRecord, EntryVersion
from agency_site.features.editing.entries.rules import EntryChange, EntryState
from agency_site.fields import Control
from agency_site.members import names

CONTENT, ENTRY = "/admin/content", "/admin/entry"
_PERMISSIONS: Mapping[Kind, Permission] = {
    Kind.COURSE: Permission.SET_PRICES,
    Kind.PLAN: Permission.SET_PRICES,
    Kind.HOURS: Permission.SET_HOURS,
}
_CHANGES: Mapping[EntryChange, str] = names(
    {
        EntryChange.CREATED: "Created",
        EntryChange.SAVED: "Draft saved",
        EntryChange.PUBLISHED: "Published",
        EntryChange.SCHEDULED: "Scheduled",
        EntryChange.UNSCHEDULED: "Unscheduled",
        EntryChange.HIDDEN: "Hidden",
        EntryChange.SHOWN: "Shown again",
        EntryChange.RESTORED: "Earlier version restored",
        EntryChange.RESET: "Returned to the delivered text",
    }
)


@dataclass
class VersionLine:
    """An event in the history of an entry, as the page shows it."""

    id: int
    what: str
    words: str
    """What differed from the version before; empty if nothing did."""
    at: str
    who: str


def permission_to_change(kind: Kind) -> Permission:
    """Return the permission to change the entries of a kind."""
    return _PERMISSIONS.get(kind, Permission.WORK_CONTENT)


def can_add(definition: KindDefinition, who: Staff) -> bool:
    """Return whether `who` may add records of a kind."""
    return definition.can_create and who.has_permission(permission_to_change(definition.kind))


def find_kind(name: str) -> KindDefinition | None:
    """Return the kind of that name, which may be typed by hand; None for an unknown one."""
    return KINDS[Kind(name)] if name in KINDS else None


def entry_address(kind: Kind, slug: str = "") -> str:
    """Return the address of an entry's page; of a new entry without a slug."""
    return f"{ENTRY}?{urlencode({'kind': kind.value} | ({'slug': slug} if slug else {}))}"


def entry_reference(kind: Kind, slug: str) -> str:
    """Return the name of an entry in the audit log and in the state of its page."""
    return f"{kind}/{slug}"


def split_reference(reference: str) -> tuple[Kind, str]:
    """Return kind and slug of a reference. Raises NotFound for an empty one: no entry is open."""
    kind, _, slug = reference.partition("/")
    definition = find_kind(kind)
    if definition is None:
        raise NotFound("No entry is open.")
    return definition.kind, slug


def field_labels(definition: KindDefinition) -> dict[str, str]:
    """Return the labels of the fields of a kind by their names."""
    return {field.name: field.label for field in definition.fields}


def has_markdown(definition: KindDefinition) -> bool:
    """Return whether entries of a kind have a text in Markdown."""
    return any(field.control is Control.MARKDOWN for field in definition.fields)


def describe_state(entry: EntryRecord) -> tuple[str, Tone]:
    """Return the state of an entry in words, and its colour."""
    match entry.state:
        case EntryState.HIDDEN:
            return "Hidden", "bad"
        case EntryState.SCHEDULED:
            hidden = "Hidden until then. " if entry.is_hidden else ""
            return f"{hidden}Scheduled for {when(entry.publish_at)}", "busy"
    if entry.problem:
        return "Not published on time", "bad"
    return ("Draft", "quiet") if entry.published_fields is None else ("Published", "good")


def describe_changes(entry: EntryRecord) -> str:
    """Return who changed the entry here and when, and whether visitors see it; empty for a record as it was delivered."""
    parts = []
    if entry.is_changed_here:
        parts.append(f"{'Changed' if entry.delivered_fields else 'Written'} here, {_describe_author(entry)}")
    if entry.published_fields is not None and entry.has_unpublished_changes:
        parts.append("Unpublished changes" if parts else f"Unpublished changes, {_describe_author(entry)}")
    return ". ".join(parts)


def _describe_author(entry: EntryRecord) -> str:
    """Return day and author of the last change, such as `12 June, by amina@mwanga.example`."""
    assert entry.updated_at is not None
    return f"{_describe_day(entry.updated_at)}, by {entry.editor}"


def _describe_day(moment: datetime) -> str:
    return f"{in_nairobi(moment):%-d %B}"


def _name_change(what: str) -> str:
    return next((words for change, words in _CHANGES.items() if change == what), what)


def version_lines(entry: EntryRecord, versions: list[EntryVersion]) -> list[VersionLine]:
    """Return the history of an entry in words, newest event first."""
    definition = KINDS[entry.kind]
    older = [*(version.fields for version in versions[1:]), entry.delivered_fields or {}]
    return [
        VersionLine(
            version.id,
            _name_change(version.event.what),
            _describe_event(definition, version, fields_before),
            when(version.event.at),
            "on time, automatically" if version.event.actor == SYSTEM else version.event.actor,
        )
        for version, fields_before in zip(versions, older, strict=False)
    ]


def _describe_event(
    definition: KindDefinition, version: EntryVersion, fields_before: Mapping[str, str]
) -> str:
    change = EntryChange(version.event.what)
    if change is EntryChange.SCHEDULED and version.event.note:
        return f"For {when(datetime.fromisoformat(version.event.note))}"
    if change is EntryChange.UNSCHEDULED and version.event.note:
        return f"It could not be published: {version.event.note}"
    if change in {EntryChange.CREATED, EntryChange.SHOWN}:
        return ""
    changed = [
        field.label
        for field in definition.fields
        if version.fields.get(field.name, "") != fields_before.get(field.name, "")
    ]
    return f"Changed: {', '.join(changed)}" if changed and fields_before else ""
