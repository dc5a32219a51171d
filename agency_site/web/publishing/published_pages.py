"""Metadata of each built page: its address, title and description, and a digest of its text."""

import hashlib
import html
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

from agency_site.isolation import map_isolated
from agency_site.settings import PLACEHOLDER_ORIGIN

_INDEX = "index.html"
_GRAPH = re.compile(rb'<script type="application/ld\+json">(.*?)</script>', re.S)
_MAIN = re.compile(r"<main\b.*?</main>", re.S)
_UNSEEN = re.compile(r"<(script|style|svg)\b.*?</\1>|<!--.*?-->", re.S)
_ALTERNATIVE = re.compile(r'\salt="([^"]*)"')
_TAG = re.compile(r"<[^>]*>")


@dataclass(frozen=True)
class BuiltPage:
    """A page for search engines, as built."""

    path: str
    name: str
    description: str
    about: str
    """Type of the page's main entity, such as Course; may be empty."""
    words: str
    """Digest of the visible text; it changes with the text."""
    declared: date | None
    """Day of the last change, if content declares it."""


def built_pages(files: Mapping[Path, bytes], origin: str = PLACEHOLDER_ORIGIN) -> list[BuiltPage]:
    """Return the canonical pages of a build or of the site at `origin`, by path, without private pages."""
    names = (file for file in files if file.name == _INDEX)
    pages = map_isolated(lambda file: _read_page(file, files[file], origin), names, "page of the sitemap")
    return sorted((page for page in pages if page), key=lambda page: page.path)


def _read_page(file: Path, body: bytes, origin: str) -> BuiltPage | None:
    graph = _GRAPH.search(body)
    if graph is None:
        return None
    nodes: list[dict[str, Any]] = json.loads(graph.group(1))["@graph"]
    page = next(node for node in nodes if "WebPage" in node["@type"])
    path = "/" + file.parent.as_posix().removeprefix(".")
    if page["url"] != origin + path:
        return None
    main = next((node for node in nodes if "mainEntityOfPage" in node), {"@type": ""})
    declared = page.get("dateModified")
    return BuiltPage(
        path=path,
        name=page["name"],
        description=page["description"],
        about=main["@type"],
        words=_digest(page["name"], page["description"], _extract_text(body.decode())),
        declared=date.fromisoformat(declared) if declared else None,
    )


def _extract_text(markup: str) -> str:
    """Return the text of the page's main part, with alternative texts of pictures."""
    match = _MAIN.search(markup)
    main = _UNSEEN.sub("", match.group() if match else "")
    return html.unescape(" ".join((_TAG.sub(" ", main), *_ALTERNATIVE.findall(main))))


def _digest(*parts: str) -> str:
    # Without white space, which depends on the markup.
    words = "".join("".join(parts).split())
    return hashlib.sha256(words.encode()).hexdigest()[:16]
