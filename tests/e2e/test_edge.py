"""The edge of the real site: every published path, the handshake of the socket, a graceful stop."""

import json
import signal
import sqlite3
import time
from contextlib import closing
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import expect
from simple_websocket import ConnectionClosed

from agency_site.features.contact.state import ContactForm
from agency_site.web.build.publish import site_folder
from agency_site.web.serving.api import answers_page
from agency_site.web.serving.edge import BACK_OFFICE, NOT_FOUND_PAGE, Site
from agency_site.web.serving.shutdown import STOP_SECONDS
from tests.e2e.conftest import Opener, RunningSite, untouched
from tests.e2e.own_server import own_server
from tests.e2e.test_socket_blocked import attached
from tests.e2e.test_strangers import stranger
from tests.e2e.wire import BROKEN

pytestmark = pytest.mark.thorough

SAFE = {
    "x-content-type-options": "nosniff",
    "cross-origin-opener-policy": "same-origin",
    "x-frame-options": "DENY",
}
MENTIONED = (
    "referrer-policy", "permissions-policy", "cross-origin-resource-policy", "cache-control", "x-request-id",
)  # fmt: skip


def test_every_published_path_is_safe_has_one_spelling_and_is_sent_once(site: RunningSite) -> None:
    published = Site(site_folder(site.url))
    # Pages of private links have no address of their own.
    public = [
        path
        for path in published.pages
        if path != NOT_FOUND_PAGE and not BACK_OFFICE.match(path) and "-" not in path.split("/")
    ]
    # Pages that the server fills for a request are sent each time.
    filled = {
        path
        for path in public
        if answers_page({"type": "http", "method": "GET", "path": path, "query_string": b"", "headers": []})
    }
    pages = [path for path in public if path not in filled]
    files = [path for path in published.files if not path.endswith(".html")]
    assert {"/", "/book", "/google-ads"} <= filled
    assert len(public) > 50
    with httpx.Client(base_url=site.url, headers={"Accept-Encoding": "br"}) as client:
        for path in (*public, *files, "/nope", "/order/abc", "/healthz", "/_event/"):
            answer = client.get(path)
            headers = answer.headers
            assert {name: headers.get(name) for name in SAFE} == SAFE, path
            assert [name for name in MENTIONED if name not in headers] == [], path
            assert "frame-ancestors 'none'" in headers["content-security-policy"], path
        for path in (*pages, *files):
            first = client.get(path)
            assert first.status_code == 200, path
            again = client.get(path, headers={"If-None-Match": first.headers["etag"]})
            assert (again.status_code, again.content) == (304, b""), path
            lasting = path.startswith("/assets/")
            assert ("immutable" in first.headers["cache-control"]) is lasting, path
        for path in public:
            if path == "/":
                continue
            other = client.get(f"{path.upper()}/?a=1")
            assert (other.status_code, other.headers["location"]) == (308, f"{path}?a=1")


def test_a_refused_client_can_read_on_and_requests_in_flight_finish_before_the_end(
    site: RunningSite, open_page: Opener, tmp_path: Path
) -> None:
    database = tmp_path / "own.sqlite3"
    with own_server(
        tmp_path / "log", site.url, f"sqlite+aiosqlite:///{database}", open_sockets=1,
        allowed_origins="http://localhost:1", form_minimum_seconds=0,
    ) as server:  # fmt: skip
        # Its socket is refused, its form can be sent by HTTP: nothing to warn of.
        page = open_page(f"{server.url}/contact", ready=untouched, expect=BROKEN)
        with page.expect_response(lambda response: response.url.endswith("/healthz")):
            attached(page)
        expect(page.get_by_text("No connection to our desk just now.")).to_have_count(0)
        expect(page.get_by_role("heading", level=1)).to_be_visible()
        page.close()
        own = RunningSite(server.url, database, "", server.log)
        with stranger(own, "/contact") as visitor:
            with closing(sqlite3.connect(database, timeout=15, isolation_level=None)) as connection:
                connection.execute("BEGIN IMMEDIATE")
                form = {
                    "name": "Wanjiru",
                    "email": "wanjiru@shop.example",
                    "message": "Are you open on Saturday?",
                }
                visitor.send_and_wait(ContactForm.get_full_name(), "submit", {"form": form})
                server.process.send_signal(signal.SIGTERM)
                started_at = time.monotonic()
                with pytest.raises(ConnectionClosed):
                    visitor.wait_for("never")
                connection.execute("ROLLBACK")
            assert server.process.wait(timeout=15) == 0
            assert time.monotonic() - started_at < STOP_SECONDS + 1
        assert own.rows("SELECT count(*) FROM enquiries") == [(1,)]
        assert "Traceback" not in json.dumps(server.log.read_text())
