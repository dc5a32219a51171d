"""The back office shows no private or one-time link of another person, in whatever mail it occurs."""

import json
import re
from datetime import datetime
from io import BytesIO
from urllib.parse import urlsplit

import httpx
import pytest
from pypdf import PdfReader

from agency_site.auth.rules import Role
from agency_site.backoffice.lists.definition import ListQuery, read_query
from agency_site.backoffice.lists.export import lines_of_export
from agency_site.backoffice.lists.query import attention_count, page_of
from agency_site.backoffice.lists.state import lines_of
from agency_site.backoffice.outbox.mails import MAILS
from agency_site.db.engine import read_scope, session_scope
from agency_site.errors import Conflict
from agency_site.mail.personal_data import export
from agency_site.mail.redaction import HIDDEN
from agency_site.mail.rules import ONE_TIME_KINDS, MailFailure, MailState, Message
from agency_site.mail.staff_usecases import find_messages_about, preview_message, resend_message
from agency_site.mail.usecases import enqueue, enqueue_all, store_shared_body
from agency_site.settings import settings
from tests.every_mail import TOKEN, Texts, every_mail
from tests.integration.mail.outbox import list_rows
from tests.integration.staff_sessions import session_header

STAFF = "front-desk@mwanga.example"


@pytest.fixture
async def mails(database: str, noon: datetime) -> dict[str, Message]:
    """Store one mail of every builder in the outbox."""
    assert database
    assert noon
    async with session_scope() as session:
        messages = every_mail(Texts(), await store_shared_body(session, "Prices *rise*."))
        await enqueue_all(session, messages)
    return messages


def secrets_of(mails: dict[str, Message]) -> set[str]:
    """Return every address with which a recipient can act, and its token."""
    addresses = {address for mail in mails.values() for _, address in (*mail.actions, *mail.links)}
    longest_parts = {max(re.split(r"[/=]", address), key=len) for address in addresses if len(address) > 60}
    # A link of staff to a screen has no token.
    return addresses | (longest_parts - {urlsplit(settings().site_url).netloc}) | {TOKEN}


def readable(content: bytes) -> str:
    """Return the text of a file: of a PDF, or the unfolded lines of a calendar."""
    if content.startswith(b"%PDF"):
        return "".join(page.extract_text() for page in PdfReader(BytesIO(content)).pages)
    return re.sub(r"\r\n[ \t]", "", content.decode())


async def over_http(client: httpx.AsyncClient) -> str:
    """Return every message's page and each of its files."""
    seen = []
    for row in await list_rows():
        seen.append((await client.get(f"/admin/export/mail/{row.id}")).text)
        for position in range(len(row.attachments)):
            answer = await client.get(f"/admin/export/mail/{row.id}/files/{position}")
            assert answer.status_code == 200
            seen.append(readable(answer.content))
    return "\n".join(seen)


async def on_screens() -> str:
    """Return the texts of the message's page, the list with all columns, its export, the search and a record's page."""
    every = {"columns": ",".join(column.key for column in MAILS.definition.columns)}
    seen: list[object] = []
    async with read_scope() as session:
        for row in await list_rows():
            seen.append(await preview_message(session, row.id or 0))
            seen.extend(await find_messages_about(session, row.about))
        for query in (every, every | {"q": TOKEN}, every | {"q": "booking"}):
            list_query = read_query(MAILS.definition, query)
            seen.extend(
                lines_of(MAILS.definition, list_query, await page_of(session, MAILS.definition, list_query))
            )
    seen.extend(
        [chunk async for chunk in lines_of_export(MAILS.definition, read_query(MAILS.definition, every))]
    )
    return str(seen)


async def test_no_rendering_for_staff_shows_a_private_link(
    mails: dict[str, Message], client: httpx.AsyncClient
) -> None:
    client.headers.update(await session_header(Role.FRONT_DESK))
    async with read_scope() as session:
        exported = json.dumps(await export(session, Texts().email, ""))
    for seen in (await over_http(client), await on_screens(), exported):
        assert HIDDEN in seen
        assert [secret for secret in secrets_of(mails) if secret in seen] == []


async def test_the_recipient_still_gets_every_link(mails: dict[str, Message]) -> None:
    bodies = "\n".join(row.text + row.html for row in await list_rows()).replace("&amp;", "&")
    assert [secret for secret in secrets_of(mails) if secret not in bodies] == []


async def test_no_search_finds_a_mail_by_its_link(mails: dict[str, Message]) -> None:
    async with read_scope() as session:
        for words in secrets_of(mails):
            if len(words) > 30:
                assert not await page_of(session, MAILS.definition, ListQuery(words=words))


def test_every_mail_about_a_staff_account_carries_a_one_time_link(mails: dict[str, Message]) -> None:
    builders = {name: mail for name, mail in mails.items() if name.startswith("agency_site.auth.")}
    assert {mail.kind for mail in builders.values()} == ONE_TIME_KINDS


@pytest.mark.parametrize("kind", sorted(ONE_TIME_KINDS))
async def test_a_mail_with_a_one_time_link_is_not_sent_again(mails: dict[str, Message], kind: str) -> None:
    (row,) = [row for row in await list_rows() if row.kind == kind]
    async with session_scope() as session:
        with pytest.raises(Conflict, match="owner"):
            await resend_message(session, row.id or 0, STAFF)
    assert len(await list_rows()) == len(mails)


async def test_a_visitors_mail_is_resent_to_its_stored_recipient_with_its_link(
    mails: dict[str, Message],
) -> None:
    (row,) = [row for row in await list_rows() if row.kind == "registration-confirmed"]
    async with session_scope() as session:
        line = await resend_message(session, row.id or 0, STAFF)
    assert TOKEN not in str(line)
    again = (await list_rows())[-1]
    assert (again.to, again.text, again.attachments) == (row.to, row.text, row.attachments)
    assert mails


async def test_a_failed_invitation_asks_for_attention_until_a_new_one_is_sent(
    mails: dict[str, Message],
) -> None:
    (row,) = [row for row in await list_rows() if row.kind == "staff-invitation"]
    async with session_scope() as session:
        row.state, row.failure = MailState.FAILED, MailFailure.REFUSED
        await session.merge(row)
    async with session_scope() as session:
        assert await attention_count(session, MAILS.definition) == 1
        await enqueue(session, mails["agency_site.auth.emails.invitation"])
        assert await attention_count(session, MAILS.definition) == 0
