"""Entries as staff read them."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from agency_site.content.entries import Kind
from agency_site.content.entry_kinds import KINDS, EntryInvalid
from agency_site.db.event_log import LoggedEvent
from agency_site.features.editing.entries.rules import EntryState


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
    """The fields that editors work on."""
    published_fields: Mapping[str, str] | None
    """The fields that visitors see; None if they see no such record."""
    delivered_fields: Mapping[str, str] | None
    """None for a record that staff have added."""
    publish_at: datetime | None = None
    editor: str = ""
    updated_at: datetime | None = None

    @property
    def has_unpublished_changes(self) -> bool:
        """Return whether publishing would change what visitors see."""
        return self.published_fields is None or list_filled(self.fields) != list_filled(self.published_fields)

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

    @property
    def is_changed_here(self) -> bool:
        """Return whether visitors see something else than what was delivered."""
        return self.version > 0 and list_filled(self.published_fields) != list_filled(self.delivered_fields)


def list_filled(fields: Mapping[str, str] | None) -> dict[str, str] | None:
    """Return the fields that are not empty: a form sends empty ones, records lack them. None for no record."""
    return None if fields is None else {name: value for name, value in fields.items() if value}


@dataclass(frozen=True)
class EntryVersion:
    """An event in the history of an entry, with the fields as they were then."""

    id: int
    event: LoggedEvent
    fields: Mapping[str, str]
