"""Checks across records: links, pictures, icons and slugs. Whatever does not fit stops the start and is named.

A record judges its own fields while it is made. These checks need the rest of the site: every record that a content
module holds is found, whatever its shape, so a new kind of record is checked without a line here.
"""

import importlib
import pkgutil
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from types import ModuleType
from typing import Self

import agency_site.content as package
from agency_site.content.schema import Record
from agency_site.settings import ROOT

_PICTURE_ROOTS = ("/art/", "/images/", "/share/")
"""A value that begins so is a picture, whatever its field is called."""
_PICTURE_FIELDS = frozenset({"cover", "head", "image", "image_url", "images", "logo", "src"})
"""Their values are pictures too; a bare file name is below `/images/`."""
_COURSE_FIELDS = frozenset({"courses", "related"})
"""Their values are slugs of courses; the path of a course's page is its slug."""
_COMMANDS = frozenset({"check", "verify"})
"""Modules of this package that say nothing themselves."""
_OUTSIDE = ("https://", "http://", "mailto:", "tel:", "#")
_LABELS = ("slug", "id")
_TARGETS = re.compile(r'(?:href|src)="([^"]*)"')
_ASSIGNED = re.compile(r"^(\w+)(?:: [^=\n]+)? = ", re.MULTILINE)


@dataclass(frozen=True)
class Known:
    """What content may point to. None: not known to the caller, so it is not checked."""

    pages: Collection[str] | None = None
    """Paths of all pages, other spellings that lead to one included."""
    icons: Collection[str] | None = None
    assets: Path = ROOT / "assets"


@dataclass(frozen=True)
class Place:
    """The location of a value: its file, the way to it from a name in that file, and the field that holds it."""

    file: str
    way: str
    field: str = ""

    def inside(self, record: Record, name: str) -> Self:
        """A field of the record at this place; a record that was read from Markdown has its own file."""
        source = getattr(record, "source", None)
        here = replace(self, file=f"content/{source}", way="") if source else self
        return replace(here, way=f"{here.way}.{name}".lstrip("."), field=name)

    def entry(self, label: object) -> Self:
        """One item of the collection at this place."""
        return replace(self, way=f"{self.way}[{label}]")

    def __str__(self) -> str:
        return f"{self.file}: {self.way}"


def verify(known: Known, modules: Iterable[ModuleType] | None = None) -> None:
    """Check every record of the content modules. Raises ValueError, which names all that does not fit at once."""
    found = [*problems(content_modules() if modules is None else modules, known)]
    if found:
        raise ValueError("\n".join(found))


def content_modules() -> tuple[ModuleType, ...]:
    """All modules of this package; those that only gather others' records come last."""
    found = [each.name for each in pkgutil.walk_packages(package.__path__, f"{package.__name__}.")]
    modules = [importlib.import_module(name) for name in found if name.split(".")[-1] not in _COMMANDS]
    return tuple(sorted(modules, key=lambda module: (hasattr(module, "__path__"), module.__name__)))


def problems(modules: Iterable[ModuleType], known: Known) -> Iterator[str]:
    """What does not fit, each as `file: record.field: what is wrong`."""
    # The same record may hang under several names; it is reported under the first.
    seen: set[int] = set()
    for module in modules:
        file = _file(module)
        for name, value in _own_names(module):
            for place, found in _walk(value, Place(file, name, name), seen):
                yield from (f"{place}: {problem}" for problem in _check(place, found, known))


def _file(module: ModuleType) -> str:
    path = module.__name__.removeprefix("agency_site.").replace(".", "/")
    return f"{path}/__init__.py" if hasattr(module, "__path__") else f"{path}.py"


def _own_names(module: ModuleType) -> Iterator[tuple[str, object]]:
    """What the module itself gives a name; what it imports is checked where it comes from."""
    source = getattr(module, "__file__", None)
    own = set(_ASSIGNED.findall(Path(source).read_text(encoding="utf-8"))) if source else set(vars(module))
    return ((name, value) for name, value in vars(module).items() if name in own)


def _walk(value: object, place: Place, seen: set[int]) -> Iterator[tuple[Place, object]]:
    """Every text and every collection of records below a value, each with its place."""
    if isinstance(value, str):
        yield place, value
    elif isinstance(value, Record):
        if id(value) not in seen:
            seen.add(id(value))
            for name in type(value).model_fields:
                yield from _walk(getattr(value, name), place.inside(value, name), seen)
    elif isinstance(value, dict):
        for key, part in value.items():
            yield from _walk(part, place.entry(key), seen)
    elif isinstance(value, tuple | list):
        if any(isinstance(part, Record) for part in value) and id(value) not in seen:
            seen.add(id(value))
            yield place, value
        for number, part in enumerate(value):
            yield from _walk(part, place.entry(_label(part)[1] or number), seen)


def _label(part: object) -> tuple[str, object]:
    """The field that identifies this record among its neighbours, and its value; None where it has no such field."""
    named = ((name, getattr(part, name, None)) for name in _LABELS)
    return next((found for found in named if found[1] is not None), ("", None))


def _check(place: Place, value: object, known: Known) -> Iterator[str]:
    if isinstance(value, tuple | list):
        counted = Counter(_label(part) for part in value)
        yield from (
            f"{name} {label!r} occurs {n} times" for (name, label), n in counted.items() if name and n > 1
        )
    elif isinstance(value, str) and value:
        parts = _TARGETS.findall(value) if place.field == "html" else (value,)
        field = "href" if place.field == "html" else place.field
        yield from (problem for part in parts if (problem := _problem(field, part, known)))


def _problem(field: str, text: str, known: Known) -> str | None:
    if text.startswith(_PICTURE_ROOTS) or field in _PICTURE_FIELDS:
        return _picture_problem(text, known.assets)
    if field == "icon":
        lost = known.icons is not None and text not in known.icons
        return f"no icon is called {text!r} (agency_site/ui/icons.py has them)" if lost else None
    if field in _COURSE_FIELDS:
        return None if _leads(f"/{text}", known) else f"no course has the slug {text!r}"
    if text.startswith("/"):
        return None if _leads(text, known) else f"{text!r} leads to no page"
    if field == "href" and not text.startswith(_OUTSIDE):
        return f"{text!r} begins neither with / nor with https://"
    return None


def _picture_problem(text: str, assets: Path) -> str | None:
    path = text if text.startswith("/") else f"/images/{text}"
    if (assets / path.lstrip("/")).is_file():
        return None
    return f"assets{path} is missing (`make art` draws covers and portraits)"


def _leads(target: str, known: Known) -> bool:
    """Whether a path leads to a page; query, anchor, letter case and a slash at the end do not matter."""
    if known.pages is None:
        return True
    path = re.split(r"[?#]", target)[0].rstrip("/").lower() or "/"
    return path in known.pages
