"""The site as production runs it: deploy/Caddyfile in front of two servers on PostgreSQL and Redis."""

import signal
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import expect

from agency_site.money import kes
from tests.caddy import caddy
from tests.e2e.conftest import Opener
from tests.e2e.own_server import OwnServer, own_server
from tests.e2e.wire import BROKEN
from tests.example_records import PAID_COURSE
from tests.servers import SECRET_KEY, Postgres, Redis, free_port
from tests.waiting import wait_until

pytestmark = pytest.mark.thorough

SAFE = {
    "strict-transport-security": "max-age=63072000",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "strict-origin-when-cross-origin",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
}


@dataclass
class Production:
    """Two servers behind one proxy."""

    url: str
    plain_url: str
    folder: Path
    settings: dict[str, object]
    database_url: str
    ports: list[int] = field(default_factory=lambda: [free_port(), free_port()])
    running: dict[int, ExitStack] = field(default_factory=dict)
    servers: dict[int, OwnServer] = field(default_factory=dict)

    def start(self, number: int) -> None:
        """Start one of the servers."""
        stack = ExitStack()
        self.servers[number] = stack.enter_context(
            own_server(
                self.folder / f"server-{number}.log", self.url, self.database_url,
                port=self.ports[number], **self.settings,
            )
        )  # fmt: skip
        self.running[number] = stack

    def stop(self, number: int) -> None:
        """Stop one of them as an upgrade does."""
        self.servers[number].process.send_signal(signal.SIGTERM)
        assert self.servers[number].process.wait(timeout=15) == 0
        self.running.pop(number).close()

    def close(self) -> None:
        """Stop what still runs."""
        for stack in self.running.values():
            stack.close()


@pytest.fixture(scope="module")
def _production(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Production]:
    """Run all parts of production on this machine."""
    folder = tmp_path_factory.mktemp("production")
    secure, plain = free_port(), free_port()
    with Postgres.started() as postgres, Redis.started() as redis, ExitStack() as stack:
        settings: dict[str, object] = {
            "env": "production", "secret_key": SECRET_KEY, "redis_url": redis.url, "trusted_proxy_hops": 1,
            "mpesa_simulator_in_production": "true",
        }  # fmt: skip
        production_site = Production(
            f"https://localhost:{secure}", f"http://localhost:{plain}", folder, settings, postgres.fresh_database()
        )  # fmt: skip
        stack.callback(production_site.close)
        for number in (0, 1):
            production_site.start(number)
        with caddy(folder, secure, plain, production_site.ports):
            yield production_site


@pytest.fixture
def production(_production: Production) -> Production:
    """Run production until the proxy has found both servers."""
    for number in {0, 1} - _production.running.keys():
        _production.start(number)
    wait_until(lambda: httpx.get(f"{_production.url}/about", verify=False, timeout=20).status_code == 200)
    return _production


@pytest.fixture
def https_client(production: Production) -> Iterator[httpx.Client]:
    # The certificate is Caddy's own; what it proves is not asked here.
    with httpx.Client(base_url=production.url, verify=False) as http_client:
        yield http_client


def test_the_proxy_passes_on_what_the_site_says_and_hides_what_is_for_the_machinery(
    production: Production, https_client: httpx.Client
) -> None:
    page = https_client.get("/about", headers={"Accept-Encoding": "br", "X-Request-ID": "claimed-by-visitor"})
    assert page.status_code == 200
    assert page.headers["content-encoding"] == "br"
    assert {name: page.headers[name] for name in SAFE} == SAFE
    assert "server" not in page.headers
    assert page.headers["x-request-id"] != "claimed-by-visitor"
    assert https_client.get("/About/?a=1").headers["location"] == "/about?a=1"
    assert https_client.get("/nothing").status_code == 404
    for hidden in (
        "/healthz",
        "/readyz",
        "/readyz/callbacks",
        "/metrics",
        "/simulator/mpesa/oauth/v1/generate",
    ):
        answer = https_client.get(hidden)
        assert (answer.status_code, answer.content) == (404, b"")
        assert {name: answer.headers[name] for name in SAFE} == SAFE
    plain = httpx.get(f"{production.plain_url}/about")
    assert plain.status_code == 308
    assert plain.headers["location"].startswith("https://localhost")
    for size in (100_000, 2_000_000):
        too_large = https_client.post("/api/book", content=b"x" * size)
        assert too_large.status_code == 413
        assert {name: too_large.headers[name] for name in SAFE} == SAFE


def test_an_address_is_counted_once_over_all_servers_whatever_it_claims(https_client: httpx.Client) -> None:
    statuses = [
        https_client.post(
            "/api/book", json={}, headers={"X-Forwarded-For": f"203.0.113.{number}"}
        ).status_code
        for number in range(12)
    ]
    assert statuses == [422] * 10 + [429] * 2


def test_an_open_page_survives_an_upgrade_of_all_servers_one_after_the_other(
    production: Production, open_page: Opener
) -> None:
    page = open_page(
        f"{production.url}/payment?course={PAID_COURSE.slug}",
        ignore_https_errors=True,
        expect=(*BROKEN, "502"),
    )
    more = page.get_by_role("button", name="One place more")
    more.click()
    expect(
        page.get_by_role("button", name=f"Pay {kes(2 * PAID_COURSE.payment_price)}", exact=True)
    ).to_be_visible()
    for number in (0, 1):
        production.stop(number)
        more.click()
        total = f"Pay KES {PAID_COURSE.payment_price * (number + 3):,}"
        expect(page.get_by_role("button", name=total, exact=True)).to_be_visible()
        if number == 0:
            production.start(0)
    page.close()


def test_while_no_server_responds_the_proxy_shows_a_message(
    production: Production, https_client: httpx.Client
) -> None:
    for number in tuple(production.running):
        production.stop(number)
    answer = https_client.get("/about", timeout=20)
    assert answer.status_code in {502, 503}
    assert "Back in a moment" in answer.text
    assert answer.headers["retry-after"] == "30"
    assert {name: answer.headers[name] for name in SAFE} == SAFE
    assert "remote_ip" not in (production.folder / "caddy.log").read_text().replace('"127.0.0.0"', "")
