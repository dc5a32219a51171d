"""The assembled API: health, one shape of error, limits, the description of itself."""

from collections.abc import AsyncIterator, Callable

import httpx
import pytest
from fastapi import FastAPI
from limits import parse
from limits.aio.strategies import MovingWindowRateLimiter

from agency_site.abuse import limiter
from agency_site.settings import Settings, settings
from agency_site.web import limits
from agency_site.web.api import create_api
from tests.servers import Redis

Configure = Callable[..., Settings]
BOOKING = {"fullname": "", "emailaddress": "x", "phonenumber": "1", "date": "soon", "time": "9"}


@pytest.fixture(autouse=True)
async def fresh_limits() -> AsyncIterator[None]:
    """Nothing counted before, no connection left after."""
    await limiter.close_limiters()
    yield
    await limiter.close_limiters()


@pytest.fixture
async def client(database: str) -> AsyncIterator[httpx.AsyncClient]:
    """The API on an empty database."""
    async with client_of(create_api()) as made:
        yield made


def client_of(api: FastAPI) -> httpx.AsyncClient:
    """A client that reaches the API without a network."""
    transport = httpx.ASGITransport(api, raise_app_exceptions=False, client=("203.0.113.9", 1))
    return httpx.AsyncClient(transport=transport, base_url="http://test")


async def test_alive_and_ready(client: httpx.AsyncClient) -> None:
    assert (await client.get("/healthz")).json() == {"status": "ok", "missing": []}
    assert (await client.get("/readyz")).json() == {"status": "ok", "missing": []}


async def test_not_ready_without_its_database_or_redis(configure: Configure) -> None:
    configure(database_url="postgresql+psycopg://nobody@127.0.0.1:1/none", redis_url="redis://127.0.0.1:1/0")
    async with client_of(create_api()) as made:
        answer = await made.get("/readyz")
        assert answer.status_code == 503
        assert answer.json() == {"status": "unavailable", "missing": ["database", "redis"]}
        assert (await made.get("/healthz")).status_code == 200


async def test_malformed_input_names_its_fields_in_the_one_shape(client: httpx.AsyncClient) -> None:
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


async def test_a_bug_answers_500_without_a_trace(
    client: httpx.AsyncClient, caplog: pytest.LogCaptureFixture
) -> None:
    api = create_api()

    @api.get("/api/broken/{token}")
    async def broken(token: str) -> None:
        raise RuntimeError("the secret is hunter2")

    async with client_of(api) as made:
        answer = await made.get("/api/broken/private-token")
    assert answer.status_code == 500
    assert answer.json() == {"message": "Something went wrong on our side. Please try again."}
    assert "private-token" not in caplog.records[-1].getMessage()


async def test_the_api_describes_itself(client: httpx.AsyncClient) -> None:
    description = (await client.get("/api/openapi.json")).json()
    assert {"/api/book", "/api/slots", "/api/stkpush", "/healthz", "/readyz"} <= set(description["paths"])
    assert not any("callback" in path for path in description["paths"])


async def test_too_many_requests_are_told_when_to_come_back(database: str, configure: Configure) -> None:
    configure(database_url=database, rate_limit_api="3/minute")
    async with client_of(create_api()) as made:
        answers = [await made.get("/api/slots?date=2026-11-23") for _ in range(4)]
        healthy = await made.get("/healthz")
    assert [answer.status_code for answer in answers] == [200, 200, 200, 429]
    assert 1 <= int(answers[-1].headers["Retry-After"]) <= 60
    assert answers[-1].json()["message"].startswith("Too many requests.")
    assert healthy.status_code == 200


async def test_callbacks_are_never_limited(database: str, configure: Configure) -> None:
    configure(database_url=database, rate_limit_api="1/minute")
    path = f"/api/mpesa/callback/{settings().callback_secret}"
    async with client_of(create_api()) as made:
        answers = [await made.post(path, json={"Body": {}}) for _ in range(5)]
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
        async with client_of(create_api()) as made:
            statuses.append((await made.get("/api/slots?date=2026-11-23")).status_code)
    assert statuses == [200, 200, 200, 429]


async def test_redis_is_part_of_being_ready(database: str, configure: Configure, redis: Redis) -> None:
    configure(database_url=database, redis_url=redis.url)
    async with client_of(create_api()) as made:
        assert (await made.get("/readyz")).json() == {"status": "ok", "missing": []}


async def test_addresses_that_stopped_asking_are_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    rule, moment = parse("2/minute"), [1_000_000.0]
    monkeypatch.setattr("time.time", lambda: moment[0])
    windows = limiter.Windows()
    moving = MovingWindowRateLimiter(windows)
    assert [await moving.hit(rule, "first") for _ in range(3)] == [True, True, False]
    moment[0] += 61
    assert await moving.hit(rule, "second")
    assert list(windows.events) == [rule.key_for("second")]
    assert await moving.hit(rule, "first")


def test_only_our_own_proxies_say_where_a_request_came_from() -> None:
    scope = {
        "type": "http",
        "client": ("10.0.0.1", 5),
        "headers": [(b"x-forwarded-for", b"6.6.6.6, 203.0.113.7")],
    }
    assert limits.client_address(scope, 0) == "10.0.0.1"
    assert limits.client_address(scope, 1) == "203.0.113.7"
    assert limits.client_address({**scope, "headers": []}, 1) == "10.0.0.1"
