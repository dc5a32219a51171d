"""The edge and the API behind it, as one: methods, headers on every route, and input that wants to break something."""

import re
from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote

import httpx
import pytest
from fastapi import FastAPI
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from starlette.types import ASGIApp

from agency_site.settings import Settings
from agency_site.site.layout.path_rules import PRIVATE_PATHS
from agency_site.web.middleware import access_log
from agency_site.web.middleware.paths import loggable_path
from agency_site.web.middleware.stack import with_middleware
from agency_site.web.serving.api import create_api
from agency_site.web.serving.edge import in_front_of
from tests.http_clients import client_of
from tests.small_site import small_site

pytestmark = pytest.mark.usefixtures("fresh_limits")

Configure = Callable[..., Settings]
SAFE = (
    "x-content-type-options", "referrer-policy", "permissions-policy", "cross-origin-opener-policy",
    "cross-origin-resource-policy", "x-frame-options", "cache-control", "x-request-id",
)  # fmt: skip


@pytest.fixture
def application(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, database: str, configure: Configure
) -> ASGIApp:
    """The whole application on an empty database, in a named environment: strangers and proxies ask here."""
    configure(env="development")
    return with_middleware(in_front_of(create_api(), small_site(tmp_path, monkeypatch)))


def routes_of(api: FastAPI) -> list[tuple[str, str]]:
    """Method and a path of every route of the API."""
    routers = [router for router in api.router.routes if hasattr(router, "original_router")]
    results = [route for router in routers for route in router.original_router.routes]
    return sorted(
        (method, re.sub(r"\{[^}]*\}", "1", route.path)) for route in results for method in route.methods
    )


async def test_every_answer_of_every_route_is_safe(client: httpx.AsyncClient) -> None:
    pages = [
        "/",
        "/about",
        "/About",
        "/nope",
        "/assets/app-abc.js",
        "/favicon.svg",
        "/order/abc",
        "/admin/bookings",
    ]
    requests = [("GET", page) for page in pages] + [
        ("POST", "/about"),
        ("OPTIONS", "/about"),
        ("PUT", "/nope"),
    ]
    routes = routes_of(create_api())
    assert len(routes) > 20
    for method, path in (*requests, *routes):
        answer = await client.request(method, path)
        assert answer.status_code < 500, (method, path)
        assert [name for name in SAFE if name not in answer.headers] == [], (method, path)
        assert "frame-ancestors" in answer.headers["content-security-policy"], (method, path)
        assert answer.headers["x-content-type-options"] == "nosniff"


async def test_a_head_is_a_get_without_its_body(client: httpx.AsyncClient) -> None:
    for path in ("/about", "/about/", "/nope", "/favicon.svg"):
        got, head = await client.get(path), await client.head(path)
        assert head.status_code == got.status_code
        assert head.content == b""
        for name in ("etag", "content-type", "content-length", "location", "cache-control"):
            assert head.headers.get(name) == got.headers.get(name)


async def test_a_head_is_a_get_without_its_body_on_every_route_too(
    client: httpx.AsyncClient, caplog: pytest.LogCaptureFixture
) -> None:
    paths = [path for method, path in routes_of(create_api()) if method == "GET"]
    assert len(paths) > 10
    for path in (*paths, "/newsletter/archive", "/newsletter/sitemap.xml", "/api/slots?date=2026-11-23"):
        got, head = await client.get(path), await client.head(path)
        assert (head.status_code, head.content) == (got.status_code, b""), path
        for name in ("content-type", "location", "cache-control", "etag", "allow"):
            assert head.headers.get(name) == got.headers.get(name), (path, name)
    archive = await client.get("/newsletter/archive"), await client.head("/newsletter/archive")
    assert len({answer.headers["content-length"] for answer in archive}) == 1
    assert (await client.head("/api/book")).status_code == 405
    caplog.set_level("INFO", logger=access_log.log.name)
    await client.head("/api/slots?date=2026-11-23")
    line = caplog.records[-1].__dict__["fields"]
    assert (line["method"], line["path"], line["bytes"]) == ("HEAD", "/api/slots", 0)


TAILS = (
    ".", ")", ",", ");", "]", "}", "'", '"', "\u2019", "\u201d.", "\u00bb", "*", "_", "~", "`", "!", "\u2026", " ", " and",
    "\u200b", "\u2060.", "\ufeff", ">", "&gt;", "|x", "\\", ":", "\u3002", "/)", "\U0001f44d",
)  # fmt: skip


async def test_a_link_leads_to_its_page_whatever_a_sentence_or_chat_has_added(
    client: httpx.AsyncClient,
) -> None:
    tokens = (*PRIVATE_PATHS, "/newsletter/confirm/", "/newsletter/unsubscribe/")
    paths = ("/about", "/order/kJ2x/learners", *(f"{start}kJ2x-9_Ab" for start in tokens))
    cases = [*((path, ").") for path in paths), *(("/order/kJ2x-9_Ab", tail) for tail in TAILS)]
    wrong = []
    for path, tail in cases:
        address = path + quote(tail)
        answer = await client.get(f"{address}?from=chat")
        if (answer.status_code, answer.headers.get("location")) != (308, f"{path}?from=chat"):
            wrong.append((address, str(answer.status_code)))
        elif (answer.headers["cache-control"] == "no-store") is not path.startswith(PRIVATE_PATHS):
            wrong.append((address, answer.headers["cache-control"]))
    assert wrong == []
    assert (await client.head("/about.")).headers["location"] == "/about"
    assert (await client.post("/about.")).status_code == 404


async def test_what_leads_nowhere_without_its_tail_is_not_found(client: httpx.AsyncClient) -> None:
    for path in ("/nope.", "/nope)", "/%22", "/api/nope.", "/admin/nope)", "/about.html", "/not-found)"):
        assert (await client.get(path)).status_code == 404, path


async def test_a_page_takes_no_post_and_says_what_it_takes(client: httpx.AsyncClient) -> None:
    answer = await client.post("/about", data={"a": "b"})
    assert (answer.status_code, answer.headers["allow"]) == (405, "GET, HEAD, OPTIONS")
    assert (await client.options("/about")).status_code == 204
    assert (await client.post("/nope")).status_code == 404


async def test_a_refused_browser_gets_a_page_and_when_to_come_back(
    application: ASGIApp, configure: Configure
) -> None:
    configure(rate_limit_api="1/minute")
    async with client_of(application) as client:
        responses = [await client.get("/api/slots", headers={"Accept": "text/html"}) for _ in range(2)]
    assert responses[-1].status_code == 429
    assert "<h1>One moment, please</h1>" in responses[-1].text
    assert 1 <= int(responses[-1].headers["retry-after"]) <= 60


async def test_other_origins_read_nothing(client: httpx.AsyncClient) -> None:
    for origin in ("https://evil.example", "null"):
        answer = await client.get("/api/slots?date=2026-11-23", headers={"Origin": origin})
        assert "access-control-allow-origin" not in answer.headers
        assert (await client.get("/_event/?transport=polling", headers={"Origin": origin})).status_code == 403


async def test_a_log_shows_the_pattern_of_a_route_never_its_token(
    application: ASGIApp, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO", logger=access_log.log.name)
    token = "kJ2x" * 10 + "abc"
    async with client_of(application) as client:
        for path in (
            f"/api/orders/{token}",
            f"/calendar/{token}.ics",
            f"/order/{token}",
            "/about/",
            f"/{token}",
        ):
            await client.get(path)
    logged_paths = [record.__dict__["fields"]["path"] for record in caplog.records]
    assert len(logged_paths) == 5
    assert token not in str(logged_paths)
    assert logged_paths[2:] == ["/order/{token}", "/about", "/*"]


_TEXT = st.text(max_size=40)
_HEADER = st.text(st.characters(min_codepoint=32, max_codepoint=255, exclude_characters="\x7f"), max_size=60)
_PATH = st.one_of(
    _TEXT,
    st.lists(
        st.sampled_from(
            ["/", "..", "%2e", "%00", "%ff", "about", "api", "order", "signup", "admin", "\\", "?", "#", "book"]
        )
    ).map("".join),
)  # fmt: skip


@settings(
    max_examples=80,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(
    method=st.sampled_from(["GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH"]),
    path=_PATH,
    body=st.binary(max_size=200),
    headers=st.dictionaries(
        st.sampled_from(
            ["Accept", "Accept-Encoding", "If-None-Match", "Cookie", "Origin", "X-Request-ID", "X-Forwarded-For",
             "Content-Type", "Content-Length", "Sec-Fetch-Site", "Idempotency-Key", "Host"]
        ),
        _HEADER.map(lambda value: value.encode("latin-1")),
        max_size=5,
    ),
)  # fmt: skip
async def test_nothing_that_anyone_sends_is_an_error_of_ours(
    application: ASGIApp, method: str, path: str, body: bytes, headers: dict[str, bytes]
) -> None:
    status, answered = await asked_raw(application, method, f"/{path}", body, headers)
    assert 200 <= status < 500
    assert b"x-frame-options" in answered
    location = answered.get(b"location", b"/")
    assert location.startswith(b"/")
    assert not location.startswith((b"//", b"/\\"))


async def asked_raw(
    application: ASGIApp, method: str, path: str, body: bytes, headers: dict[str, bytes]
) -> tuple[int, dict[bytes, bytes]]:
    """Status and headers of the answer to a request that no client library would let through."""
    messages = [{"type": "http.request", "body": body, "more_body": False}]
    started: dict[str, object] = {}

    async def receive() -> dict[str, object]:
        return messages.pop() if messages else {"type": "http.disconnect"}

    async def send(message: dict[str, object]) -> None:
        if message["type"] == "http.response.start":
            started.update(message)

    plain, _, query = path.partition("?")
    scope = {
        "type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": method, "scheme": "http",
        "path": plain, "raw_path": plain.encode(errors="surrogatepass"), "query_string": query.encode(errors="replace"),
        "root_path": "", "headers": [(name.lower().encode(), value) for name, value in headers.items()],
        "client": ("203.0.113.9", 1), "server": ("test", 80), "state": {},
    }  # fmt: skip
    assert loggable_path(scope)
    await application(scope, receive, send)  # type: ignore[arg-type]
    return int(str(started["status"])), dict(started["headers"])  # type: ignore[call-overload]
