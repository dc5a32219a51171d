"""Checks across records: links, pictures, icons and slugs. Problems stop the start with a message that lists them.

Records validate their own fields when they are created. These checks need the rest of the site. They walk through all
records of the content modules, so new kinds of records need no code here.
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

_PICTURE_ROOTS = ("/art/", "/images/", "/photographs/", "/share/")
"""Values with these prefixes are pictures, whatever their field is."""
_PICTURE_FIELDS = frozenset({"cover", "head", "image", "image_url", "images", "logo", "src"})
"""Values of these fields are pictures too; a bare file name is below `/images/`."""
_COURSE_FIELDS = frozenset({"courses", "related"})
"""Values of these fields are slugs of courses; the path of a course's page is its slug."""
_COMMANDS = frozenset({"check", "link_targets", "verify"})
"""Modules of this package without content."""
_OUTSIDE = ("https://", "http://", "mailto:", "tel:", "#")
_LABELS = ("slug", "id")
_TARGETS = re.compile(r'(?:href|src)="([^"]*)"')
_ASSIGNED = re.compile(r"^(\w+)(?:: [^=\n]+)? = ", re.MULTILINE)


@dataclass(frozen=True)
class Targets:
    """The valid targets of content. None if the caller does not know them, so that they are not checked."""

    pages: Collection[str] | None = None
    """Paths of all pages, with their aliases."""
    icons: Collection[str] | None = None
    assets: Path = ROOT / "assets"


@dataclass(frozen=True)
class Place:
    """The location of a value: its file, its path from a name in that file, and its field."""

    file: str
    way: str
    field: str = ""

    def inside(self, record: Record, name: str) -> Self:
        """Return the location of a field of this record; a record from Markdown has its own file."""
        source = getattr(record, "source", None)
        here = replace(self, file=f"content/{source}", way="") if source else self
        return replace(here, way=f"{here.way}.{name}".lstrip("."), field=name)

    def entry(self, label: object) -> Self:
        """Return the location of an item of this collection."""
        return replace(self, way=f"{self.way}[{label}]")

    def __str__(self) -> str:
        return f"{self.file}: {self.way}"


def verify(targets: Targets, modules: Iterable[ModuleType] | None = None) -> None:
    """Check every record of the content modules. Raises ValueError with all problems."""
    found_problems = [*problems(content_modules() if modules is None else modules, targets)]
    if found_problems:
        raise ValueError("\n".join(found_problems))


def content_modules() -> tuple[ModuleType, ...]:
    """Return all modules of this package; packages, which collect records of their modules, come last."""
    names = [info.name for info in pkgutil.walk_packages(package.__path__, f"{package.__name__}.")]
    modules = [importlib.import_module(name) for name in names if name.split(".")[-1] not in _COMMANDS]
    return tuple(sorted(modules, key=lambda module: (hasattr(module, "__path__"), module.__name__)))


def problems(modules: Iterable[ModuleType], targets: Targets) -> Iterator[str]:
    """Yield each problem as `file: record.field: description`."""
    # A record can have several names; it is reported under the first one.
    seen: set[int] = set()
    for module in modules:
        file = _file(module)
        for name, value in _own_names(module):
            for place, part in _walk(value, Place(file, name, name), seen):
                yield from (f"{place}: {problem}" for problem in _check(place, part, targets))


def _file(module: ModuleType) -> str:
    path = module.__name__.removeprefix("agency_site.").replace(".", "/")
    return f"{path}/__init__.py" if hasattr(module, "__path__") else f"{path}.py"


def _own_names(module: ModuleType) -> Iterator[tuple[str, object]]:
    """Yield the module's own names; imported records are checked in their own modules."""
    source = getattr(module, "__file__", None)
    own = set(_ASSIGNED.findall(Path(source).read_text(encoding="utf-8"))) if source else set(vars(module))
    return ((name, value) for name, value in vars(module).items() if name in own)


def _walk(value: object, place: Place, seen: set[int]) -> Iterator[tuple[Place, object]]:
    """Yield every text and every collection of records below a value, with its location."""
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
    """Return the field that identifies a record in its collection, and its value; None if it has no such field."""
    labels = ((name, getattr(part, name, None)) for name in _LABELS)
    return next((label for label in labels if label[1] is not None), ("", None))


def _check(place: Place, value: object, targets: Targets) -> Iterator[str]:
    if isinstance(value, tuple | list):
        counts = Counter(_label(part) for part in value)
        yield from (
            f"{name} {label!r} occurs {n} times" for (name, label), n in counts.items() if name and n > 1
        )
    elif isinstance(value, str) and value:
        parts = _TARGETS.findall(value) if place.field == "html" else (value,)
        field = "href" if place.field == "html" else place.field
        yield from (problem for part in parts if (problem := _problem(field, part, targets)))


def _problem(field: str, text: str, targets: Targets) -> str | None:
    if text.startswith(_PICTURE_ROOTS) or field in _PICTURE_FIELDS:
        return _picture_problem(text, targets.assets)
    if field == "icon":
        is_unknown = targets.icons is not None and text not in targets.icons
        return f"no icon is called {text!r} (agency_site/ui/icons.py has them)" if is_unknown else None
    if field in _COURSE_FIELDS:
        return None if _is_page(f"/{text}", targets) else f"no course has the slug {text!r}"
    if text.startswith("/"):
        return None if _is_page(text, targets) else f"{text!r} leads to no page"
    if field == "href" and not text.startswith(_OUTSIDE):
        return f"{text!r} begins neither with / nor with https://"
    return None


def _picture_problem(text: str, assets: Path) -> str | None:
    path = text if text.startswith("/") else f"/images/{text}"
    if (assets / path.lstrip("/")).is_file():
        return None
    return f"assets{path} is missing (`make art` draws covers and portraits)"


def _is_page(target: str, targets: Targets) -> bool:
    """Return whether a path belongs to a page; query, fragment, case and a trailing slash are ignored."""
    if targets.pages is None:
        return True
    path = re.split(r"[?#]", target)[0].rstrip("/").lower() or "/"
    return path in targets.pages
