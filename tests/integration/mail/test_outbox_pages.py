"""The development outbox in the browser."""

from collections.abc import AsyncIterator, Callable

import httpx
import pytest
from fastapi import FastAPI

from agency_site.mail.api import router
from agency_site.settings import Settings
from tests.integration.mail.outbox import CALENDAR, put, rows


@pytest.fixture
async def browser(database: str) -> AsyncIterator[httpx.AsyncClient]:
    site = FastAPI()
    site.include_router(router)
    async with httpx.AsyncClient(
        transport=httpx.ASGITransport(site), base_url="http://localhost:3000"
    ) as client:
        yield client


async def test_the_empty_outbox_says_so(browser: httpx.AsyncClient) -> None:
    page = await browser.get("/outbox")
    assert page.status_code == 200
    assert "Nothing yet" in page.text


async def test_messages_are_listed_and_shown_in_a_sandbox(browser: httpx.AsyncClient) -> None:
    await put("Hello <b>Amina</b>")
    (row,) = await rows()
    listing = (await browser.get("/outbox")).text
    assert f'href="/outbox/{row.id}"' in listing
    assert "Hello &lt;b&gt;Amina&lt;/b&gt;" in listing
    answer = await browser.get(f"/outbox/{row.id}")
    assert 'sandbox="allow-popups allow-popups-to-escape-sandbox" srcdoc="' in answer.text
    assert "Hello Amina." in answer.text
    assert "<b>Amina</b>" not in answer.text
    assert "default-src 'none'" in answer.headers["Content-Security-Policy"]


async def test_files_come_back_byte_for_byte(browser: httpx.AsyncClient) -> None:
    await put()
    (row,) = await rows()
    answer = await browser.get(f"/outbox/{row.id}/files/0")
    assert answer.content == CALENDAR
    assert answer.headers["Content-Type"] == "text/calendar; method=REQUEST; charset=utf-8"
    assert "invitation.ics" in answer.headers["Content-Disposition"]
    assert answer.headers["Content-Disposition"].startswith("attachment")


@pytest.mark.parametrize("path", ["/outbox/99", "/outbox/99/files/0"])
async def test_what_does_not_exist_is_not_found(browser: httpx.AsyncClient, path: str) -> None:
    assert (await browser.get(path)).status_code == 404


async def test_a_file_beyond_the_last_is_not_found(browser: httpx.AsyncClient) -> None:
    await put()
    (row,) = await rows()
    assert (await browser.get(f"/outbox/{row.id}/files/2")).status_code == 404


@pytest.mark.parametrize("path", ["/outbox/0", f"/outbox/{2**40}", "/outbox/x", "/outbox/1/files/-1"])
async def test_bad_numbers_are_refused(browser: httpx.AsyncClient, path: str) -> None:
    assert (await browser.get(path)).status_code == 422


@pytest.mark.parametrize("host", ["evil.example", "localhost.evil.example", "192.168.1.7:3000", "", "[::"])
async def test_a_name_that_is_not_the_site_s_shows_nothing(browser: httpx.AsyncClient, host: str) -> None:
    await put()
    (row,) = await rows()
    for path in ("/outbox", f"/outbox/{row.id}", f"/outbox/{row.id}/files/0"):
        answer = await browser.get(path, headers={"Host": host})
        assert answer.status_code == 421
        assert "Amina" not in answer.text
        assert (await browser.get(path, headers={"Host": "127.0.0.1:8000"})).status_code == 200


async def test_under_an_address_of_its_own_the_outbox_answers_there_only(
    browser: httpx.AsyncClient, configure: Callable[..., Settings]
) -> None:
    configure(public_url="https://agency.example")
    assert (await browser.get("/outbox", headers={"Host": "agency.example"})).status_code == 200
    assert (await browser.get("/outbox")).status_code == 421


@pytest.mark.parametrize("live", [{"env": "production"}, {"smtp_host": "mail.example"}])
async def test_nothing_is_shown_in_production_or_once_mail_leaves(
    browser: httpx.AsyncClient, configure: Callable[..., Settings], live: dict[str, str]
) -> None:
    await put()
    (row,) = await rows()
    configure(**live)
    for path in ("/outbox", f"/outbox/{row.id}", f"/outbox/{row.id}/files/0"):
        answer = await browser.get(path)
        assert answer.status_code == 404
        assert "Amina" not in answer.text
