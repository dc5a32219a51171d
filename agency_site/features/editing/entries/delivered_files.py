"""Published entries as files of `agency_site/content`, so that developers can deliver them. No I/O.

The front matter is the inverse of `content/markdown.py`.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, time
from enum import Enum
from typing import Any, Self

from agency_site.content.article_schema import PRODUCT, Publication
from agency_site.content.entries import Kind
from agency_site.content.entry_kinds import KINDS, KindDefinition, Overlay, lay_over
from agency_site.content.schema import Record
from agency_site.picture_addresses import PICTURES

FOLDERS: Mapping[Kind, str] = {Kind.ARTICLE: "articles", Kind.INSIGHT: "insights"}
"""The folder of the kinds whose records are Markdown files."""
PLACES: Mapping[Kind, str] = {
    Kind.WEBINAR: "WEBINARS in webinars.py",
    Kind.COURSE: "its module in courses/",
    Kind.TEAM_MEMBER: "TEAM in about.py",
    Kind.TESTIMONIAL: "TESTIMONIALS in testimonials.py",
    Kind.PARTNER: "PARTNERS in partners.py",
    Kind.PROJECT: "PROJECTS in portfolio.py",
    Kind.PLAN: "PLANS in hosting.py",
    Kind.ANNOUNCEMENT: "ANNOUNCEMENTS in announcement.py",
    Kind.HOURS: "HOURS in hours.py",
    Kind.MAIL_TEXT: "MAIL_TEXTS in mail_texts.py",
}
"""The place in `agency_site/content` of the kinds whose records are Python."""
_COMPUTED = frozenset({"text", "html", "headings", "source"})
"""Fields that are not in the front matter."""
_PICTURE = re.compile(rf"{PICTURES}[0-9a-f]{{16}}/[0-9]+x[0-9]+\.[a-z]+(?:#[0-9]+,[0-9]+)?")


@dataclass(frozen=True)
class DeliveredFiles:
    """What takes the entries of a database over into the delivered content."""

    files: Mapping[str, str]
    """Markdown by its path below `agency_site/content`."""
    steps: Sequence[str]
    """What remains to be done by hand."""
    removed: Sequence[str] = ()
    """Files of hidden articles and insights."""

    def list_pictures(self) -> list[str]:
        """Return the addresses of pictures of the library that files and steps contain."""
        texts = (*self.files.values(), *self.steps)
        return sorted({address for text in texts for address in _PICTURE.findall(text)})

    def with_addresses(self, changed: Mapping[str, str]) -> Self:
        """Return the files and steps with other addresses of pictures. Those that are not in `changed` stay."""

        def change(text: str) -> str:
            return _PICTURE.sub(lambda match: changed.get(match[0], match[0]), text)

        files = {name: change(text) for name, text in self.files.items()}
        return replace(self, files=files, steps=[change(step) for step in self.steps])


def write_files(overlays: Sequence[Overlay]) -> DeliveredFiles:
    """Return the files and the steps for all published entries."""
    files: dict[str, str] = {}
    steps: list[str] = []
    removed: list[str] = []
    for overlay in (each for each in overlays if each.fields is None):
        delivered = KINDS[overlay.kind].find_delivered(overlay.slug)
        if isinstance(delivered, Publication):
            removed.append(delivered.source)
        elif delivered:
            steps.append(f"Remove {overlay.slug} from {PLACES[overlay.kind]}: it is hidden.")
    for kind, records in lay_over(overlays).items():
        definition = KINDS[kind]
        for record in records:
            delivered = definition.find_delivered(definition.slug_of(record))
            if not _list_changes(record, delivered):
                continue
            if isinstance(record, Publication):
                files[_file_name(kind, record, delivered)] = write_markdown(record)
            else:
                steps.append(_describe_record(definition, record, delivered))
    return DeliveredFiles(files, steps, removed)


def write_markdown(publication: Publication) -> str:
    """Return an article or insight as a Markdown file with front matter."""
    fields = {name: value for name, value in _list_own_values(publication) if name not in _COMPUTED}
    plain = {name: value for name, value in fields.items() if not isinstance(value, Record)}
    tables = {name: value for name, value in fields.items() if isinstance(value, Record)}
    lines = ["+++", *_write_values(plain)]
    for name, table in tables.items():
        lines += ["", f"[{name}]", *_write_values(dict(_list_own_values(table)))]
    return "\n".join((*lines, "+++", "", publication.text, ""))


def _list_own_values(record: Record) -> Iterator[tuple[str, Any]]:
    """Yield the fields that differ from the defaults of the schema, with their values."""
    for name, field in type(record).model_fields.items():
        if (value := getattr(record, name)) != field.get_default(
            call_default_factory=True, validated_data={}
        ):
            yield name, _with_product(value) if name == "hashtags" else value


def _with_product(hashtags: Sequence[str]) -> tuple[str, ...]:
    return tuple(hashtag.replace(PRODUCT, "{product}") for hashtag in hashtags)


def _write_values(values: Mapping[str, Any]) -> Iterator[str]:
    return (f"{name} = {_write_value(value)}" for name, value in values.items())


def _write_value(value: object) -> str:
    """Return a value of TOML, whose strings may be those of JSON."""
    match value:
        case bool() | str() | int():
            return json.dumps(value, ensure_ascii=False)
        case date():
            return value.isoformat()
        case tuple():
            return f"[{', '.join(map(_write_value, value))}]"
        case dict():
            parts = (f"{json.dumps(key)} = {_write_value(part)}" for key, part in value.items())
            return f"{{{', '.join(parts)}}}"
    raise TypeError(f"{type(value).__name__} has no place in front matter")


def _file_name(kind: Kind, record: Publication, delivered: Record | None) -> str:
    return delivered.source if isinstance(delivered, Publication) else f"{FOLDERS[kind]}/{record.slug}.md"


def _list_changes(record: Record, delivered: Record | None) -> list[str]:
    """Return the names of the fields that differ from the delivered record; all without one."""
    names = [name for name in type(record).model_fields if name not in {"html", "headings", "source"}]
    return [name for name in names if delivered is None or getattr(record, name) != getattr(delivered, name)]


def _describe_record(definition: KindDefinition, record: Record, delivered: Record | None) -> str:
    place, shape = PLACES[definition.kind], type(record)
    if delivered is None:
        return f"Add to {place}:\n    {_write_python(record)},"
    changes = (
        f"    {name}={_write_python(getattr(record, name))}," for name in _list_changes(record, delivered)
    )
    return "\n".join((f"Change {shape.__name__} {definition.slug_of(record)!r} of {place}:", *changes))


def _write_python(value: object) -> str:
    """Return the expression that makes a value."""
    match value:
        case Record():
            fields = (f"{name}={_write_python(part)}" for name, part in _list_own_values(value))
            return f"{type(value).__name__}({', '.join(fields)})"
        case tuple():
            parts = ", ".join(map(_write_python, value))
            return f"({parts},)" if value else "()"
        case Enum():
            return f"{type(value).__name__}.{value.name}"
        case datetime():
            return f"datetime.fromisoformat({value.isoformat()!r})"
        case date():
            return f"date({value.year}, {value.month}, {value.day})"
        case time():
            return f"time({value.hour}, {value.minute})"
    return repr(value)
