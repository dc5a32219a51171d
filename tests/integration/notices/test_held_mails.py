"""A notice that goes out as a text message is mailed, once, if that does not arrive."""

import asyncio
from base64 import b64decode
from dataclasses import replace
from datetime import datetime, timedelta

import pytest
from sqlalchemy import update
from sqlmodel import col, select

from agency_site import clock
from agency_site.db.engine import read_scope, session_scope
from agency_site.mail.rules import Attachment
from agency_site.mail.usecases import list_newest_messages
from agency_site.notices.jobs import send_held_mails
from agency_site.notices.personal_data import erase_mails, erase_notices_about
from agency_site.notices.rules import REMINDERS, Channel, NoticeKind
from agency_site.notices.tables import HeldMail
from agency_site.notices.usecases import Notice
from agency_site.sms import personal_data as texts
from agency_site.sms.africas_talking import EMPTY_ACCOUNT
from agency_site.sms.outcomes import PATIENCE
from agency_site.sms.rules import TextState
from agency_site.sms.tables import SmsMessage
from agency_site.sms.usecases import give_consent
from tests.integration.mail.outbox import build_message
from tests.integration.notices.test_notify import PAGE, build_notice, choose, send
from tests.integration.sms.conftest import SmsWorld
from tests.integration.sms.messages import NUMBER, deliver_all, list_texts, number_with

pytestmark = pytest.mark.usefixtures("database", "noon")
RECEIPT = Attachment("receipt.pdf", b"%PDF-1.4 receipt", "application/pdf")


def build_paid_notice(kind: NoticeKind = NoticeKind.PAYMENT_RECEIVED, to: str = NUMBER) -> Notice:
    """Return a notice whose key is its kind."""
    mail = replace(
        build_message(),
        attachments=(RECEIPT,),
        actions=(("Your order", PAGE),),
        about="BK-7F3K9Q",
        to_name="",
    )
    return replace(build_notice(kind, kind, to), mail=mail)


async def send_as_text(kind: NoticeKind, to: str = NUMBER) -> None:
    await choose(kind, Channel.SMS)
    if kind in REMINDERS:
        async with session_scope() as session:
            await give_consent(session, to)
    assert await send(build_paid_notice(kind, to))


async def end(state: TextState, **values: object) -> None:
    async with session_scope() as session:
        await session.exec(update(SmsMessage).values(state=state, due_at=None, **values))


async def list_mails() -> list[tuple[str, str]]:
    async with read_scope() as session:
        return [(mail.to, mail.subject) for mail in await list_newest_messages(session)]


async def count_held() -> int:
    async with read_scope() as session:
        return len((await session.exec(select(HeldMail))).all())


@pytest.mark.each_database
@pytest.mark.parametrize(
    ("state", "are_mailed", "are_held"),
    [
        (TextState.QUEUED, False, True),
        (TextState.SENDING, False, True),
        (TextState.SENT, False, True),
        (TextState.DELIVERED, False, False),
        (TextState.UNKNOWN, True, False),
        (TextState.KEPT, True, False),
        (TextState.FAILED, True, False),
        (TextState.STOPPED, True, False),
    ],
)
async def test_each_kind_is_mailed_once_if_its_text_message_does_not_arrive(
    state: TextState, are_mailed: bool, are_held: bool
) -> None:
    for kind in NoticeKind:
        await send_as_text(kind)
    every = len(NoticeKind)
    assert (await list_mails(), await count_held()) == ([], every)
    await end(state)
    await asyncio.gather(*(send_held_mails() for _ in range(3)))
    assert (len(await list_mails()), await count_held()) == (every * are_mailed, every * are_held)
    await end(TextState.FAILED)
    for _ in range(2):
        await send_held_mails()
    assert len(await list_mails()) == every * (are_mailed or are_held)


@pytest.mark.parametrize("last", ["001", "002", "003", "008"])
async def test_whatever_the_provider_or_the_network_rejects_is_mailed(sms: SmsWorld, last: str) -> None:
    await send_as_text(NoticeKind.PAYMENT_RECEIVED, number_with(last))
    await deliver_all()
    await sms.report()
    await send_held_mails()
    assert len(await list_mails()) == 1


async def test_the_mail_is_the_same_with_its_receipt_and_links() -> None:
    await send_as_text(NoticeKind.PAYMENT_RECEIVED)
    await end(TextState.FAILED)
    await send_held_mails()
    async with read_scope() as session:
        [mail] = await list_newest_messages(session)
    notice = build_paid_notice()
    assert mail.to_message() == replace(notice.mail or build_message(), reply_to=mail.to_message().reply_to)
    assert [b64decode(file["content"]) for file in mail.attachments] == [RECEIPT.content]
    assert mail.key == notice.key


@pytest.mark.parametrize("by_both", [True, False])
async def test_nothing_is_held_if_the_mail_goes_out_anyway_or_is_missing(by_both: bool) -> None:
    if by_both:
        await send(build_paid_notice())
    else:
        await send(replace(build_paid_notice(), mail=None))
    assert await count_held() == 0


@pytest.mark.parametrize(
    ("error", "is_due", "mails"), [("", True, 1), (EMPTY_ACCOUNT, False, 1), ("", False, 0)]
)
async def test_a_message_that_waits_for_long_is_mailed_but_not_one_that_waits_for_the_morning(
    noon: datetime, error: str, is_due: bool, mails: int
) -> None:
    await send_as_text(NoticeKind.BOOKING_CONFIRMED)
    due_at = noon if is_due else noon + timedelta(hours=8)
    await end(TextState.QUEUED)
    async with session_scope() as session:
        await session.exec(update(SmsMessage).values(due_at=due_at, last_error=error))
    await send_held_mails()
    assert await list_mails() == []
    with clock.frozen(noon + PATIENCE):
        await send_held_mails()
    assert len(await list_mails()) == mails


async def test_a_mail_that_is_useless_by_now_is_dropped(noon: datetime) -> None:
    await send_as_text(NoticeKind.BOOKING_SOON)
    await end(TextState.FAILED)
    with clock.frozen(noon + timedelta(days=2)):
        await send_held_mails()
    assert (await list_mails(), await count_held()) == ([], 0)


async def test_a_message_without_a_report_counts_as_arrived_after_some_days(noon: datetime) -> None:
    await choose(NoticeKind.PAYMENT_RECEIVED, Channel.SMS)
    notice = build_paid_notice()
    assert notice.text
    await send(replace(notice, text=replace(notice.text, useless_after=None)))
    await end(TextState.SENT)
    with clock.frozen(noon + timedelta(days=3)):
        await send_held_mails()
        assert await count_held() == 1
    with clock.frozen(noon + timedelta(days=5)):
        await send_held_mails()
    assert (await list_mails(), await count_held()) == ([], 0)


@pytest.mark.parametrize("by", ["address", "number", "reference"])
async def test_what_is_erased_is_never_mailed(by: str) -> None:
    await send_as_text(NoticeKind.PAYMENT_RECEIVED)
    async with session_scope() as session:
        if by == "address":
            await erase_mails(session, build_message().to.upper(), "", "wanjiku@mwanga.example")
        elif by == "number":
            await texts.erase(session, "", NUMBER, "wanjiku@mwanga.example")
        else:
            await erase_notices_about(session, "BK-7F3K9Q")
    await end(TextState.FAILED)
    await send_held_mails()
    assert (await list_mails(), await count_held()) == ([], 0)


async def test_links_are_encrypted_while_they_wait() -> None:
    await send_as_text(NoticeKind.PAYMENT_RECEIVED)
    async with read_scope() as session:
        connection = await session.connection()
        stored = (await connection.exec_driver_sql("SELECT message FROM held_mails")).scalar()
    assert "a-private-token" not in str(stored)


async def test_a_mail_whose_key_is_lost_keeps_no_other_from_going_out(
    caplog: pytest.LogCaptureFixture,
) -> None:
    await send_as_text(NoticeKind.PAYMENT_RECEIVED)
    await send(replace(build_paid_notice(), key="two"))
    async with session_scope() as session:
        [first, _] = (await session.exec(select(HeldMail).order_by(col(HeldMail.id)))).all()
        first.message = first.message | {
            "content": first.message["content"] | {"actions": [["Open", "lost"]]}
        }
        session.add(first)
    await end(TextState.FAILED)
    await send_held_mails()
    assert (len(await list_mails()), await count_held()) == (1, 0)
    assert "cannot be sent" in caplog.text
    assert len(await list_texts()) == 2
