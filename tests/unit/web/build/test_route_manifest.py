"""Public pages load a list of routes without the back office."""

import json
from pathlib import Path

import pytest

from agency_site.web.build.route_manifest import public_list, shorten_public_routes

ROUTES = {
    "root": {"path": ""},
    "home": {},
    "about": {"path": "about"},
    "desk": {"path": "admin/bookings"},
    "office": {"path": "admin"},
}
LISTED = {"routes": ROUTES, "url": "/assets/manifest-0a1b2c3d.js", "version": "1"}
WHOLE = b"window.__reactRouterManifest=" + json.dumps(LISTED).encode() + b";"
FILES = {
    Path("assets/manifest-0a1b2c3d.js"): WHOLE,
    Path("index.html"): b'import "/assets/manifest-0a1b2c3d.js"',
    Path("about/index.html"): b'import "/assets/manifest-0a1b2c3d.js"',
    Path("admin/index.html"): b'import "/assets/manifest-0a1b2c3d.js"',
    Path("admin.html"): b'import "/assets/manifest-0a1b2c3d.js"',
    Path("administrators/index.html"): b'import "/assets/manifest-0a1b2c3d.js"',
}


def test_only_pages_of_the_back_office_load_the_whole_list() -> None:
    published = shorten_public_routes(FILES)
    pages_with_full_list = {
        str(path) for path, body in published.items() if b"/assets/manifest-0a1b2c3d.js" in body
    }
    # The whole list names itself; the short one does not name it, or every page would fetch both.
    assert pages_with_full_list == {"admin/index.html", "admin.html", "assets/manifest-0a1b2c3d.js"}
    assert len(published) == len(FILES) + 1


def test_the_short_list_has_every_public_route_and_no_other() -> None:
    short = json.loads(public_list(WHOLE).decode().partition("=")[2].rstrip(";"))
    assert set(short["routes"]) == {"root", "home", "about"}
    assert short["version"] == "1"


def test_a_list_written_in_another_way_stops_the_publishing() -> None:
    with pytest.raises(ValueError, match="format of its list"):
        public_list(b"export const routes = {}")
