"""Counting services of other companies: in public pages only, by settings only, and with the policy that they need."""

import json
import re
from collections.abc import Callable
from html import unescape
from pathlib import Path

import pytest
from pydantic import ValidationError

from agency_site.settings import Settings
from agency_site.web.build.content_policy import page_policy
from agency_site.web.publishing.analytics import add_analytics, analytics_files
from tests.small_site import small_site

Configure = Callable[..., Settings]
PLAUSIBLE = {"plausible_domain": "mwanga.example"}
UMAMI = {"umami_website": "0c2f2f0e-9f3a-4b5e-8a51-3f3c2b1a0d9e"}
GOOGLE = {"ga4_id": "G-ABC123XYZ9"}
META = {"meta_pixel_id": "123456789012345"}
PAGE = "<html><body><p>Words</p></body></html>"


def policy(page: str) -> dict[str, list[str]]:
    directives = page_policy(page.encode(), ("https://mwanga.example",)).split("; ")
    return {name: values for name, *values in (directive.split(" ") for directive in directives)}


def services(page: str) -> list[dict[str, object]]:
    (listed,) = re.findall(r'data-services="([^"]*)"', page)
    loaded: list[dict[str, object]] = json.loads(unescape(listed))
    return loaded


def test_without_settings_pages_stay_as_they_are(configure: Configure) -> None:
    configure()
    assert add_analytics(PAGE) == PAGE
    assert analytics_files({Path("index.html"): PAGE.encode()}) == {}


def test_public_pages_alone_get_the_script(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, configure: Configure
) -> None:
    configure(**PLAUSIBLE)
    site = small_site(tmp_path, monkeypatch)
    counted = {path for path, page in site.pages.items() if b"/analytics.js" in page.body}
    assert counted == {"/", "/about"}
    assert {"/admin/bookings", "/not-found"} <= site.pages.keys()
    assert "https://plausible.io" in site.pages["/about"].policy
    assert "https://plausible.io" not in site.pages["/admin/bookings"].policy
    assert b"Loads the counting services" not in site.files["/analytics.js"].body


@pytest.mark.parametrize(
    ("chosen", "script", "connect", "img"),
    [
        (PLAUSIBLE, ["https://plausible.io"], ["https://plausible.io"], []),
        (PLAUSIBLE | {"plausible_script": "https://stats.own.example/p.js"}, ["https://stats.own.example"],
         ["https://stats.own.example"], []),
        (UMAMI, ["https://cloud.umami.is"],
         ["https://cloud.umami.is", "https://gateway.umami.is", "https://api-gateway.umami.dev"], []),
        (UMAMI | {"umami_script": "https://u.own.example:8443/s.js"}, ["https://u.own.example:8443"],
         ["https://u.own.example:8443"], []),
        (META, ["https://connect.facebook.net"], ["https://connect.facebook.net", "https://www.facebook.com"],
         ["https://www.facebook.com"]),
        (GOOGLE, ["https://*.googletagmanager.com"],
         ["https://*.google-analytics.com", "https://*.analytics.google.com", "https://*.googletagmanager.com"],
         ["https://*.google-analytics.com", "https://*.googletagmanager.com"]),
    ],
)  # fmt: skip
def test_the_policy_allows_what_a_service_loads_and_nothing_else(
    configure: Configure, chosen: dict[str, str], script: list[str], connect: list[str], img: list[str]
) -> None:
    configure(**chosen)
    before, after = policy(PAGE), policy(add_analytics(PAGE))
    added = {name: [value for value in after[name] if value not in before[name]] for name in after}
    named = {"script-src": script, "connect-src": connect, "img-src": img}
    assert {name: values for name, values in added.items() if values} == {k: v for k, v in named.items() if v}


def test_services_with_cookies_are_named_for_the_question(configure: Configure) -> None:
    configure(**PLAUSIBLE, **UMAMI, **GOOGLE, **META)
    page = add_analytics(PAGE)
    assert [service["name"] for service in services(page)] == ["", "", "Google Analytics", "Meta Pixel"]
    assert services(page)[0]["attributes"] == {"data-domain": "mwanga.example"}


def test_the_attribute_counts_in_our_own_script_only(configure: Configure) -> None:
    configure()
    page = '<p data-script-src="https://elsewhere.example">a</p><script defer="" src="/x.js" data-script-src="https://e.example"></script>'
    assert policy(page) == policy("")


@pytest.mark.parametrize(
    "wrong",
    [
        {"plausible_domain": "https://a.example"},
        {"plausible_script": "http://a.example/x.js"},
        {"umami_website": '"><script>'},
        {"ga4_id": "UA-1"},
        {"meta_pixel_id": "12a"},
    ],
)
def test_ids_and_addresses_of_another_form_are_rejected(wrong: dict[str, str]) -> None:
    with pytest.raises(ValidationError):
        Settings(**wrong)  # type: ignore[arg-type]
