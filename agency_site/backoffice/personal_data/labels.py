"""Records as text for staff: labels, facts, and related parts. No I/O."""

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
"""Labels of keys whose words are not clear."""
_FIRST = ("fullname", "first_name", "last_name", "email", "phone", "to", "subject", "message", "text")
"""Keys that are shown first."""
_MOMENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d[0-9:.+Z-]*")
GISTS = ("subject", "course_name", "webinar", "message", "plan", "text", "query", "state")
GIST = 64
_NAMES = ("fullname", "first_name", "last_name")
_HIDDEN = {"record", "reference"}


@dataclass
class Fact:
    """A value of a record."""

    label: str
    text: str


@dataclass
class Part:
    """Facts that belong together; those of the record itself have no title."""

    title: str
    facts: list[Fact]


@dataclass
class RecordSummary:
    """A record as text."""

    title: str
    gist: str
    """Its subject, in one line."""
    href: str
    """The address of its page in the back office; empty if it has none."""
    parts: list[Part]


@dataclass
class Group:
    """The records of one source."""

    name: str
    count: str
    retained_data: str
    records: list[RecordSummary]


def groups_of(results: Sequence[SourceRecords], paths: set[str]) -> list[Group]:
    """Return all records as text; `paths` are the existing pages."""
    return [
        Group(
            result.source.name,
            str(len(result.records)),
            result.source.retained_data,
            [summarize_record(record, result.source.pages, paths) for record in result.records],
        )
        for result in results
    ]


def summarize_record(record: Record, pages: Mapping[str, str], paths: set[str]) -> RecordSummary:
    """Return a record as text."""
    kind, reference = str(record.get("record", "")), str(record.get("reference", ""))
    page = pages.get(kind, "")
    href = f"{page}{reference}" if page.partition("?")[0] in paths else ""
    title = f"{kind.capitalize()} {reference}".strip()
    return RecordSummary(title, _summary_line(record), href, list(_record_parts("", record)))


def _summary_line(record: Record) -> str:
    """Return the subject of a record and its day, which distinguish it from the others."""
    flat = {
        key: value for inner in record.values() if isinstance(inner, Mapping) for key, value in inner.items()
    }
    values = {**flat, **record}
    gist = next((_text(values[key]) for key in GISTS if values.get(key)), "")
    moment = next((_text(values[key]) for key in ("starts_at", "created_at") if values.get(key)), "")
    line = " ".join(gist.split())
    short = line if len(line) <= GIST else f"{line[: GIST - 1].rstrip()}…"
    return " · ".join(part for part in (short, moment) if part)


def endings_of(results: Sequence[SourceRecords]) -> list[str]:
    """Return what erasing the records ends."""
    return [
        ending
        for result in results
        if result.source.describe_ending
        for record in result.records
        if (ending := result.source.describe_ending(record))
    ]


def names_of(results: Sequence[SourceRecords]) -> list[str]:
    """Return the names in the records, each once: several may be several persons who share a number."""
    records = (record for result in results for record in result.records)
    names = (" ".join(str(record.get(key) or "") for key in _NAMES).split() for record in records)
    return list({" ".join(name).casefold(): " ".join(name) for name in names if name}.values())


def other_identifiers(results: Sequence[SourceRecords], searched_identifiers: Sequence[str]) -> list[str]:
    """Return addresses and numbers in the records besides the `known` ones: perhaps of the same person."""
    identifiers = {
        value if key == "email" else f"+{value.removeprefix('+')}"
        for result in results
        for record in result.records
        for key, value in _identifiers_in(record)
    }
    return sorted({text.lower() for text in identifiers} - {text.lower() for text in searched_identifiers})


def _identifiers_in(value: object) -> Iterator[tuple[str, str]]:
    if isinstance(value, Mapping):
        for key, inner in value.items():
            if key in ("email", "phone") and isinstance(inner, str) and inner:
                yield str(key), inner
            yield from _identifiers_in(inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _identifiers_in(inner)


def _record_parts(title: str, record: Mapping[str, object]) -> Iterator[Part]:
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
        yield from _record_parts(title, value)
    rows = [row for row in value if isinstance(row, Mapping)] if isinstance(value, list | tuple) else []
    if rows and all("at" in row and not _has_inner(row) for row in rows):
        yield Part(title, [_event_fact(row) for row in rows])
        return
    for number, row in enumerate(rows, 1):
        yield from _record_parts(f"{title} {number}", row)


def _has_inner(row: Mapping[str, object]) -> bool:
    return any(isinstance(value, Mapping | list | tuple) for value in row.values())


def _event_fact(row: Mapping[str, object]) -> Fact:
    texts = (
        _text(row[key]) for key in sorted(row, key=lambda key: key not in ("what", "actor")) if key != "at"
    )
    return Fact(_text(row["at"]), " · ".join(part for part in texts if part))


def _label(key: str) -> str:
    return LABELS.get(key, key.replace("_", " ").capitalize())


def _text(value: object) -> str:
    if value is None or isinstance(value, Mapping):
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list | tuple):
        return ", ".join(str(item) for item in value if not isinstance(item, Mapping | list | tuple))
    return _format_moment(value) if isinstance(value, str) else str(value)


def _format_moment(text: str) -> str:
    """Format a moment for staff; return any other text unchanged."""
    if not _MOMENT.fullmatch(text):
        return text
    try:
        return when(datetime.fromisoformat(text))
    except ValueError:
        return text
