"""Over plain http the proxy leads people to https and refuses programs."""

from collections.abc import Iterator

import httpx
import pytest

from tests.caddy import caddy
from tests.servers import free_port

pytestmark = pytest.mark.thorough


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Iterator[httpx.Client]:
    """A client of the plain port; no server is behind the proxy."""
    secure, port = free_port(), free_port()
    folder = tmp_path_factory.mktemp("caddy")
    with (
        caddy(folder, secure, port, [free_port()]),
        httpx.Client(base_url=f"http://localhost:{port}") as client,
    ):
        client.headers["X-Secure"] = f"https://localhost:{secure}"
        yield client


@pytest.mark.parametrize("path", ["/", "/about", "/book?day=2026-11-24", "/admin/sign-in", "/blog/a-post"])
@pytest.mark.parametrize("method", ["GET", "HEAD"])
def test_a_page_is_redirected(plain: httpx.Client, method: str, path: str) -> None:
    answer = plain.request(method, path)
    assert (answer.status_code, answer.headers["location"]) == (308, plain.headers["X-Secure"] + path)
    assert answer.headers["strict-transport-security"]


def test_the_redirect_leads_to_the_site_whatever_host_is_claimed(plain: httpx.Client) -> None:
    answer = plain.get("/about", headers={"Host": "evil.example"})
    assert answer.headers["location"] == f"{plain.headers['X-Secure']}/about"


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("POST", "/api/stkpush"),
        ("POST", "/api/paybill/secret/confirmation"),
        ("POST", "/api/mpesa/callback/secret/attempt"),
        ("GET", "/api/slots?date=2026-11-24"),
        ("GET", "/api/orders/token/receipt.pdf"),
        ("GET", "/learner/token/certificate.pdf"),
        ("GET", "/calendar/token.ics"),
        ("GET", "/calendar/token"),
        ("GET", "/admin/export/orders.csv"),
        ("GET", "/_event/?EIO=4"),
        ("POST", "/book"),
        ("POST", "/admin/sign-in"),
        ("PUT", "/about"),
        ("OPTIONS", "/about"),
    ],
)
def test_everything_else_is_refused(plain: httpx.Client, method: str, path: str) -> None:
    answer = plain.request(method, path)
    assert (answer.status_code, "location" in answer.headers) == (403, False)
    assert answer.headers["x-content-type-options"] == "nosniff"
