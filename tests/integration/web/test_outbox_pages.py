"""The development pages of the outbox."""

from collections.abc import AsyncIterator, Callable

import httpx
import pytest
from fastapi import FastAPI

from agency_site.settings import Settings
from agency_site.web.serving.outbox_pages import router
from tests.http_clients import client_of
from tests.integration.mail.outbox import CALENDAR, list_rows, store_message
from tests.integration.sms.messages import build_text, enqueue


@pytest.fixture
async def client(database: str) -> AsyncIterator[httpx.AsyncClient]:
    """A client on this machine of the pages of the outbox alone."""
    assert database
    site = FastAPI()
    site.include_router(router)
    async with client_of(site, "127.0.0.1") as http:
        yield http


async def test_an_empty_outbox_has_a_notice(client: httpx.AsyncClient) -> None:
    page = await client.get("/outbox")
    assert page.status_code == 200
    assert "Nothing yet" in page.text


async def test_messages_are_listed_and_shown_in_a_sandbox(client: httpx.AsyncClient) -> None:
    await store_message("Hello <b>Amina</b>")
    (row,) = await list_rows()
    list_page = (await client.get("/outbox")).text
    assert f'href="/outbox/{row.id}"' in list_page
    assert "Hello &lt;b&gt;Amina&lt;/b&gt;" in list_page
    response = await client.get(f"/outbox/{row.id}")
    assert 'sandbox="allow-popups allow-popups-to-escape-sandbox" srcdoc="' in response.text
    assert "Hello Amina." in response.text
    assert "<b>Amina</b>" not in response.text
    assert "default-src 'none'" in response.headers["Content-Security-Policy"]


async def test_text_messages_are_listed_beside_mails_with_links(client: httpx.AsyncClient) -> None:
    await enqueue(build_text(text="Hello <b>Amina</b>, see http://localhost:3000/s/ABC"))
    page = (await client.get("/outbox")).text
    assert "0712 345 678" in page
    assert "Hello &lt;b&gt;Amina&lt;/b&gt;, see" in page
    assert '<a href="http://localhost:3000/s/ABC"' in page
    assert "booking-confirmed · 1 part" in page
    assert '<b class="state queued">queued</b>' in page


async def test_attachments_are_downloaded_unchanged(client: httpx.AsyncClient) -> None:
    await store_message()
    (row,) = await list_rows()
    response = await client.get(f"/outbox/{row.id}/files/0")
    assert response.content == CALENDAR
    assert response.headers["Content-Type"] == "text/calendar; method=REQUEST; charset=utf-8"
    assert "invitation.ics" in response.headers["Content-Disposition"]
    assert response.headers["Content-Disposition"].startswith("attachment")


@pytest.mark.parametrize("path", ["/outbox/99", "/outbox/99/files/0"])
async def test_unknown_messages_are_not_found(client: httpx.AsyncClient, path: str) -> None:
    assert (await client.get(path)).status_code == 404


async def test_an_unknown_attachment_is_not_found(client: httpx.AsyncClient) -> None:
    await store_message()
    (row,) = await list_rows()
    assert (await client.get(f"/outbox/{row.id}/files/2")).status_code == 404


@pytest.mark.parametrize("path", ["/outbox/0", f"/outbox/{2**40}", "/outbox/x", "/outbox/1/files/-1"])
async def test_invalid_numbers_are_rejected(client: httpx.AsyncClient, path: str) -> None:
    assert (await client.get(path)).status_code == 422


@pytest.mark.parametrize("host", ["evil.example", "localhost.evil.example", "192.168.1.7:3000", "", "[::"])
async def test_a_foreign_host_name_is_rejected(client: httpx.AsyncClient, host: str) -> None:
    await store_message()
    (row,) = await list_rows()
    for path in ("/outbox", f"/outbox/{row.id}", f"/outbox/{row.id}/files/0"):
        response = await client.get(path, headers={"Host": host})
        assert response.status_code == 404
        assert "Amina" not in response.text
        assert (await client.get(path, headers={"Host": "127.0.0.1:8000"})).status_code == 200


@pytest.mark.parametrize("name", ["X-Forwarded-For", "Forwarded", "Via", "X-Real-IP", "CF-Connecting-IP"])
async def test_what_a_proxy_passes_on_is_rejected(client: httpx.AsyncClient, name: str) -> None:
    assert (await client.get("/outbox", headers={name: "127.0.0.1"})).status_code == 404


async def test_behind_a_public_address_only_its_own_machine_reads_it(
    client: httpx.AsyncClient, configure: Callable[..., Settings]
) -> None:
    configure(public_url="https://agency.example", env="development")
    assert (await client.get("/outbox", headers={"Host": "agency.example"})).status_code == 404
    assert (await client.get("/outbox")).status_code == 200


@pytest.mark.parametrize("live", [{"env": "production"}, {"smtp_host": "mail.example"}])
async def test_the_pages_do_not_exist_in_production_or_with_smtp(
    client: httpx.AsyncClient, configure: Callable[..., Settings], live: dict[str, str]
) -> None:
    await store_message()
    (row,) = await list_rows()
    configure(**live)
    for path in ("/outbox", f"/outbox/{row.id}", f"/outbox/{row.id}/files/0"):
        response = await client.get(path)
        assert response.status_code == 404
        assert "Amina" not in response.text
