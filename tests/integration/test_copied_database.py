"""A copy of the database opens no private page and no account."""

import json
import re
from base64 import b64decode
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from io import BytesIO

import httpx
import pytest
from fastapi.routing import APIRoute
from pypdf import PdfReader
from sqlalchemy import inspect, text

from agency_site.auth import accounts
from agency_site.auth.one_time_links import make_setup_link
from agency_site.auth.rules import Role
from agency_site.db.engine import engine, session_scope
from agency_site.db.sealed_columns import LOST_LINK
from agency_site.errors import Conflict
from agency_site.mail.mime import compose_message
from agency_site.mail.rules import MailFailure, MailState
from agency_site.mail.staff_usecases import preview_message, resend_failures, resend_message
from agency_site.mail.tables import OutboxMessage
from agency_site.mail.usecases import enqueue, enqueue_all, store_shared_body
from tests.every_mail import Texts, every_mail
from tests.example_records import WEBINAR
from tests.http_clients import ORIGIN
from tests.integration.features.academy import learners, waiting
from tests.integration.features.booking.test_api import BODY as BOOKING
from tests.integration.features.comments.test_receiving import COMMENT
from tests.integration.features.newsletter import readers
from tests.integration.features.webinars.test_registrations import FORM as REGISTRATION
from tests.integration.mail.outbox import build_message, list_rows
from tests.integration.posted_forms import stamped
from tests.integration.shared_api import shared_api
from tests.integration.staff_sessions import OWNER, session_header

pytestmark = pytest.mark.usefixtures("database", "noon")
TOKEN = re.compile(r"[\w-]{20,}")
UNKNOWN = "x" * 32
_FOLD = re.compile(rb"\r\n[ \t]")


def unpack(value: object) -> str:
    """A stored value as a reader of the copy sees it: files are decoded, documents are read."""
    if isinstance(value, dict):
        return " ".join(map(unpack, (*value.keys(), *value.values())))
    if isinstance(value, list | tuple):
        return " ".join(map(unpack, value))
    content = value if isinstance(value, bytes) else b""
    if isinstance(value, str) and value[:1] in ("{", "["):
        with suppress(ValueError):
            return unpack(json.loads(value))
    if isinstance(value, str):
        with suppress(ValueError):
            content = b64decode(value, validate=True)
    if content.startswith(b"%PDF"):
        pages = PdfReader(BytesIO(content)).pages
        uris = [str(note.get_object()) for page in pages for note in page.get("/Annots", ())]
        return " ".join([*uris, *(page.extract_text() for page in pages)])
    return f"{value} {_FOLD.sub(b'', content).decode(errors='replace')}"


async def copy_database() -> str:
    """Return all rows of all tables, read without the site's code."""
    async with engine().connect() as connection:
        names = await connection.run_sync(lambda plain: inspect(plain).get_table_names())
        rows = [row for name in names for row in await connection.execute(text(f'SELECT * FROM "{name}"'))]
    return "\n".join(unpack(value) for row in rows for value in row)


def private_routes() -> set[str]:
    """The addresses of all pages that a token opens."""
    return {
        route.path
        for route in shared_api().routes
        if isinstance(route, APIRoute) and "{token}" in route.path and "GET" in (route.methods or ())
    }


async def fill_database(visitor: httpx.AsyncClient) -> None:
    """One record of each kind that has a private page."""
    await visitor.post("/api/book", json=BOOKING)
    await visitor.post("/comment", data=stamped(COMMENT))
    await visitor.post(f"/webinar/{WEBINAR.id}", data=stamped(REGISTRATION))
    await waiting.join(await waiting.fill_run())
    await learners.buy()
    await readers.join()
    async with session_scope() as session:
        assert await make_setup_link(session)
    await session_header(Role.OWNER)
    async with session_scope() as session:
        await accounts.invite(session, "brian@mwanga.example", "Brian Otieno", Role.FINANCE, OWNER)


async def test_nothing_in_a_copy_opens_a_page(
    visitor: httpx.AsyncClient, configure: Callable[..., object]
) -> None:
    configure(form_minimum_seconds=0)
    await fill_database(visitor)
    mails = "\n".join(row.text for row in await list_rows())
    links = set(re.findall(rf"{re.escape(ORIGIN)}(/[\w/-]+/[\w-]{{20,}})", mails))
    assert {link.rpartition("/")[0] for link in links} >= {
        "/admin/invitation", "/booking", "/comment", "/learner", "/newsletter/confirm", "/registration",
    }  # fmt: skip
    assert {link: (await visitor.get(link)).status_code for link in links} == dict.fromkeys(links, 200)

    tokens = set(TOKEN.findall(await copy_database()))
    assert tokens
    for route in sorted(private_routes()):
        unknown = (await visitor.get(route.replace("{token}", UNKNOWN))).status_code
        opened = [
            token for token in tokens
            if (await visitor.get(route.replace("{token}", token))).status_code != unknown
        ]  # fmt: skip
        assert (route, opened) == (route, [])


async def test_no_stored_mail_holds_a_link_that_only_its_recipient_may_use() -> None:
    async with session_scope() as session:
        mails = every_mail(Texts(), await store_shared_body(session, "Prices *rise*."))
        await enqueue_all(session, mails)
    links = {link for mail in mails.values() for _, link in (*mail.actions, *mail.links)}
    private = {link for link in links if link.startswith(ORIGIN) and TOKEN.search(link)}
    copied = await copy_database()
    assert private
    assert [link for link in private if link in copied] == []


@pytest.fixture
async def lost(visitor: httpx.AsyncClient, configure: Callable[..., object]) -> int:
    """A failed mail whose key the site no longer has."""
    await visitor.post("/api/book", json=BOOKING)
    async with session_scope() as session:
        (row,) = [row for row in await list_rows() if row.kind == "booking-confirmed"]
        row.state, row.failure = MailState.FAILED, MailFailure.GIVEN_UP
        await session.merge(row)
    configure(secret_key="another-secret-key")
    return row.id or 0


async def test_a_mail_keeps_its_links_while_the_earlier_key_is_configured(
    lost: int, configure: Callable[..., object]
) -> None:
    configure(old_secret_keys="development-only-secret")
    (row,) = [row for row in await list_rows() if row.id == lost]
    assert f"{ORIGIN}/booking/" in row.text


async def test_a_mail_without_its_key_is_shown_and_never_sent(lost: int) -> None:
    (row,) = [row for row in await list_rows() if row.id == lost]
    with pytest.raises(ValueError, match=re.escape(LOST_LINK)):
        compose_message(row)
    async with session_scope() as session:
        assert "Your consultation is booked" in (await preview_message(session, lost)).text
        with pytest.raises(Conflict, match="secret key has changed"):
            await resend_message(session, lost, OWNER.email)


async def test_a_mail_without_its_key_does_not_keep_other_failed_mails_from_being_sent(lost: int) -> None:
    async with session_scope() as session:
        other = await enqueue(session, build_message())
        row = await session.get_one(OutboxMessage, other)
        row.state, row.failure = MailState.FAILED, MailFailure.GIVEN_UP
        session.add(row)
    async with session_scope() as session:
        assert await resend_failures(session, OWNER.email) == (str(other),)
    assert [row.original_id for row in await list_rows()].count(lost) == 0


async def test_an_encrypted_link_that_a_visitor_copies_is_not_decrypted(visitor: httpx.AsyncClient) -> None:
    await visitor.post("/api/book", json=BOOKING)
    sealed = re.findall(r"\x1e[\w=-]+\x1e", await copy_database())[0]
    answer = await visitor.post("/api/book", json={**BOOKING, "time": "14:00", "message": f"Hello {sealed}"})
    assert answer.status_code == 422
    async with session_scope() as session:
        await enqueue(session, replace(build_message(), paragraphs=(f"Hello {sealed}",)))
    assert sealed.strip("\x1e") in (await list_rows())[-1].text
