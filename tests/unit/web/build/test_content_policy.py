"""The content security policy of a page."""

import base64
import hashlib

from agency_site.web.build.content_policy import page_policy

ORIGINS = ("http://localhost:3000", "http://127.0.0.1:3000")


def rules(page: str, origins: tuple[str, ...] = ORIGINS) -> dict[str, list[str]]:
    """Directives of the page's policy with their values."""
    parts = (part.split(" ") for part in page_policy(page.encode(), origins).split("; "))
    return {name: values for name, *values in parts}


def digest(text: str) -> str:
    """Return the hash of a text in the policy."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def test_scripts_are_the_sites_own_files_and_the_inline_ones_of_the_page() -> None:
    page = (
        '<script>one()</script><script type="speculationrules">{"a":1}</script><script src="/x.js"></script>'
    )
    assert rules(page)["script-src"] == ["'self'", digest("one()"), digest('{"a":1}')]


def test_data_scripts_are_not_hashed_because_browsers_do_not_run_them() -> None:
    page = '<script type="application/ld+json">{}</script><script type="application/json" id="scripts">{}</script>'
    assert rules(page)["script-src"] == ["'self'"]


def test_an_inline_script_that_occurs_twice_is_hashed_once() -> None:
    assert rules("<script>a()</script><script>a()</script>")["script-src"] == ["'self'", digest("a()")]


def test_styles_come_from_stylesheets_alone() -> None:
    assert rules("<p>words</p>")["style-src"] == ["'self'"]
    assert rules("<style>p{color:red}</style>")["style-src"] == ["'self'", digest("p{color:red}")]


def test_nothing_unsafe_and_no_other_site_is_ever_allowed() -> None:
    page = page_policy(b"<script>a()</script><style>p{}</style>", ORIGINS)
    assert "unsafe" not in page
    assert "*" not in page
    expected = {"default-src": ["'self'"], "object-src": ["'none'"], "base-uri": ["'none'"], "form-action": ["'self'"],
                "frame-ancestors": ["'none'"], "frame-src": ["'self'"]}  # fmt: skip
    assert expected.items() <= rules("").items()


def test_the_socket_is_reached_at_every_origin() -> None:
    assert rules("")["connect-src"] == ["'self'", "ws://localhost:3000", "ws://127.0.0.1:3000"]
    assert rules("", ("https://agency.example",))["connect-src"] == ["'self'", "wss://agency.example"]


def test_plain_requests_are_upgraded_only_where_the_site_is_encrypted() -> None:
    assert "upgrade-insecure-requests" in rules("", ("https://agency.example",))
    assert "upgrade-insecure-requests" not in rules("")


def test_a_frame_of_another_site_is_allowed_where_the_page_names_it() -> None:
    page = '<div data-frame-origin="https://maps.example"></div>'
    assert rules(page)["frame-src"] == ["'self'", "https://maps.example"]
