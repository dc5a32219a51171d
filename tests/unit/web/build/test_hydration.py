"""Deferred hydration: pages list their scripts instead of starting them."""

import json
import re
from pathlib import Path

import pytest

from agency_site.web.build.hydration import UnknownScripts, defer_scripts, hydration_script

PAGE = """<html><head><link rel="modulepreload" href="/assets/manifest-1a2b3c.js"/>\
<link rel="modulepreload" href="/assets/root.js"/><link rel="modulepreload" href="/assets/page.js"/>\
<link rel="stylesheet" href="/assets/site.css"/></head><body><h1>Hello</h1><script>early()</script>\
<script>window.__reactRouterContext = {};</script><script type="module" async="">import "/assets/manifest-1a2b3c.js";
import * as route0 from "/assets/root.js";
import * as route1 from "/assets/page.js";

  window.__reactRouterRouteModules = {"root":route0,"routes/[page]._index":route1};

import("/assets/entry.js");</script><!--$?--><script>window.__reactRouterContext.enqueue()</script></body></html>"""


def deferred_page(name: str, page: str = PAGE) -> str:
    """The page under that name, deferred."""
    return defer_scripts({Path(name): page.encode()})[Path(name)].decode()


def listed_scripts(page: str) -> dict[str, object]:
    """The scripts that a page lists."""
    match = re.search(r'<script type="application/json" id="scripts">(.*?)</script>', page)
    assert match
    return dict(json.loads(match.group(1)))


def test_a_page_lists_its_scripts_and_starts_none() -> None:
    page = deferred_page("about/index.html")
    assert listed_scripts(page) == {
        "preload": ["/assets/root.js", "/assets/page.js"],
        "routes": {"root": "/assets/root.js", "routes/[page]._index": "/assets/page.js"},
        "entry": "/assets/entry.js",
    }
    assert '<link rel="modulepreload"' not in page
    assert 'type="module"' not in page


def test_only_pages_of_the_back_office_load_the_list_of_routes() -> None:
    names = ("about", "admin", "admin/orders", "administrators")
    loaders = [name for name in names if "manifest-1a2b3c" in deferred_page(f"{name}/index.html")]
    assert loaders == ["admin", "admin/orders"]


def test_a_page_carries_nothing_for_the_router_that_it_does_not_use() -> None:
    page = deferred_page("about/index.html")
    assert "__reactRouterContext" not in page
    assert page.endswith("</script></body></html>")


def test_no_script_of_the_head_waits_for_a_stylesheet() -> None:
    head, _ = deferred_page("about/index.html").split("</head>")
    assert head.index("<script") < head.rindex("</script>") < head.index("stylesheet")


def test_the_rest_of_the_page_is_not_changed() -> None:
    page = deferred_page("about/index.html")
    for part in (
        '<link rel="stylesheet" href="/assets/site.css"/>',
        "<h1>Hello</h1>",
        "<script>early()</script>",
    ):
        assert part in page


def test_the_page_for_unknown_paths_has_no_scripts_to_load() -> None:
    page = deferred_page("not-found/index.html")
    assert 'id="scripts"' not in page
    assert 'type="module"' not in page


def test_every_page_carries_the_script_that_hydrates_it_without_its_comments() -> None:
    page = deferred_page("about/index.html")
    assert f"<script>{hydration_script()}</script>" in page
    assert not re.search("^//", hydration_script(), re.MULTILINE)


def test_public_pages_say_what_may_be_fetched_ahead_and_the_back_office_does_not() -> None:
    (rules,) = re.findall(
        r'<script type="speculationrules">(.*?)</script>', deferred_page("about/index.html")
    )
    (rule,) = json.loads(rules)["prefetch"]
    left_out = {part["not"].get("href_matches") for part in rule["where"]["and"] if "not" in part}
    assert {"/admin*", "/api/*", "/booking/*", "/order/*", "/newsletter/*"} <= left_out
    assert rule["eagerness"] == "moderate"
    assert "speculationrules" not in deferred_page("admin/orders/index.html")


def test_a_page_that_starts_in_another_way_stops_publishing_and_is_named() -> None:
    with pytest.raises(UnknownScripts, match=re.escape("about/index.html")):
        deferred_page("about/index.html", PAGE.replace(' async=""', " defer"))


def test_a_page_without_scripts_stays_as_it_is() -> None:
    assert deferred_page("plain/index.html", "<html><p>Hello</p></html>") == "<html><p>Hello</p></html>"
