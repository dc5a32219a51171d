"""The assembled API: health, the error format, limits, the OpenAPI description."""

from collections.abc import Callable

import httpx
import pytest
from limits import parse
from limits.aio.strategies import MovingWindowRateLimiter

from agency_site.antispam import limiter
from agency_site.settings import Settings, settings
from agency_site.web.middleware.stack import with_middleware
from agency_site.web.serving.api import create_api
from tests.example_records import PAID_COURSE
from tests.http_clients import client_of
from tests.servers import Redis

pytestmark = pytest.mark.usefixtures("fresh_limits")

Configure = Callable[..., Settings]
BOOKING = {"fullname": "", "emailaddress": "x", "phonenumber": "1", "date": "soon", "time": "9"}


async def test_health_and_readiness(client: httpx.AsyncClient) -> None:
    assert (await client.get("/healthz")).json() == {"status": "ok", "missing": []}
    assert (await client.get("/readyz")).json() == {"status": "ok", "missing": []}


async def test_not_ready_without_its_database_or_redis(configure: Configure) -> None:
    configure(database_url="postgresql+psycopg://nobody@127.0.0.1:1/none", redis_url="redis://127.0.0.1:1/0")
    async with client_of(create_api()) as http:
        answer = await http.get("/readyz")
        assert answer.status_code == 503
        assert answer.json() == {"status": "unavailable", "missing": ["database", "redis"]}
        assert (await http.get("/healthz")).status_code == 200


async def test_malformed_input_names_its_fields_in_the_error_format(client: httpx.AsyncClient) -> None:
    answer = await client.post("/api/book", json=BOOKING)
    assert answer.status_code == 422
    body = answer.json()
    assert set(body) == {"message", "errors"}
    assert {error["field"] for error in body["errors"]} >= {
        "fullname",
        "emailaddress",
        "phonenumber",
        "date",
        "time",
    }
    assert all(set(error) == {"field", "message"} and error["message"] for error in body["errors"])


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [("GET", "/api/nothing", 404), ("DELETE", "/api/book", 405), ("POST", "/api/book", 422)],
)
async def test_every_refusal_has_a_message(
    client: httpx.AsyncClient, method: str, path: str, status: int
) -> None:
    answer = await client.request(
        method, path, content=b"{not json", headers={"Content-Type": "application/json"}
    )
    assert answer.status_code == status
    assert answer.json()["message"]


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (b"{not json", "The body is not valid JSON."),
        (b"", "Please check the fields and try again."),
        (b"[1]", "Please check the fields and try again."),
    ],
)
async def test_a_body_that_is_no_object_names_no_field(
    client: httpx.AsyncClient, body: bytes, message: str
) -> None:
    answer = await client.post("/api/book", content=body, headers={"Content-Type": "application/json"})
    assert (answer.status_code, answer.json()) == (422, {"message": message})


async def test_the_description_gives_the_bounds_of_numbers_and_every_refusal(
    client: httpx.AsyncClient,
) -> None:
    description = (await client.get("/api/openapi.json")).json()
    fields = description["components"]["schemas"]["CheckoutRequest"]["properties"]
    quantity = fields["quantity"]["anyOf"][0]
    assert (quantity["minimum"], quantity["maximum"]) == (1, 1_000_000_000)
    assert fields["amount"]["minimum"] == 0
    answers = description["paths"]["/api/stkpush"]["post"]["responses"]
    assert {"200", "400", "408", "409", "413", "422", "429", "502"} <= answers.keys()


async def test_a_bug_answers_500_without_a_stack_trace(
    client: httpx.AsyncClient, caplog: pytest.LogCaptureFixture
) -> None:
    api = create_api()

    @api.get("/api/broken/{token}")
    async def broken(token: str) -> None:
        raise RuntimeError("the secret is hunter2")

    async with client_of(api) as http:
        answer = await http.get("/api/broken/private-token")
    assert answer.status_code == 500
    assert answer.json() == {"message": "Something went wrong on our side. Please try again."}
    assert "private-token" not in caplog.records[-1].getMessage()


async def test_the_api_has_an_openapi_description(client: httpx.AsyncClient) -> None:
    description = (await client.get("/api/openapi.json")).json()
    assert {"/api/book", "/api/slots", "/api/stkpush", "/healthz", "/readyz"} <= set(description["paths"])
    assert not any("callback" in path for path in description["paths"])


async def test_too_many_requests_get_429_with_retry_after(database: str, configure: Configure) -> None:
    configure(database_url=database, rate_limit_api="3/minute")
    async with client_of(create_api()) as http:
        answers = [await http.get("/api/slots?date=2026-11-23") for _ in range(4)]
        healthy = await http.get("/healthz")
    assert [answer.status_code for answer in answers] == [200, 200, 200, 429]
    assert 1 <= int(answers[-1].headers["Retry-After"]) <= 60
    assert answers[-1].json()["message"].startswith("Too many requests.")
    assert healthy.status_code == 200


async def test_the_addresses_of_one_ipv6_customer_share_the_limits_of_the_api(
    database: str, configure: Configure
) -> None:
    configure(database_url=database, rate_limit_api="3/minute", rate_limit_forms="2/minute")
    api = with_middleware(create_api())

    async def ask(method: str, path: str, address: str) -> int:
        async with client_of(api, address) as http:
            return (await http.request(method, path)).status_code

    slots = [await ask("GET", "/api/slots?date=2026-11-23", f"2001:db8:1:2::{number}") for number in range(5)]
    assert slots == [200, 200, 200, 429, 429]
    assert await ask("GET", "/api/slots?date=2026-11-23", "2001:db8:1:3::1") == 200
    bookings = [await ask("POST", "/api/book", f"2001:db8:1:2:{number}::") for number in range(1, 4)]
    assert bookings == [422, 422, 429]


async def test_pages_that_are_drawn_for_a_request_are_limited_per_address(
    database: str, configure: Configure
) -> None:
    configure(database_url=database, rate_limit_pages="3/minute")
    api = with_middleware(create_api())
    async with client_of(api, "203.0.113.7") as http:
        paths = ("/book", "/payment", "/book?month=2026-12", f"/payment?course={PAID_COURSE.slug}")
        answers = [await http.get(path, headers={"Accept": "text/html"}) for path in paths]
        slots = await http.get("/api/slots?date=2026-11-23")
    async with client_of(api, "203.0.113.8") as another:
        elsewhere = await another.get("/payment")
    assert [answer.status_code for answer in answers] == [200, 200, 200, 429]
    assert "Too many requests." in answers[-1].text
    assert (slots.status_code, elsewhere.status_code) == (200, 200)


async def test_two_lines_of_x_forwarded_for_are_one_list(database: str, configure: Configure) -> None:
    configure(database_url=database, rate_limit_api="2/minute", trusted_proxy_hops=1, env="development")
    statuses = []
    async with client_of(with_middleware(create_api())) as http:
        for number in range(3):
            # The visitor's claim, and the line that a proxy adds beneath it.
            lines = [("X-Forwarded-For", f"198.51.100.{number}"), ("X-Forwarded-For", "203.0.113.7")]
            statuses.append((await http.get("/api/slots?date=2026-11-23", headers=lines)).status_code)
    assert statuses == [200, 200, 429]


async def test_callbacks_are_never_limited(database: str, configure: Configure) -> None:
    configure(database_url=database, rate_limit_api="1/minute")
    path = f"/api/mpesa/callback/{settings().callback_secret}/{'0' * 32}"
    async with client_of(create_api()) as http:
        answers = [await http.post(path, json={"Body": {}}) for _ in range(5)]
    assert {answer.status_code for answer in answers} <= {200, 400}


async def test_development_takes_a_thousand_requests_a_minute(client: httpx.AsyncClient) -> None:
    statuses = {(await client.get("/api/slots?date=bad")).status_code for _ in range(1000)}
    assert statuses == {422}


async def test_two_processes_share_their_limits_through_redis(
    database: str, configure: Configure, redis: Redis
) -> None:
    configure(database_url=database, rate_limit_api="3/minute", redis_url=redis.url)
    statuses = []
    for _ in range(4):
        # A new limiter each time, as another process would have.
        await limiter.close_limiters()
        async with client_of(create_api()) as http:
            statuses.append((await http.get("/api/slots?date=2026-11-23")).status_code)
    assert statuses == [200, 200, 200, 429]


async def test_redis_is_part_of_being_ready(database: str, configure: Configure, redis: Redis) -> None:
    configure(database_url=database, redis_url=redis.url)
    async with client_of(create_api()) as http:
        assert (await http.get("/readyz")).json() == {"status": "ok", "missing": []}


async def test_counters_of_idle_addresses_are_removed(monkeypatch: pytest.MonkeyPatch) -> None:
    rule, moment = parse("2/minute"), [1_000_000.0]
    monkeypatch.setattr("time.time", lambda: moment[0])
    windows = limiter.Windows()
    moving = MovingWindowRateLimiter(windows)
    assert [await moving.hit(rule, "first") for _ in range(3)] == [True, True, False]
    moment[0] += 61
    assert await moving.hit(rule, "second")
    assert list(windows.events) == [rule.key_for("second")]
    assert await moving.hit(rule, "first")


async def test_a_busy_address_is_remembered_for_the_time_of_its_rule(monkeypatch: pytest.MonkeyPatch) -> None:
    rule, moment = parse("1000/minute"), [1_000_000.0]
    monkeypatch.setattr("time.time", lambda: moment[0])
    windows = limiter.Windows()
    moving = MovingWindowRateLimiter(windows)
    for _ in range(300):
        moment[0] += 1
        assert await moving.hit(rule, "busy")
    # Removed once a minute, so there may be those of two.
    assert 60 <= len(windows.events[rule.key_for("busy")]) <= 120
    assert (await moving.get_window_stats(rule, "busy")).remaining == 1000 - 60


async def test_guesses_of_certificate_numbers_are_limited(database: str, configure: Configure) -> None:
    configure(database_url=database, rate_limit_api="3/minute")
    async with client_of(create_api()) as http:
        answers = [await http.get(f"/certificate/CT-7F3K9Q-2M4XW{letter}") for letter in "ACDE"]
    assert [answer.status_code for answer in answers] == [404, 404, 404, 429]
