"""The list of routes that every page loads: public pages get one without the back office's."""

import hashlib
import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

_NAME = re.compile(r"^manifest-[0-9a-f]+\.js$")
_LIST = re.compile(rb"^window\.__reactRouterManifest=(\{.*\});?\s*$", re.S)
BACK_OFFICE = "admin"
"""First part of the back office's paths."""


def without_office(files: Mapping[Path, bytes]) -> dict[Path, bytes]:
    """The build's `files` with a second, shorter list of routes, which all pages outside the back office load.

    Raises ValueError when React Router has changed how it writes the list.
    """
    name, whole = next(((path, body) for path, body in files.items() if _NAME.match(path.name)), (None, b""))
    if name is None:
        return dict(files)
    short = public_list(whole)
    shorter = name.with_name(f"routes-{hashlib.sha256(short).hexdigest()[:8]}.js")
    changed = {
        path: body.replace(name.name.encode(), shorter.name.encode())
        for path, body in files.items()
        if path.suffix == ".html" and not is_office(path)
    }
    # The list names itself, and React Router fetches what it names.
    return {**files, **changed, shorter: short.replace(name.name.encode(), shorter.name.encode())}


def is_office(page: Path) -> bool:
    """Whether a file of the build is a page of the back office."""
    return page.with_suffix("").parts[0] == BACK_OFFICE


def _parse_list(whole: bytes) -> Any:
    found = _LIST.match(whole)
    if not found:
        raise ValueError("React Router writes its list of routes in another way")
    return json.loads(found.group(1))


def public_list(whole: bytes) -> bytes:
    """The list without routes of the back office."""
    listed = _parse_list(whole)
    listed["routes"] = {
        name: route
        for name, route in listed["routes"].items()
        if str(route.get("path") or "").split("/")[0] != BACK_OFFICE
    }
    return b"window.__reactRouterManifest=" + json.dumps(listed, separators=(",", ":")).encode() + b";"
