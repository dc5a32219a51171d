"""PostgreSQL has ended: through the proxy of `deploy/` the site still shows its published pages."""

import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from tests.api_servers import api_servers
from tests.caddy import caddy
from tests.servers import Postgres, free_port
from tests.waiting import wait_until

pytestmark = pytest.mark.thorough

FACTORY = "tests.integration.web.small_site_server:create"
BOOKING = {
    "fullname": "Amina Odhiambo", "emailaddress": "amina@example.com", "phonenumber": "0712 345 678",
    "date": "2030-03-06", "time": "10:00",
}  # fmt: skip


CHECKED_SECONDS = 6
"""Seconds within which the proxy has checked each server twice."""


def visits(client: httpx.Client) -> Iterator[httpx.Response]:
    """Return responses to visitors until the proxy's health checks have taken effect."""
    end = time.monotonic() + CHECKED_SECONDS
    while time.monotonic() < end:
        for path in ("/", "/about", "/services/web-design"):
            yield client.get(path)


def test_published_pages_are_served_while_the_database_is_away(tmp_path: Path) -> None:
    secure = free_port()
    with Postgres.started() as postgres:
        url = postgres.fresh_database()
        with (
            api_servers(2, url, factory=FACTORY, journal_folder=tmp_path / "journal") as servers,
            caddy(tmp_path, secure, free_port(), [httpx.URL(server).port or 0 for server in servers]),
            httpx.Client(base_url=f"https://localhost:{secure}", verify=False, timeout=30) as client,
        ):
            wait_until(lambda: client.get("/about").status_code == 200)
            postgres.stop()
            wait_until(lambda: all(httpx.get(f"{each}/readyz").status_code == 503 for each in servers))
            answers = list(visits(client))
            assert {answer.status_code for answer in answers} == {200}
            assert max(answer.elapsed.total_seconds() for answer in answers) < 3
            refused = client.post("/api/book", json=BOOKING)
            assert refused.status_code == 503
            assert "Back in a moment" not in refused.text
            assert refused.headers["retry-after"]
            postgres.start()
            wait_until(lambda: all(httpx.get(f"{each}/readyz").status_code == 200 for each in servers))
            assert client.get("/api/slots", params={"date": "2030-03-06"}).status_code == 200
