"""The list of routes that every page loads: public pages get a list without the back office."""

import hashlib
import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

_NAME = re.compile(r"^manifest-[0-9a-f]+\.js$")
_LIST = re.compile(rb"^window\.__reactRouterManifest=(\{.*\});?\s*$", re.S)
BACK_OFFICE = "admin"
"""First segment of the back office's paths."""


def shorten_public_routes(files: Mapping[Path, bytes]) -> dict[Path, bytes]:
    """Return the build's `files` with a second, shorter list of routes, which all pages outside the back office load.

    Raises ValueError if React Router has changed the format of the list.
    """
    name, route_list = next(
        ((path, body) for path, body in files.items() if _NAME.match(path.name)), (None, b"")
    )
    if name is None:
        return dict(files)
    short = public_list(route_list)
    shorter = name.with_name(f"routes-{hashlib.sha256(short).hexdigest()[:8]}.js")
    changed = {
        path: body.replace(name.name.encode(), shorter.name.encode())
        for path, body in files.items()
        if path.suffix == ".html" and not is_back_office(path)
    }
    # The list contains its own name, which React Router fetches.
    return {**files, **changed, shorter: short.replace(name.name.encode(), shorter.name.encode())}


def is_back_office(page: Path) -> bool:
    """Return whether a file of the build is a page of the back office."""
    return page.with_suffix("").parts[0] == BACK_OFFICE


def _parse_list(route_list: bytes) -> Any:
    match = _LIST.match(route_list)
    if not match:
        raise ValueError("React Router has changed the format of its list of routes")
    return json.loads(match.group(1))


def public_list(route_list: bytes) -> bytes:
    """Return the list without the routes of the back office."""
    manifest = _parse_list(route_list)
    manifest["routes"] = {
        name: route
        for name, route in manifest["routes"].items()
        if str(route.get("path") or "").split("/")[0] != BACK_OFFICE
    }
    return b"window.__reactRouterManifest=" + json.dumps(manifest, separators=(",", ":")).encode() + b";"
