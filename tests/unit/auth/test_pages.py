"""The page after signing in, and the names of browsers."""

from urllib.parse import urljoin, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agency_site.auth.pages import HOME, next_path
from agency_site.auth.sessions import browser_name

SITE = "https://mwanga.example"


@pytest.mark.parametrize(
    "path", ["/admin", "/admin/", "/admin/bookings", "/admin?a=1", "/admin/bookings?q=a%20b&day=2026-11-24"]
)
def test_paths_of_the_back_office_are_kept(path: str) -> None:
    assert next_path(path) == path


@pytest.mark.parametrize(
    "path",
    [
        "", "/", "/administrator", "//elsewhere.example/admin", "https://elsewhere.example/admin", "/book",
        "/admin/../book", "/admin/%2e%2e/book", "/admin/%2E./book", "/admin/.", "/admin//elsewhere.example",
        "/admin\\..\\book", "/admin/%5c", "/admin/a b", "/admin/\r\nSet-Cookie: a=b", "/admin/\u00fc", "/admin#x\n",
        "/admin/sign-in", "/admin/sign-out", "javascript:alert(1)", "/admin/" + "a" * 600,
    ],
)  # fmt: skip
def test_other_paths_lead_to_the_dashboard(path: str) -> None:
    assert next_path(path) == HOME


@given(st.one_of(st.text(max_size=40), st.text(max_size=40).map(lambda rest: f"/admin{rest}")))
def test_no_path_leads_out_of_the_back_office(wanted: str) -> None:
    parts = urlsplit(urljoin(SITE, next_path(wanted)))
    assert f"{parts.scheme}://{parts.netloc}" == SITE
    assert parts.path == HOME or parts.path.startswith("/admin/")


@pytest.mark.parametrize(
    ("agent", "called"),
    [
        (
            "Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 Chrome/140.0 Safari/537.36 Edg/140.0",
            "Edge on Windows",
        ),
        (
            "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Version/18.0 Safari/604.1",
            "Safari on iPhone",
        ),
        ("Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0", "Firefox on Linux"),
        ("curl/8.0", "Another program"),
        ("", "Another program"),
    ],
)
def test_browsers_have_their_usual_names(agent: str, called: str) -> None:
    assert browser_name(agent) == called
