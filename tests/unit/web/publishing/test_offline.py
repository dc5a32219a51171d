"""The service worker's lists, written from the published files."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from starlette.datastructures import Headers

from agency_site.picture_addresses import PICTURES
from agency_site.web.publishing.offline.worker import NEVER, WORKER, with_registration, worker_files
from agency_site.web.serving.edge import INNER, PageRequest, Site

PAGES = ("index.html", "about/index.html", "services/web-design/index.html")
FILES = {
    **{Path(name): b"<html><head></head><body>read me</body></html>" for name in PAGES},
    Path("admin/orders/index.html"): b"<html><head></head></html>",
    Path("404/index.html"): b"<html><head></head></html>",
    Path("not-found/index.html"): b"<html><head></head></html>",
    Path("__spa-fallback.html"): b"<html><head></head></html>",
    Path("assets/about-1a2b.js"): b"go()",
    Path("art/covers/about.svg"): b"<svg/>",
    Path("fonts/text.woff2"): b"font",
    Path("share/about.png"): b"picture",
    Path("styles/site.css"): b"p {}",
    Path("logo.svg"): b"<svg/>",
    Path("feed.xml"): b"<rss/>",
}


def lists(files: dict[Path, bytes]) -> dict[str, Any]:
    """The configuration of the worker for these files."""
    first = worker_files(files)[WORKER].decode().splitlines()[0]
    return dict(json.loads(first.removeprefix("const SITE = ").removesuffix(";")))


def test_exactly_the_public_pages_may_be_kept() -> None:
    assert lists(FILES)["pages"] == ["/", "/about", "/services/web-design"]


def test_pictures_fonts_and_styles_are_known_by_their_folders() -> None:
    assert lists(FILES)["files"] == ["/art/", "/fonts/", "/logo.svg", "/styles/"]


def test_what_is_fetched_ahead_is_the_offline_page_and_what_it_names() -> None:
    shell = lists(FILES)["shell"]
    assert shell[0] == lists(FILES)["offline"] == "/offline.html"
    assert {"/kept-pages.js", "/styles/site.css", "/styles/plain.css", "/logo.svg"} < set(shell)
    assert [path for path in shell if path.startswith(("/fonts/", "/assets/", "/art/"))] == []


def test_dynamic_responses_of_the_server_are_ignored() -> None:
    # The files of uploaded pictures are for everyone, and never change.
    assert [path for path in INNER if not path.startswith(NEVER)] == [PICTURES]
    for path in (
        "/admin",
        "/admin/orders",
        "/booking/t0ken",
        "/certificate/t0ken",
        "/learner/t0ken",
        "/order/t0ken",
        "/comment/t0ken",
        "/registration/t0ken",
        "/waiting/t0ken",
        "/waiting-list/CR-7F3K9Q",
    ):
        assert path.startswith(NEVER), path


@pytest.mark.parametrize("name", ["about/index.html", "art/covers/about.svg", "styles/site.css"])
def test_another_text_picture_or_style_is_another_version(name: str) -> None:
    assert lists({**FILES, Path(name): b"<head></head>other"})["version"] != lists(FILES)["version"]
    assert lists(dict(FILES))["version"] == lists(FILES)["version"]


@pytest.mark.parametrize("name", ["admin/orders/index.html", "feed.xml"])
def test_what_visitors_do_not_read_leaves_the_version_alone(name: str) -> None:
    assert lists({**FILES, Path(name): b"<head></head>other"})["version"] == lists(FILES)["version"]


def test_only_public_pages_register_the_worker() -> None:
    asking = {str(path) for path, body in with_registration(FILES).items() if b"/service-worker.js" in body}
    assert asking == set(PAGES)


def test_switched_off_pages_do_not_register_it_and_the_worker_only_removes(
    configure: Callable[..., object],
) -> None:
    configure(service_worker=False)
    assert with_registration(FILES) == FILES
    files = worker_files(FILES)
    assert set(files) == {WORKER}
    assert b"registration.unregister()" in files[WORKER]
    assert b"fetch" not in files[WORKER]


def test_the_worker_is_revalidated_and_the_offline_page_has_its_policy(tmp_path: Path) -> None:
    for name, body in worker_files(FILES).items():
        (tmp_path / name).write_bytes(body)
    site = Site(tmp_path)
    worker, page = (
        site.answer(PageRequest(path, Headers({}))) for path in ("/service-worker.js", "/offline.html")
    )
    assert worker.status_code == page.status_code == 200
    assert worker.headers["cache-control"] == page.headers["cache-control"] == "no-cache"
    assert worker.headers["content-type"].startswith("text/javascript")
    assert "script-src 'self';" in page.headers["content-security-policy"]
    assert b'<meta name="robots" content="noindex, nofollow">' in bytes(page.body)
