"""The edge: pages and files from memory, canonical paths, real 404s."""

import gzip
from collections.abc import Iterator
from pathlib import Path

import brotli
import pytest
from starlette.datastructures import Headers

from agency_site.web.build import publish as publishing
from agency_site.web.build.publish import publish
from agency_site.web.serving.api import ROUTERS
from agency_site.web.serving.edge import INNER, PageRequest, Site
from tests.small_site import small_site


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """A small published site, which requests do not change."""
    with pytest.MonkeyPatch.context() as patch:
        yield small_site(tmp_path_factory.mktemp("site"), patch)


def ask(site: Site, path: str, query: str = "", **headers: str) -> tuple[int, dict[str, str], bytes]:
    """Status, headers and body of the answer to a GET."""
    request_headers = Headers({name.replace("_", "-"): value for name, value in headers.items()})
    answer = site.answer(PageRequest(path, request_headers, query))
    return answer.status_code, dict(answer.headers), bytes(answer.body)


def test_a_registered_path_answers_without_a_redirect(site: Site) -> None:
    assert ask(site, "/about")[0] == 200
    assert ask(site, "/")[0] == 200


def test_the_build_learns_its_address_when_published(site: Site) -> None:
    assert b"http://localhost:4000/about" in ask(site, "/about")[2]
    assert b"http://localhost:4000" in ask(site, "/assets/app-abc.js")[2]


def test_the_build_learns_for_how_long_data_is_kept_when_published(site: Site) -> None:
    assert b"kept='1 year after sending'" in ask(site, "/assets/app-abc.js")[2]


@pytest.mark.parametrize(
    ("path", "target"),
    [("/about/", "/about"), ("/About", "/about"), ("/SERVICES/Web-Design/", "/services/web-design"),
     ("/web-design", "/services/web-design"), ("/Web-Design/", "/services/web-design"), ("///", "/"), ("/about///", "/about"),
     ("/Signup/gold/", "/signup/gold"), ("/signup/a b/", "/signup/a%20b"), ("/Order/aBc", "/order/aBc"),
     ("/booking/aBc/", "/booking/aBc"), ("/signup/\r\nX: y/", "/signup/%0D%0AX:%20y")],
)  # fmt: skip
def test_other_spellings_are_permanent_redirects(site: Site, path: str, target: str) -> None:
    status, headers, _ = ask(site, path)
    assert (status, headers["location"]) == (308, target)


def test_a_redirect_keeps_the_query(site: Site) -> None:
    assert ask(site, "/About/", query="a=1")[1]["location"] == "/about?a=1"


@pytest.mark.parametrize(
    "path",
    [
        "/nope",
        "/about.html",
        "/not-found",
        "/about/team",
        "/assets/none.js",
        "//evil.example",
        "//evil.example/about",
        "/\\evil.example",
        "/../about",
        "/about/../about",
        "/./about",
        "//about",
        "/assets/../index.html",
        "/order/a/b",
    ],
)
def test_what_does_not_exist_is_a_404_with_content(site: Site, path: str) -> None:
    status, _, body = ask(site, path)
    assert status == 404
    assert b"404 Not Found" in body


@pytest.mark.parametrize(("encoding", "unpack"), [("br", brotli.decompress), ("gzip", gzip.decompress)])
def test_browsers_get_the_compressed_form_they_ask_for(site: Site, encoding: str, unpack: object) -> None:
    status, headers, body = ask(site, "/about", accept_encoding=encoding)
    assert headers["content-encoding"] == encoding
    assert unpack(body) == ask(site, "/about")[2]  # type: ignore[operator]
    assert status == 200


def test_brotli_is_preferred(site: Site) -> None:
    assert ask(site, "/about", accept_encoding="gzip, deflate, br")[1]["content-encoding"] == "br"


def test_hashed_files_are_cached_for_a_year_and_pages_are_revalidated(site: Site) -> None:
    assert "immutable" in ask(site, "/assets/app-abc.js")[1]["cache-control"]
    assert ask(site, "/about")[1]["cache-control"] == "no-cache"
    assert "immutable" not in ask(site, "/favicon.svg")[1]["cache-control"]


def test_an_unchanged_page_is_not_sent_again(site: Site) -> None:
    etag = ask(site, "/about")[1]["etag"]
    status, _, body = ask(site, "/about", if_none_match=etag)
    assert (status, body) == (304, b"")


def test_a_path_that_is_written_with_needless_signs_leads_to_the_plain_one(site: Site) -> None:
    answer = site.answer(PageRequest("/about", Headers({}), "a=%2F", "/%61bout"))
    assert (answer.status_code, answer.headers["location"]) == (308, "/about?a=%2F")


def test_a_redirect_of_a_private_page_is_not_cached(site: Site) -> None:
    headers = ask(site, "/Order/abc/")[1]
    assert (headers["cache-control"], headers["referrer-policy"]) == ("no-store", "no-referrer")


def test_private_pages_are_left_to_the_application_and_logged_without_their_tokens(site: Site) -> None:
    assert ask(site, "/order/abc")[0] == 404
    assert [site.route(path) for path in ("/order/abc", "/Waiting-List/CR-7/")] == [
        "/order/*",
        "/waiting-list/*",
    ]


def test_pages_of_the_back_office_are_served_with_a_session_cookie_and_not_cached(
    site: Site,
) -> None:
    status, headers, body = ask(site, "/admin/bookings", cookie=f"staff={'a' * 43}")
    assert (status, body) == (200, b"desk")
    assert headers["cache-control"] == "no-store"
    assert headers["referrer-policy"] == "same-origin"
    assert "noindex" in headers["x-robots-tag"]


@pytest.mark.parametrize("cookie", ["", "staff=", "other=1", "staff=short"])
def test_without_a_session_the_sign_in_comes_first_and_leads_back(site: Site, cookie: str) -> None:
    status, headers, _ = ask(site, "/admin/bookings", "q=a b", cookie=cookie)
    assert (status, headers["location"]) == (303, "/admin/sign-in?next=/admin/bookings%3Fq%3Da%20b")


def test_a_link_on_another_site_reloads_once_so_that_the_strict_cookie_is_sent(site: Site) -> None:
    status, headers, body = ask(site, "/admin/bookings", sec_fetch_site="cross-site")
    assert status == 200
    assert b'http-equiv="refresh"' in body
    assert headers["cache-control"] == "no-store"


def test_publishing_twice_leaves_only_the_second(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(publishing, "CACHE", tmp_path / "cache")
    build, target = tmp_path / "build", tmp_path / "site"
    build.mkdir()
    (build / "old.txt").write_text("old")
    publish("http://a.example", build, target)
    (build / "old.txt").unlink()
    (build / "new.txt").write_text("new")
    publish("http://b.example", build, target)
    assert (target / "new.txt").exists()
    assert not [*target.glob("old*")]


@pytest.mark.parametrize("path", ["/_event", "/_events", "/_upload", "/ping"])
def test_paths_similar_to_the_sockets_are_unknown(site: Site, path: str) -> None:
    assert not path.startswith(INNER)
    assert ask(site, path)[0] == 404


@pytest.mark.parametrize("path", ["/signup", "/signup/", "/signup/gold/deeper"])
def test_only_one_part_after_signup_is_a_plan(site: Site, path: str) -> None:
    assert ask(site, path)[0] == 404


@pytest.mark.parametrize(
    ("path", "inner"),
    [
        ("/admin/sign-in", True),
        ("/admin/sign-in/code", True),
        ("/admin/sign-out-everywhere", True),
        ("/admin/set-up/token", True),
        ("/admin/invitation/token", True),
        ("/admin/reset/token", True),
        ("/admin", False),
        ("/admin/bookings", False),
    ],
)
def test_the_pages_before_the_back_office_are_answered_behind_the_edge(path: str, inner: bool) -> None:
    assert path.startswith(INNER) is inner


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/feed.xml", "application/rss+xml"),
        ("/feed.atom", "application/atom+xml"),
        ("/feed.json", "application/feed+json"),
    ],
)
def test_feeds_are_published_with_their_media_type_and_revalidated(site: Site, path: str, kind: str) -> None:
    status, headers, body = ask(site, path)
    assert (status, headers["content-type"]) == (200, kind)
    assert b"http://localhost:4000/video-blog" in body
    assert ask(site, path, if_none_match=headers["etag"])[0] == 304
    squeezed = ask(site, path, accept_encoding="br")
    assert (squeezed[1]["content-encoding"], brotli.decompress(squeezed[2])) == ("br", body)


def test_every_route_of_the_application_is_reached_through_the_edge() -> None:
    paths = {str(getattr(route, "path", "")) for router in ROUTERS for route in router.routes}
    assert len(paths) > 20
    assert {path for path in paths if not path.startswith(INNER)} == set()
