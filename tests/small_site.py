"""A small published site, for tests of the edge that need no build."""

from pathlib import Path

import pytest

from agency_site.content.legal import placeholder
from agency_site.settings import PLACEHOLDER_ORIGIN
from agency_site.web.build import publish as publishing
from agency_site.web.build.publish import publish
from agency_site.web.serving.edge import Site

PAGE = "<html><head><link rel=canonical href={}/about></head><body><script type=module>go()</script>{}</body></html>"


def small_site(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Site:
    """A few pages, a shell, an error page, a script and a picture, published below `folder`."""
    build = folder / "build"
    long = "word " * 200
    files = {
        "index.html": PAGE.format(PLACEHOLDER_ORIGIN, long),
        "about/index.html": PAGE.format(PLACEHOLDER_ORIGIN, long),
        "about.html": "a copy",
        "services/web-design/index.html": "design",
        "admin/bookings/index.html": "desk",
        "not-found/index.html": PAGE.format("", "404 Not Found"),
        "__spa-fallback.html": "shell",
        "assets/app-abc.js": f"const origin='{PLACEHOLDER_ORIGIN}', kept='{placeholder('retention_mail_days')}';"
        + long,
        "favicon.svg": "<svg/>",
    }
    for name, text in files.items():
        (build / name).parent.mkdir(parents=True, exist_ok=True)
        (build / name).write_text(text)
    monkeypatch.setattr(publishing, "CACHE", folder / "cache")
    return Site(publish("http://localhost:4000", build, folder / "site"))
