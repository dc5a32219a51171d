"""Records as text that staff read: labels, facts, and what belongs to them. No I/O."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from agency_site.backoffice.lists.definition import when
from agency_site.backoffice.personal_data.data_requests import Record, SourceRecords

LABELS = {
    "fullname": "Name",
    "email": "E-mail",
    "to": "To",
    "at": "When",
    "why": "Reason",
}
"""Where a key with spaces would not do."""
_FIRST = ("fullname", "first_name", "last_name", "email", "phone", "to", "subject", "message", "text")
"""Shown first."""
_MOMENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d[0-9:.+Z-]*")
GISTS = ("subject", "course_name", "webinar", "message", "plan", "text", "query", "state")
GIST = 64
_HIDDEN = {"record", "reference"}


@dataclass
class Fact:
    """One value of a record."""

    label: str
    text: str


@dataclass
class Part:
    """Things that belong together; the record's own have no title."""

    title: str
    facts: list[Fact]


@dataclass
class RecordSummary:
    """One record as it is read."""

    title: str
    gist: str
    """What it is about, in a line."""
    href: str
    """Its page in the back office; empty: it has none."""
    parts: list[Part]


@dataclass
class Group:
    """The records of one part of the site."""

    name: str
    count: str
    kept: str
    records: list[RecordSummary]


def groups_of(found: Sequence[SourceRecords], paths: set[str]) -> list[Group]:
    """All records, to be read; `paths` are the pages that exist."""
    return [
        Group(
            one.source.name,
            str(len(one.records)),
            one.source.kept,
            [summarize_record(record, one.source.pages, paths) for record in one.records],
        )
        for one in found
    ]


def summarize_record(record: Record, pages: Mapping[str, str], paths: set[str]) -> RecordSummary:
    """One record, to be read."""
    kind, reference = str(record.get("record", "")), str(record.get("reference", ""))
    page = pages.get(kind, "")
    href = f"{page}{reference}" if page.partition("?")[0] in paths else ""
    title = f"{kind.capitalize()} {reference}".strip()
    return RecordSummary(title, _summary_line(record), href, list(_parts("", record)))


def _summary_line(record: Record) -> str:
    """What distinguishes a record from its neighbours, and its day."""
    flat = {
        key: value for inner in record.values() if isinstance(inner, Mapping) for key, value in inner.items()
    }
    known = {**flat, **record}
    gist = next((_text(known[key]) for key in GISTS if known.get(key)), "")
    moment = next((_text(known[key]) for key in ("starts_at", "created_at") if known.get(key)), "")
    line = " ".join(gist.split())
    short = line if len(line) <= GIST else f"{line[: GIST - 1].rstrip()}…"
    return " · ".join(part for part in (short, moment) if part)


def other_identifiers(found: Sequence[SourceRecords], known: Sequence[str]) -> list[str]:
    """Addresses and numbers that the records carry beside the `known` ones: perhaps the same person's."""
    named = {
        value if key == "email" else f"+{value.removeprefix('+')}"
        for one in found
        for record in one.records
        for key, value in _named(record)
    }
    return sorted({one.lower() for one in named} - {one.lower() for one in known})


def _named(value: object) -> Iterator[tuple[str, str]]:
    if isinstance(value, Mapping):
        for key, inner in value.items():
            if key in ("email", "phone") and isinstance(inner, str) and inner:
                yield str(key), inner
            yield from _named(inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _named(inner)


def _parts(title: str, record: Mapping[str, object]) -> Iterator[Part]:
    order = {key: place for place, key in enumerate(_FIRST)}
    keys = sorted(record, key=lambda key: order.get(key, len(order)))
    plain = {key: _text(record[key]) for key in keys if key not in _HIDDEN or title}
    facts = [Fact(_label(key), text) for key, text in plain.items() if text]
    if facts:
        yield Part(title, facts)
    for key, value in record.items():
        inner_title = f"{title}, {_label(key).lower()}" if title else _label(key)
        yield from _nested(inner_title, value)


def _nested(title: str, value: object) -> Iterator[Part]:
    if isinstance(value, Mapping):
        yield from _parts(title, value)
    rows = [one for one in value if isinstance(one, Mapping)] if isinstance(value, list | tuple) else []
    if rows and all("at" in row and not _has_inner(row) for row in rows):
        yield Part(title, [_event(row) for row in rows])
        return
    for number, row in enumerate(rows, 1):
        yield from _parts(f"{title} {number}", row)


def _has_inner(row: Mapping[str, object]) -> bool:
    return any(isinstance(value, Mapping | list | tuple) for value in row.values())


def _event(row: Mapping[str, object]) -> Fact:
    said = (
        _text(row[key]) for key in sorted(row, key=lambda key: key not in ("what", "actor")) if key != "at"
    )
    return Fact(_text(row["at"]), " · ".join(part for part in said if part))


def _label(key: str) -> str:
    return LABELS.get(key, key.replace("_", " ").capitalize())


def _text(value: object) -> str:
    if value is None or isinstance(value, Mapping):
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list | tuple):
        return ", ".join(str(one) for one in value if not isinstance(one, Mapping | list | tuple))
    return _moment(value) if isinstance(value, str) else str(value)


def _moment(text: str) -> str:
    """A moment as staff read it; any other text as it is."""
    if not _MOMENT.fullmatch(text):
        return text
    try:
        return when(datetime.fromisoformat(text))
    except ValueError:
        return text
