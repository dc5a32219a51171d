"""Differences between two versions of an entry, field by field. No I/O."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from difflib import SequenceMatcher

from agency_site.content.entry_kinds import KindDefinition
from agency_site.fields import Control, Field
from agency_site.form_input import YES

_COMPARED_BY_LINE = frozenset({Control.MARKDOWN, Control.TEXT, Control.LINES, Control.CHOICES})


@dataclass
class ChangedLine:
    """A line of a text that was added or removed."""

    mark: str
    """`+` or `-`."""
    word: str
    """The same in a word, for readers who do not see the mark."""
    text: str


@dataclass
class FieldValue:
    """A field as staff read it."""

    label: str
    text: str


@dataclass
class FieldDifference:
    """A field with two different values."""

    label: str
    old: str
    new: str
    lines: list[ChangedLine] = field(default_factory=list)
    """The lines of a long text that differ; empty for short texts, which are shown as a whole."""


def list_differences(
    definition: KindDefinition, old: Mapping[str, str], new: Mapping[str, str]
) -> list[FieldDifference]:
    """Return the fields that differ. An empty field and a missing one are equal."""
    return [
        _compare_field(each, old.get(each.name, ""), new.get(each.name, ""))
        for each in definition.fields
        if old.get(each.name, "") != new.get(each.name, "")
    ]


def list_values(definition: KindDefinition, fields: Mapping[str, str]) -> list[FieldValue]:
    """Return every field of a record in words."""
    return [
        FieldValue(each.label, describe_value(each, fields.get(each.name, ""))) for each in definition.fields
    ]


def _compare_field(entry_field: Field, old: str, new: str) -> FieldDifference:
    if entry_field.control in _COMPARED_BY_LINE and ("\n" in old or "\n" in new):
        return FieldDifference(entry_field.label, "", "", list(_compare_lines(old, new)))
    return FieldDifference(
        entry_field.label, describe_value(entry_field, old), describe_value(entry_field, new)
    )


def describe_value(entry_field: Field, value: str) -> str:
    """Return a value as staff read it."""
    if entry_field.control is Control.TICK:
        return "Yes" if value == YES else "No"
    return value or "empty"


def _compare_lines(old: str, new: str) -> Iterator[ChangedLine]:
    before, after = old.splitlines(), new.splitlines()
    for tag, start, end, new_start, new_end in SequenceMatcher(None, before, after).get_opcodes():
        if tag == "equal":
            continue
        yield from (ChangedLine("-", "Removed", line) for line in before[start:end])
        yield from (ChangedLine("+", "Added", line) for line in after[new_start:new_end])
