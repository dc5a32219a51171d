"""Entries as staff read them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from agency_site.content.entries import Kind
from agency_site.content.entry_kinds import KINDS, EntryInvalid, KindDefinition
from agency_site.content.link_targets import is_delivered
from agency_site.db.event_log import LoggedEvent
from agency_site.features.editing.entries.rules import EntryState
from agency_site.features.editing.entries.tables import ContentEntry
from agency_site.fields import Control
from agency_site.picture_addresses import PICTURES


@dataclass(frozen=True)
class EntryRecord:
    """A record of content, with what staff have changed of it."""

    kind: Kind
    slug: str
    title: str
    version: int
    """0 if staff have never changed the delivered record."""
    state: EntryState
    fields: Mapping[str, str]
    """The draft: the fields that editors work on."""
    published_fields: Mapping[str, str] | None
    """The fields that visitors see, or would see if the record were not hidden; None if they have never seen it."""
    delivered_fields: Mapping[str, str] | None
    """None for a record that staff have added."""
    publish_at: datetime | None = None
    editor: str = ""
    updated_at: datetime | None = None
    is_hidden: bool = False
    addresses: Mapping[str, str] = field(default_factory=dict)
    """Every address that the page has had, with the moment of its last publication there."""
    preview_number: int = 0
    problem: str = ""
    """Why it was not published at its moment."""

    @property
    def visible_fields(self) -> Mapping[str, str] | None:
        """Return the fields that visitors see; None if they see no such record.

        Pages, feeds, lists, previews, checks of addresses and screens of staff all ask here.
        """
        return None if self.is_hidden else self.published_fields

    @property
    def has_unpublished_changes(self) -> bool:
        """Return whether publishing would change the fields that visitors see, or would see."""
        return self.published_fields is None or list_filled(self.fields) != list_filled(self.published_fields)

    @property
    def is_changed_here(self) -> bool:
        """Return whether visitors see something else than what was delivered."""
        return self.version > 0 and list_filled(self.visible_fields) != list_filled(self.delivered_fields)

    def find_path(self, fields: Mapping[str, str] | None) -> str:
        """Return the path of the page that shows the record with these fields; empty if there is no such page."""
        definition = KINDS[self.kind]
        if fields is None:
            return ""
        if not self.version:
            return definition.path_of(definition.find_delivered(self.slug))
        try:
            return definition.path_of(definition.build(self.slug, fields))
        except EntryInvalid:
            return ""


def read_address(slug: str, fields: Mapping[str, str]) -> str:
    """Return the last part of the path of the page that shows these fields."""
    return fields.get("address", "").strip() or slug


def read_entry(row: ContentEntry) -> EntryRecord:
    """Return the record of a stored entry.

    A document of an earlier release has the delivered value of each field that its kind did not have then, and of each picture
    that is delivered no longer, with its description.
    """
    definition = KINDS[row.kind]
    delivered = _read_delivered_fields(definition, row.slug)
    usual = delivered or {}
    stored = row.published_document or {}
    published = delivered
    if row.published_document is not None:
        published = _complete(definition, stored, usual, stored)
    return EntryRecord(
        row.kind, row.slug, row.title, row.version, row.state, _complete(definition, row.document, usual, stored),
        published, delivered, row.publish_at, row.editor, row.updated_at, row.is_hidden, row.addresses,
        row.preview_number, row.problem,
    )  # fmt: skip


def read_delivered_entry(definition: KindDefinition, slug: str) -> EntryRecord:
    """Return a delivered record that staff have never changed."""
    fields = _read_delivered_fields(definition, slug) or {}
    title = definition.title_of(definition.find_delivered(slug))
    return EntryRecord(definition.kind, slug, title, 0, EntryState.PUBLISHED, fields, fields, fields)


def _read_delivered_fields(definition: KindDefinition, slug: str) -> dict[str, str] | None:
    delivered = definition.find_delivered(slug)
    return definition.fields_of(delivered) if delivered else None


def keep_known_fields(definition: KindDefinition, document: Mapping[str, str]) -> dict[str, str]:
    """Return the fields of a document that its kind still has."""
    names = {each.name for each in definition.fields}
    return {name: value for name, value in document.items() if name in names}


def _complete(
    definition: KindDefinition,
    document: Mapping[str, str],
    usual: Mapping[str, str],
    published: Mapping[str, str],
) -> dict[str, str]:
    """Return the usual fields with those of a document on top; of its lost pictures only those that were published give way."""
    known = keep_known_fields(definition, document)
    pictures = {each.name for each in definition.fields if each.control is Control.PICTURE}
    lost = {
        name
        for name in pictures & known.keys()
        if known[name] == published.get(name) and _is_lost(known[name])
    }
    present = {each.name for each in definition.fields if lost & {each.name, each.describes}} & usual.keys()
    return {**usual, **known, **{name: usual[name] for name in present}}


def _is_lost(picture: str) -> bool:
    path = picture.partition("#")[0]
    return path.startswith("/") and not path.startswith(PICTURES) and not is_delivered(path)


def list_filled(fields: Mapping[str, str] | None) -> dict[str, str] | None:
    """Return the fields that are not empty: a form sends empty ones, records lack them. None for no record."""
    return None if fields is None else {name: value for name, value in fields.items() if value}


@dataclass(frozen=True)
class EntryVersion:
    """An event in the history of an entry, with the fields as they were then."""

    id: int
    event: LoggedEvent
    fields: Mapping[str, str]
