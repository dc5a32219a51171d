"""The middleware of every request: ids, headers, limits of bodies, lines in the log, unhandled errors."""

import asyncio
import json
import logging
import secrets
import sys
import uuid
from collections.abc import AsyncIterator, Callable, Iterator

import httpx
import pytest
from pydantic import BaseModel
from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from agency_site.features.checkout.admin.statements.upload import LARGEST_STATEMENT, STATEMENT_IMPORT
from agency_site.features.editing.pictures.api import PICTURE_UPLOAD
from agency_site.features.editing.pictures.rules import LARGEST_UPLOAD
from agency_site.settings import Settings
from agency_site.web.middleware.paths import loggable_path
from agency_site.web.middleware.request_bodies import UNFINISHED_FILES, LimitBodies
from agency_site.web.middleware.request_ids import AssignRequestId, request_id
from agency_site.web.middleware.security_headers import add_missing_headers
from agency_site.web.middleware.stack import with_middleware
from agency_site.web.serving.logs import JsonLines, TextLines, logging_setup
from tests.http_clients import ORIGIN

Configure = Callable[..., Settings]
TOKEN = "kJ2x" * 10 + "abc"


async def app(scope: Scope, receive: Receive, send: Send) -> None:
    """Responds with the size of what it was sent; fails when asked to."""
    request = Request(scope, receive)
    if scope["path"].startswith("/break"):
        raise RuntimeError("the secret is hunter2")
    if scope["path"] == "/halfway":
        await send({"type": "http.response.start", "status": 200, "headers": []})
        raise RuntimeError("the secret is hunter2")
    answer: Response = JSONResponse({"size": len(await request.body())})
    if scope["path"] == "/framed":
        answer = PlainTextResponse("", headers={"Content-Security-Policy": "frame-ancestors 'self'; sandbox"})
    await answer(scope, receive, send)


@pytest.fixture
def application() -> ASGIApp:
    return with_middleware(app)


@pytest.fixture
def lines(configure: Configure) -> Iterator[list[logging.LogRecord]]:
    """Return the lines of the access log."""
    held: list[logging.LogRecord] = []

    class Keep(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            record.line = JsonLines().format(record)
            held.append(record)

    log, keep = logging.getLogger("agency_site.access"), Keep()
    before = log.level
    log.addHandler(keep)
    log.setLevel(logging.INFO)
    yield held
    log.removeHandler(keep)
    log.setLevel(before)


async def test_a_request_keeps_a_good_id_and_gets_one_otherwise(client: httpx.AsyncClient) -> None:
    response = await client.get("/", headers={"X-Request-ID": "proxy-17.aB_9"})
    assert response.headers["x-request-id"] == "proxy-17.aB_9"
    for bad in ("short", "x" * 65, "has space 12", "<script>1234", ""):
        own = (await client.get("/", headers={"X-Request-ID": bad})).headers["x-request-id"]
        assert own != bad
        assert len(own) == 32


async def test_every_answer_has_the_safe_headers(client: httpx.AsyncClient) -> None:
    for path in ("/", "/break"):
        headers = (await client.get(path)).headers
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "strict-origin-when-cross-origin"
        assert headers["cross-origin-opener-policy"] == "same-origin"
        assert headers["cross-origin-resource-policy"] == "same-origin"
        assert "camera=()" in headers["permissions-policy"]
        assert headers["x-frame-options"] == "DENY"
        assert headers["content-security-policy"] == "frame-ancestors 'none'"
        assert headers["cache-control"] == "no-store"
        assert "strict-transport-security" not in headers


async def test_only_a_site_reached_by_https_asks_browsers_to_stay_with_it(
    client: httpx.AsyncClient, configure: Configure
) -> None:
    configure(public_url="https://agency.example", hsts="max-age=300; includeSubDomains")
    assert (await client.get("/")).headers["strict-transport-security"] == "max-age=300; includeSubDomains"


async def test_a_response_that_may_be_framed_says_so_in_both_headers(client: httpx.AsyncClient) -> None:
    headers = (await client.get("/framed")).headers
    assert headers["content-security-policy"] == "frame-ancestors 'self'; sandbox"
    assert headers["x-frame-options"] == "SAMEORIGIN"


def test_headers_that_a_response_sets_are_kept_and_completed() -> None:
    headers = MutableHeaders({
        "Referrer-Policy": "no-referrer", "Content-Security-Policy": "default-src 'none';", "Vary": "Origin, Accept",
        "Content-Type": "image/png", "Cache-Control": "public",
    })  # fmt: skip
    headers.append("Vary", "Origin")
    add_missing_headers(headers)
    assert headers["referrer-policy"] == "no-referrer"
    assert headers["content-security-policy"] == "default-src 'none'; frame-ancestors 'none'"
    assert headers.getlist("vary") == ["Origin, Accept"]
    assert headers["cross-origin-resource-policy"] == "cross-origin"
    assert headers["cache-control"] == "public"


@pytest.mark.parametrize(
    "strange",
    [{"X-Forwarded-For": "203.0.113.5"}, {"Forwarded": "for=x"}, {"Via": "1.1 x"}, {"Host": "shop.example"}],
)
async def test_without_a_named_environment_nothing_passes_a_proxy(
    client: httpx.AsyncClient, configure: Configure, strange: dict[str, str]
) -> None:
    for path in ("/", "/outbox", "/api/mpesa/callback/x"):
        refused = await client.get(path, headers=strange)
        assert (refused.status_code, "AGENCY_ENV" in refused.text) == (403, True)
        assert (await client.get(path)).status_code == 200
    for env in ("development", "production"):
        configure(env=env)
        assert (await client.get("/", headers=strange)).status_code == 200


async def test_only_the_api_and_the_socket_are_open_to_pages_of_other_origins() -> None:
    async def shared(scope: Scope, _receive: Receive, send: Send) -> None:
        allowed = [
            (b"access-control-allow-origin", b"https://partner.example"),
            (b"access-control-allow-credentials", b"true"),
        ]
        headers = [*allowed, (b"vary", b"Accept-Encoding, Origin"), (b"vary", b"Origin")]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": b""})

    async with httpx.AsyncClient(
        transport=httpx.ASGITransport(with_middleware(shared)), base_url=ORIGIN
    ) as client:
        file = (await client.get("/assets/app-abc.js")).headers
        assert file["vary"] == "Accept-Encoding"
        assert not [name for name in file if name.startswith("access-control-")]
        answer = (await client.get("/api/slots")).headers
        assert answer["vary"] == "Accept-Encoding, Origin"
        assert answer["access-control-allow-origin"] == "https://partner.example"


@pytest.mark.parametrize("path", ["/about%0A", "/api/slots%0A", "/order/a%0Db", "/%7F", "/a%00"])
async def test_a_path_with_a_control_character_is_refused_in_json(
    client: httpx.AsyncClient, path: str
) -> None:
    answer = await client.get(path)
    assert answer.status_code == 400
    assert answer.json()["message"] == "The address has a character that cannot be used."


async def chunks(count: int) -> AsyncIterator[bytes]:
    for _ in range(count):
        yield b"x" * 1024


async def test_a_body_within_the_limit_arrives_whole(client: httpx.AsyncClient, configure: Configure) -> None:
    configure(body_limit_kb=4)
    assert (await client.post("/", content=b"x" * 4096)).json() == {"size": 4096}
    assert (await client.post("/", content=chunks(4))).json() == {"size": 4096}


async def test_a_body_above_the_limit_is_refused_with_or_without_content_length(
    client: httpx.AsyncClient, configure: Configure
) -> None:
    configure(body_limit_kb=4)
    for content in (b"x" * 4097, chunks(5)):
        answer = await client.post("/", content=content)
        assert answer.status_code == 413
        assert "larger than we can take" in answer.json()["message"]
        assert answer.json()["request_id"] == answer.headers["x-request-id"]
    assert (await client.request("GET", "/", content=b"x" * 5000)).status_code == 413
    flood = chunks(1_000_000)
    assert (await client.post("/", content=flood)).status_code == 413
    assert [chunk async for chunk in flood][:1] != []


async def test_only_a_browser_with_a_session_may_send_the_file_of_a_statement(
    client: httpx.AsyncClient,
) -> None:
    content, signed_in = b"x" * (LARGEST_STATEMENT - 1000), {"Cookie": f"staff={secrets.token_urlsafe(32)}"}
    assert (await client.post(STATEMENT_IMPORT, content=content, headers=signed_in)).json() == {
        "size": len(content)
    }
    assert (await client.post(STATEMENT_IMPORT, content=content)).status_code == 413
    assert (await client.post("/", content=content, headers=signed_in)).status_code == 413
    assert (await client.post(STATEMENT_IMPORT, content=content * 2, headers=signed_in)).status_code == 413


async def test_a_picture_may_be_larger_than_what_is_drained_of_a_refused_body(
    client: httpx.AsyncClient,
) -> None:
    content, signed_in = b"x" * LARGEST_UPLOAD, {"Cookie": f"staff={secrets.token_urlsafe(32)}"}
    assert (await client.post(PICTURE_UPLOAD, content=content, headers=signed_in)).json() == {
        "size": LARGEST_UPLOAD
    }
    assert (await client.post(PICTURE_UPLOAD, content=content)).status_code == 413
    above = await client.post(PICTURE_UPLOAD, content=content + b"x", headers=signed_in)
    assert above.status_code == 413
    assert above.json()["message"] == "This file is larger than 15 MB. Please choose a smaller one."
    assert (await client.post(STATEMENT_IMPORT, content=content, headers=signed_in)).status_code == 413


async def test_one_address_sends_only_a_few_files_at_once_because_each_takes_memory() -> None:
    reached: list[str] = []
    complete = asyncio.Event()

    async def handler(scope: Scope, _receive: Receive, _send: Send) -> None:
        reached.append(scope["path"])

    async def receive() -> Message:
        await complete.wait()
        return {"type": "http.request", "body": b"x"}

    statuses: list[int] = []

    async def send(message: Message) -> None:
        statuses.append(message.get("status", 0))

    limited = LimitBodies(handler)

    async def post(path: str) -> None:
        cookie = f"staff={secrets.token_urlsafe(32)}".encode()
        scope = {
            "type": "http", "method": "POST", "path": path, "client": ("203.0.113.9", 1),
            "headers": [(b"cookie", cookie), (b"transfer-encoding", b"chunked")],
        }  # fmt: skip
        await limited(scope, receive, send)

    async with asyncio.TaskGroup() as group:
        for _ in range(UNFINISHED_FILES):
            group.create_task(post(PICTURE_UPLOAD))
        await asyncio.sleep(0)
        await post(PICTURE_UPLOAD)
        assert statuses[0] == 429
        group.create_task(post("/"))
        complete.set()
    assert sorted(reached) == sorted(["/", *[PICTURE_UPLOAD] * UNFINISHED_FILES])


async def test_an_incomplete_body_is_refused() -> None:
    reached: list[Scope] = []

    async def handler(scope: Scope, _receive: Receive, _send: Send) -> None:
        reached.append(scope)

    messages: list[Message] = [
        {"type": "http.disconnect"},
        {"type": "http.request", "body": b"email=wanjiru@shop", "more_body": True},
    ]

    async def receive() -> Message:
        return messages.pop()

    sent_messages: list[Message] = []

    async def send(message: Message) -> None:
        sent_messages.append(message)
        raise RuntimeError("the client has left")

    scope = {"type": "http", "method": "POST", "path": "/", "headers": [], "client": ("203.0.113.9", 1)}
    await LimitBodies(handler)(scope, receive, send)
    assert (reached, messages) == ([], [])
    assert [message["status"] for message in sent_messages] == [400]


async def test_a_browser_gets_the_error_as_a_page(client: httpx.AsyncClient, configure: Configure) -> None:
    configure(body_limit_kb=1)
    answer = await client.post("/", content=b"x" * 2000, headers={"Accept": "text/html,*/*;q=0.8"})
    assert answer.status_code == 413
    assert "<h1>That is more than we can take at once</h1>" in answer.text
    assert "<script" not in answer.text


async def test_an_unhandled_error_is_logged_once_and_answered_without_a_stack_trace(
    client: httpx.AsyncClient, caplog: pytest.LogCaptureFixture
) -> None:
    answer = await client.get(f"/break/{TOKEN}")
    assert answer.status_code == 500
    assert answer.json() == {
        "message": "Something went wrong on our side. Please try again.",
        "request_id": answer.headers["x-request-id"],
    }
    [record] = caplog.records
    assert record.getMessage() == "unhandled exception at GET /break/*"
    assert record.exc_info


async def test_the_page_about_an_error_names_the_number_to_ask_for(client: httpx.AsyncClient) -> None:
    answer = await client.get("/break", headers={"Accept": "text/html"})
    assert answer.status_code == 500
    assert answer.headers["x-request-id"] in answer.text
    assert "hunter2" not in answer.text


async def test_an_answer_that_breaks_halfway_is_logged_once_too(
    client: httpx.AsyncClient, caplog: pytest.LogCaptureFixture
) -> None:
    # The client of this test notices no end of a body; the status has been sent by then.
    with pytest.raises(AssertionError):
        await client.get("/halfway")
    assert [record.getMessage() for record in caplog.records] == ["unhandled exception at GET /halfway"]


async def test_a_request_leaves_one_line_without_personal_data(
    client: httpx.AsyncClient, lines: list[logging.LogRecord]
) -> None:
    answer = await client.post(
        f"/booking/{TOKEN}?email=wanjiru@shop.example",
        content=b"I am Wanjiru",
        headers={"Cookie": "staff=secret"},
    )
    [record] = lines
    line = json.loads(record.__dict__["line"])
    assert line.pop("ms") >= 0
    assert line.pop("time").endswith("+00:00")
    assert line == {
        "level": "info", "logger": "agency_site.access", "message": "request",
        "request_id": answer.headers["x-request-id"], "method": "POST", "path": "/booking/*",
        "status": 200, "bytes": len(answer.content), "from": "203.0.113.0/24",
    }  # fmt: skip
    assert "method=POST path=/booking/*" in TextLines().format(record)


async def test_health_checks_are_not_in_the_access_log(
    client: httpx.AsyncClient, lines: list[logging.LogRecord]
) -> None:
    for path in ("/healthz", "/readyz", "/readyz/callbacks"):
        assert (await client.get(path)).status_code == 200
    assert lines == []


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("/", "/"), ("/wp-login.php", "/wp-login.php"), (f"/order/{TOKEN}", "/order/*"), (f"/{TOKEN}/x", "/*/x"),
        ("/BK-7F3K9Q", "/*"), ("/a@b.example", "/*"), ("/+254712345678", "/*"), ("/Wanjirũ", "/*"), ("//x//", "//x//"),
    ],
)  # fmt: skip
def test_the_log_shows_only_plain_words_of_an_unknown_path(path: str, expected: str) -> None:
    assert loggable_path({"path": path}) == expected


def test_production_logs_json_and_requests_and_a_laptop_neither(configure: Configure) -> None:
    assert logging_setup()["formatters"]["line"]["()"] is TextLines
    assert logging_setup()["loggers"]["agency_site.access"]["level"] == "CRITICAL"
    configure(env="production")
    assert logging_setup()["formatters"]["line"]["()"] is JsonLines
    assert logging_setup()["loggers"]["agency_site.access"]["level"] == "INFO"
    configure(log_format="text", access_log="off")
    assert logging_setup()["formatters"]["line"]["()"] is TextLines
    assert logging_setup()["loggers"]["agency_site.access"]["level"] == "CRITICAL"


@pytest.mark.parametrize(
    "text",
    [
        "Received no token. Event data: {'phone': '0712'}",
        "Error transforming event payload for handler Desk.submit: Error transforming event argument 'form' with value"
        " '{'phone':\n'0712'}' and type hint",
    ],
)
def test_an_event_that_a_library_quotes_is_left_out(text: str) -> None:
    record = logging.LogRecord("reflex.app", logging.WARNING, "", 1, text, None, None)
    for lines in (JsonLines(), TextLines()):
        assert "0712" not in lines.format(record)
        assert "(left out)" in lines.format(record)


async def test_a_socket_s_name_goes_along_in_its_headers(configure: Configure) -> None:
    seen: list[str | None] = []

    async def socket(scope: Scope, receive: Receive, send: Send) -> None:
        seen.append(Headers(scope=scope).get("x-request-id"))
        seen.append(request_id())

    async def nothing(*_: object) -> Message:
        return {"type": "websocket.connect"}

    for header in (b"proxy-17.aB_9", b"short"):
        scope = {"type": "websocket", "path": "/", "headers": [(b"x-request-id", header)]}
        await AssignRequestId(socket)(scope, nothing, nothing)  # type: ignore[arg-type]
    assert seen[:2] == ["proxy-17.aB_9"] * 2
    assert seen[2] == seen[3] != "short"
    assert seen[2]


@pytest.mark.parametrize("char", ["x", "é", "\n", "\x00", "\U0001f600"])
def test_no_line_is_longer_than_4_kb_and_it_keeps_its_beginning_and_its_end(char: str) -> None:
    try:
        raise ValueError(char * 90_000 + "the end")
    except ValueError:
        trace = sys.exc_info()
    record = logging.LogRecord("agency_site", logging.ERROR, "", 1, "begun " + char * 90_000, None, trace)
    record.fields = {"path": char * 90_000}
    for lines in (JsonLines(), TextLines()):
        line = lines.format(record)
        assert len(line.encode()) <= 4096
        assert "begun" in line
        assert "the end" in line


def test_a_library_s_errors_quote_neither_what_was_typed_nor_the_name_of_a_tab() -> None:
    class Form(BaseModel):
        age: int

    tab, field_values = str(uuid.uuid4()), {"age": "hunter2"}
    try:
        Form.model_validate(field_values)
    except ValueError:
        trace = sys.exc_info()
    record = logging.LogRecord(
        "reflex.app", logging.ERROR, "", 1, f"disconnected client '{tab}'", None, trace
    )
    for lines in (JsonLines(), TextLines()):
        assert "hunter2" not in lines.format(record)
        assert tab not in lines.format(record)


def test_half_a_surrogate_pair_does_not_break_a_log_line() -> None:
    record = logging.LogRecord("reflex.app", logging.WARNING, "", 1, "broken \ud83d", None, None)
    for lines in (JsonLines(), TextLines()):
        assert lines.format(record).encode()
