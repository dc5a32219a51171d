"""The mail screens over the database and over HTTP: list, resending, preview, files."""

import re
from datetime import datetime

import httpx
import pytest
from sqlmodel import col, update

from agency_site.auth.rules import Role, Staff
from agency_site.backoffice.lists.definition import ActionOptions, read_query
from agency_site.backoffice.lists.query import count_of, page_of
from agency_site.backoffice.lists.state import lines_of
from agency_site.backoffice.outbox.mails import MAILS
from agency_site.db.engine import read_scope, session_scope
from agency_site.mail.personal_data import erase
from agency_site.mail.rules import MailFailure, MailState
from agency_site.mail.staff_usecases import (
    count_resendable_failures,
    count_unresolved_failures,
    resend_failures,
)
from agency_site.mail.tables import OutboxMessage
from tests.integration.mail.outbox import CALENDAR, list_rows, store_message
from tests.integration.staff_sessions import session_header

pytestmark = pytest.mark.usefixtures("database")

WHO = Staff(1, "wanjiku@mwanga.example", "Wanjiku", Role.FRONT_DESK, 1, "127.0.0.1")
(AGAIN,) = MAILS.definition.actions


async def list_rows_shown(**query: str) -> list[dict[str, str]]:
    list_query = read_query(MAILS.definition, query)
    async with read_scope() as session:
        lines = lines_of(MAILS.definition, list_query, await page_of(session, MAILS.definition, list_query))
        assert await count_of(session, MAILS.definition, list_query) == len(lines)
    return [{field.label: field.text for field in line.fields} for line in lines]


async def fail(identity: int) -> None:
    async with session_scope() as session:
        values = {"state": MailState.FAILED, "failure": MailFailure.REFUSED, "last_error": "550 no such user"}
        await session.exec(update(OutboxMessage).where(col(OutboxMessage.id) == identity).values(**values))


async def resend(*references: str) -> list[str]:
    """Return why each message was not resent."""
    async with session_scope() as session:
        return [why_not for _, why_not in await AGAIN.run(session, references, WHO, ActionOptions())]


async def test_the_list_shows_what_was_sent_where_and_why_it_was_not(noon: datetime) -> None:
    await store_message("Your consultation", "amina@shop.example")
    await store_message("Your receipt", "brian@shop.example")
    await fail(1)
    newest, failed = await list_rows_shown()
    assert (newest["To"], newest["Subject"], newest["State"]) == (
        "brian@shop.example",
        "Your receipt",
        "Not sent",
    )
    assert (failed["State"], failed["Error"]) == ("Failed", "550 no such user")
    assert [row["To"] for row in await list_rows_shown(state="failed")] == ["amina@shop.example"]
    assert [row["To"] for row in await list_rows_shown(q="brian receipt")] == ["brian@shop.example"]
    assert len(await list_rows_shown(kind="booking-confirmed")) == 2
    assert await list_rows_shown(kind="staff-comment") == []


async def test_several_are_sent_again_at_once_and_the_others_say_why_not(noon: datetime) -> None:
    await store_message("One")
    await store_message("Two", "brian@shop.example")
    await store_message("Three", "erased@shop.example")
    async with session_scope() as session:
        await erase(session, "erased@shop.example", "", WHO.email)
    first, second, erased = await resend("1", "2", "3")
    assert (first, second) == ("", "")
    assert "erased" in erased
    assert "less than a minute ago" in (await resend("1"))[0]
    assert [(row.original_id, row.requested_by) for row in (await list_rows())[3:]] == [
        (1, WHO.email),
        (2, WHO.email),
    ]
    (by, *_) = await list_rows_shown(columns="by")
    assert by == {"Resent by": WHO.email}
    assert {row["To"] for row in await list_rows_shown(state="kept")} >= {"Erased"}


async def test_all_failed_mails_are_sent_again_together(noon: datetime) -> None:
    for number in range(4):
        await store_message(f"Number {number}")
    for identity in (1, 2, 3):
        await fail(identity)
    async with session_scope() as session:
        one_time = update(OutboxMessage).where(col(OutboxMessage.id) == 3).values(kind="staff-reset")
        await session.exec(one_time)
    async with session_scope() as session:
        assert await count_unresolved_failures(session) == 3
        assert await count_resendable_failures(session) == 2
        assert await resend_failures(session, WHO.email) == ("1", "2")
        assert await count_resendable_failures(session) == 0
    assert [(row.original_id, row.requested_by) for row in (await list_rows())[4:]] == [
        (1, WHO.email),
        (2, WHO.email),
    ]


async def test_a_preview_runs_no_scripts_and_loads_nothing(client: httpx.AsyncClient) -> None:
    await store_message()
    answer = await client.get("/admin/export/mail/1", headers=await session_header(Role.FRONT_DESK))
    assert answer.status_code == 200
    assert "Your consultation is booked" in answer.text
    policy = answer.headers["content-security-policy"].split("; ")
    assert {"default-src 'none'", "form-action 'none'", "frame-ancestors 'self'", "sandbox"} <= set(policy)
    assert not any("script" in part or "allow-" in part for part in policy)
    assert (answer.headers["cache-control"], answer.headers["referrer-policy"]) == ("no-store", "no-referrer")
    links = re.findall(r'<a href="http[^>]*>', answer.text)
    # The sandbox refuses new tabs, so that staff do not follow a client's private link by mistake.
    assert links
    assert all('target="_blank"' in link for link in links)


async def test_attachments_are_downloaded_as_they_were_sent(client: httpx.AsyncClient) -> None:
    await store_message()
    who = await session_header()
    first = await client.get("/admin/export/mail/1/files/0", headers=who)
    assert first.content == CALENDAR
    assert first.headers["content-disposition"] == "attachment; filename*=UTF-8''invitation.ics"
    assert (await client.get("/admin/export/mail/1/files/1", headers=who)).headers[
        "content-type"
    ] == "application/pdf"
    assert (await client.get("/admin/export/mail/1/files/2", headers=who)).status_code == 404
    assert (await client.get("/admin/export/mail/7", headers=who)).status_code == 404


@pytest.mark.parametrize("path", ["/admin/export/mail/1", "/admin/export/mail/1/files/0"])
async def test_strangers_and_viewers_read_no_mail(client: httpx.AsyncClient, path: str) -> None:
    await store_message()
    assert (await client.get(path)).status_code == 401
    assert (await client.get(path, headers=await session_header(Role.VIEWER))).status_code == 403
