"""Views of published and drawn pages are counted at the edge, without robots, prefetches and staff; the cookie of a visit."""

from collections.abc import Callable
from pathlib import Path

import httpx
import pytest
from sqlmodel import col, select
from starlette.types import ASGIApp

from agency_site.auth.cookies import token_of
from agency_site.db.engine import read_scope
from agency_site.features.booking.bookings.tables import Booking
from agency_site.settings import Settings
from agency_site.visits.rules import Origin
from agency_site.web.middleware.stack import with_middleware
from agency_site.web.serving.api import create_api
from agency_site.web.serving.edge import in_front_of
from tests.http_clients import NAVIGATION, ORIGIN, client_of
from tests.integration.features.booking.test_posted_forms import book
from tests.integration.visits.views import stored_figures
from tests.small_site import PAGE, small_site

Configure = Callable[..., Settings]
GOOGLE = {"Referer": "https://www.google.com/"}
WITHIN = {"Referer": f"{ORIGIN}/"}
CAMPAIGN = "utm_source=facebook&utm_medium=cpc&utm_campaign=May"
STAFF = f"staff={'t' * 43}"
FOR_OTHERS = 'private="set-cookie"'
"""Part of Cache-Control: shared caches store the page without its cookie."""

pytestmark = pytest.mark.usefixtures("fresh_limits", "no_fill_time")


@pytest.fixture
def application(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, database: str) -> ASGIApp:
    """The whole application on an empty database, with a few published pages and the booking page."""
    site = small_site(tmp_path, monkeypatch)
    form = '<page-region name="booking"></page-region><page-region name="times"></page-region>'
    site.replace({Path("book/index.html"): PAGE.format("", form).encode()}, (), {})
    return with_middleware(in_front_of(create_api(), site))


async def open_page(application: ASGIApp, path: str, **headers: str) -> httpx.Response:
    """Open a page in a browser that has not been here before, unless `headers` have a cookie."""
    sent = NAVIGATION | {name.replace("_", "-"): value for name, value in headers.items()}
    async with client_of(application) as browser:
        return await browser.get(path, headers=sent)


def cookie_of(answer: httpx.Response) -> str:
    """The cookie that the answer stores, as the browser sends it; empty if there is none."""
    return str(answer.headers.get("set-cookie", "")).partition(";")[0]


@pytest.mark.each_database
async def test_a_view_is_counted_with_its_page_and_origin(application: ASGIApp) -> None:
    for _ in range(2):
        await open_page(application, f"/about?{CAMPAIGN}", **GOOGLE)
    await open_page(application, "/", **GOOGLE)
    await open_page(application, "/")
    await open_page(application, "/services/web-design", **WITHIN)
    assert await stored_figures() == [
        ("/", "", "", "", 1, 1),
        ("/", "google", "", "", 1, 1),
        ("/about", "facebook", "cpc", "may", 2, 2),
        ("/services/web-design", "", "", "", 1, 0),
    ]


async def test_the_first_view_stores_the_origin_in_the_browser_and_in_no_shared_cache(
    application: ASGIApp,
) -> None:
    answer = await open_page(application, f"/about?{CAMPAIGN}", **GOOGLE)
    assert answer.headers["set-cookie"] == (
        "visit=facebook&cpc&may&/about; Max-Age=1800; Path=/; HttpOnly; SameSite=Lax"
    )
    assert answer.headers["cache-control"] == f"no-cache, {FOR_OTHERS}"


async def test_the_next_views_of_a_visit_begin_its_half_hour_anew_and_no_other_visit(
    application: ASGIApp,
) -> None:
    cookie = cookie_of(await open_page(application, "/", **GOOGLE))
    reloaded = await open_page(application, "/", Cookie=cookie, **GOOGLE)
    typed = await open_page(application, "/about", Cookie=cookie)
    followed = await open_page(application, "/about", Cookie=cookie, **WITHIN)
    for answer in (reloaded, typed, followed):
        assert answer.headers["set-cookie"] == f"{cookie}; Max-Age=1800; Path=/; HttpOnly; SameSite=Lax"
        assert answer.headers["cache-control"] == f"no-cache, {FOR_OTHERS}"
    assert await stored_figures() == [
        ("/", "", "", "", 1, 0),
        ("/", "google", "", "", 1, 1),
        ("/about", "", "", "", 2, 0),
    ]


async def test_another_campaign_begins_another_visit(application: ASGIApp) -> None:
    cookie = cookie_of(await open_page(application, "/", **GOOGLE))
    answer = await open_page(application, f"/about?{CAMPAIGN}", Cookie=cookie)
    assert cookie_of(answer) == "visit=facebook&cpc&may&/about"


async def test_a_page_that_the_browser_has_is_counted_and_begins_a_visit(application: ASGIApp) -> None:
    etag = (await open_page(application, "/about", **WITHIN)).headers["etag"]
    answer = await open_page(application, "/about", If_None_Match=etag, **GOOGLE)
    assert answer.status_code == 304
    assert cookie_of(answer) == "visit=google&&&/about"
    assert await stored_figures() == [("/about", "", "", "", 1, 0), ("/about", "google", "", "", 1, 1)]


async def test_a_page_that_is_drawn_for_the_request_is_counted_too(application: ASGIApp) -> None:
    answer = await open_page(application, "/book?date=2026-12-01", **GOOGLE)
    assert answer.status_code == 200
    assert cookie_of(answer) == "visit=google&&&/book"
    assert answer.headers["cache-control"] == "private, no-cache"
    assert await stored_figures() == [("/book", "google", "", "", 1, 1)]


async def test_sent_issues_of_the_newsletter_are_pages_too(application: ASGIApp) -> None:
    answer = await open_page(application, "/newsletter/archive", **GOOGLE)
    assert cookie_of(answer) == "visit=google&&&/newsletter/archive"
    await open_page(application, "/newsletter/no-such-issue", **GOOGLE)
    await open_page(application, "/newsletter/confirm/abc", **GOOGLE)
    await open_page(application, "/newsletter/sitemap.xml", **GOOGLE)
    assert await stored_figures() == [("/newsletter/archive", "google", "", "", 1, 1)]


async def test_the_service_worker_opens_a_page_for_the_visitor(application: ASGIApp) -> None:
    await open_page(application, "/about", Sec_Fetch_Dest="empty", Sec_Fetch_Site="same-origin", **GOOGLE)
    assert await stored_figures() == [("/about", "google", "", "", 1, 1)]


async def test_a_browser_without_fetch_metadata_is_counted(application: ASGIApp) -> None:
    async with client_of(application) as browser:
        await browser.get("/about", headers={"User-Agent": NAVIGATION["User-Agent"]})
    assert await stored_figures() == [("/about", "", "", "", 1, 1)]


@pytest.mark.parametrize(
    "headers",
    [
        {"User-Agent": "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)"},
        {"User-Agent": "curl/8.14.1"},
        {"User-Agent": ""},
        {"Sec-Purpose": "prefetch"},
        {"Sec-Purpose": "prefetch;prerender"},
        {"Purpose": "prefetch"},
        {"X-Moz": "prefetch"},
        {"Sec-Fetch-Mode": "cors"},
        {"Sec-Fetch-Mode": "no-cors"},
        {"Cookie": STAFF},
    ],
    ids=lambda headers: " ".join(*headers.items()),
)
async def test_robots_prefetches_parts_of_pages_and_staff_are_not_counted(
    application: ASGIApp, headers: dict[str, str]
) -> None:
    assert token_of(STAFF)
    answer = await open_page(application, "/about", **GOOGLE, **headers)
    assert answer.status_code == 200
    assert "set-cookie" not in answer.headers
    assert await stored_figures() == []


@pytest.mark.parametrize(
    "path",
    ["/nope", "/About", "/about/", "/favicon.svg", "/assets/app-abc.js", "/not-found", "/admin/bookings", "/healthz",
     "/order/abc", "/api/available-slots", "/booking/abc"],
)  # fmt: skip
async def test_only_pages_for_visitors_are_counted(application: ASGIApp, path: str) -> None:
    answer = await open_page(application, path, **GOOGLE)
    assert "visit=" not in answer.headers.get("set-cookie", "")
    assert await stored_figures() == []


async def test_other_methods_are_not_counted(application: ASGIApp) -> None:
    async with client_of(application) as browser:
        await browser.head("/about", headers=NAVIGATION)
        await browser.post("/about", headers=NAVIGATION)
    assert await stored_figures() == []


async def test_with_global_privacy_control_only_the_page_is_counted_and_a_cookie_is_removed(
    application: ASGIApp,
) -> None:
    new = await open_page(application, f"/about?{CAMPAIGN}", Sec_GPC="1", **GOOGLE)
    within = await open_page(application, "/", Sec_GPC="1", **WITHIN)
    again = await open_page(application, "/", Sec_GPC="1", Cookie="visit=google&&&/", **GOOGLE)
    assert ["set-cookie" in answer.headers for answer in (new, within, again)] == [False, False, True]
    assert again.headers["set-cookie"] == "visit=; Max-Age=0; Path=/"
    assert await stored_figures() == [("/", "", "", "", 2, 1), ("/about", "", "", "", 1, 1)]


async def test_with_the_setting_off_only_the_page_is_counted(
    application: ASGIApp, configure: Configure
) -> None:
    configure(visits=False)
    answer = await open_page(application, f"/about?{CAMPAIGN}", **GOOGLE)
    assert "set-cookie" not in answer.headers
    assert answer.headers["cache-control"] == "no-cache"
    assert await stored_figures() == [("/about", "", "", "", 1, 1)]


async def test_the_cookie_is_secure_over_https(application: ASGIApp, configure: Configure) -> None:
    configure(public_url="https://agency.example")
    answer = await open_page(application, "/about", Referer="https://www.agency.example/")
    assert "set-cookie" not in answer.headers
    assert (await open_page(application, "/about")).headers["set-cookie"].endswith("; Secure")


async def report(application: ASGIApp, page: str, body: bytes, **headers: str) -> httpx.Response:
    """Report the view of a prefetched page, as its script does."""
    sent = {"User-Agent": NAVIGATION["User-Agent"], "Sec-Fetch-Mode": "no-cors", "Referer": page}
    async with client_of(application) as browser:
        return await browser.post(
            "/api/views",
            content=body,
            headers=sent | {name.replace("_", "-"): value for name, value in headers.items()},
        )


async def test_a_prefetched_page_is_counted_once_when_it_is_opened(application: ASGIApp) -> None:
    await open_page(application, "/about", Sec_Purpose="prefetch", **WITHIN)
    answer = await report(application, f"{ORIGIN}/about", f"{ORIGIN}/".encode())
    assert answer.status_code == 204
    assert await stored_figures() == [("/about", "", "", "", 1, 0)]


async def test_a_page_that_a_search_engine_has_prefetched_begins_a_visit(application: ASGIApp) -> None:
    answer = await report(application, f"{ORIGIN}/about?{CAMPAIGN}", b"https://www.google.com/")
    assert cookie_of(answer) == "visit=facebook&cpc&may&/about"
    assert await stored_figures() == [("/about", "facebook", "cpc", "may", 1, 1)]


@pytest.mark.parametrize(
    ("page", "headers"),
    [
        ("https://evil.example/about", {}),
        (f"{ORIGIN}/nope", {}),
        (f"{ORIGIN}/admin/bookings", {}),
        (f"{ORIGIN}/about", {"User-Agent": "curl/8.14.1"}),
        (f"{ORIGIN}/about", {"Cookie": STAFF}),
        ("http://[::1", {}),
        ("", {}),
    ],
)
async def test_other_reports_change_nothing(application: ASGIApp, page: str, headers: dict[str, str]) -> None:
    answer = await report(application, page, b"\xff\xfe\x00", **headers)
    assert answer.status_code == 204
    assert "set-cookie" not in answer.headers
    assert await stored_figures() == []


async def test_a_booking_stores_the_origin_of_the_visit_that_led_to_it(application: ASGIApp) -> None:
    async with client_of(application) as browser:
        browser.headers.update(NAVIGATION)
        await browser.get(f"/about?{CAMPAIGN}", headers=GOOGLE)
        await browser.get("/", headers=WITHIN)
        answer = await book(browser)
    assert answer.status_code == 303
    async with read_scope() as session:
        booking = (await session.exec(select(Booking).order_by(col(Booking.id)))).one()
    assert booking.origin == Origin("facebook", "cpc", "may", "/about")
