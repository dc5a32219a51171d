"""Which messages a notice becomes: by its channel, and by what reaches the customer."""

import asyncio
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta

import pytest
from sqlmodel import select

from agency_site import clock
from agency_site.content.entries import Kind
from agency_site.content.mail_texts import MAIL_TEXTS, mail_text
from agency_site.content.published import previewed
from agency_site.db.engine import read_scope, session_scope
from agency_site.errors import StaleRecord
from agency_site.mail.usecases import list_newest_messages
from agency_site.notices.rules import Channel, NoticeKind
from agency_site.notices.staff_usecases import choose_channel, list_channels
from agency_site.notices.usecases import Notice, NoticeText, notify, notify_all
from agency_site.sms.tables import ShortLink
from agency_site.sms.usecases import find_link_target, give_consent, mark_dead, stop
from tests.conftest import FRIDAY_NOON
from tests.integration.mail.outbox import build_message
from tests.integration.sms.messages import BRITISH, NUMBER, OTHER, list_texts

pytestmark = pytest.mark.usefixtures("database", "noon")
OWNER = "amina@mwanga.example"
PAGE = "http://localhost:3000/booking/a-private-token"


def build_notice(
    kind: NoticeKind = NoticeKind.BOOKING_CONFIRMED, key: str = "one", to: str = NUMBER
) -> Notice:
    text = NoticeText(
        "booking-reminder", to, {"time": "11:00"}, PAGE, FRIDAY_NOON + timedelta(hours=24), "BK-7F3K9Q"
    )
    return Notice(kind, key, build_message(), text)


async def send(notice: Notice) -> bool:
    async with session_scope() as session:
        return await notify(session, notice)


async def choose(kind: NoticeKind, channel: Channel, version: int = 0) -> None:
    async with session_scope() as session:
        await choose_channel(session, kind, version, channel, OWNER)


async def count_messages() -> tuple[int, int]:
    """Count the stored mails and text messages."""
    async with read_scope() as session:
        return len(await list_newest_messages(session)), len(await list_texts())


async def test_by_default_a_notice_goes_out_by_both_with_a_short_link_to_the_private_page() -> None:
    assert await send(build_notice())
    assert await count_messages() == (1, 1)
    (text,) = await list_texts()
    assert (text.kind, text.to, text.about, text.parts) == ("booking-confirmed", NUMBER, "BK-7F3K9Q", 1)
    code = text.text.rpartition("/s/")[2]
    async with read_scope() as session:
        assert await find_link_target(session, code) == PAGE


@pytest.mark.parametrize(
    ("channel", "messages"), [(Channel.MAIL, (1, 0)), (Channel.SMS, (0, 1)), (Channel.BOTH, (1, 1))]
)
async def test_a_notice_goes_out_by_the_channel_that_owners_have_chosen(
    channel: Channel, messages: tuple[int, int]
) -> None:
    await choose(NoticeKind.BOOKING_CONFIRMED, channel)
    assert await send(build_notice())
    assert await count_messages() == messages


async def test_the_choice_for_one_kind_does_not_affect_another() -> None:
    await choose(NoticeKind.BOOKING_MOVED, Channel.MAIL)
    await send(build_notice())
    assert await count_messages() == (1, 1)


async def test_a_client_without_an_address_gets_a_text_message_whatever_the_channel() -> None:
    await choose(NoticeKind.BOOKING_CONFIRMED, Channel.MAIL)
    assert await send(replace(build_notice(), mail=None))
    assert await count_messages() == (0, 1)


@pytest.mark.parametrize("number", ["", BRITISH])
async def test_a_number_that_gets_no_text_messages_gets_a_mail_instead(number: str) -> None:
    await choose(NoticeKind.BOOKING_CONFIRMED, Channel.SMS)
    assert await send(build_notice(to=number))
    assert await count_messages() == (1, 0)


async def test_a_dead_number_gets_a_mail_instead() -> None:
    await choose(NoticeKind.BOOKING_CONFIRMED, Channel.SMS)
    async with session_scope() as session:
        await mark_dead(session, NUMBER, "AbsentSubscriber")
    assert await send(build_notice())
    assert await count_messages() == (1, 0)


async def test_a_reminder_is_a_text_message_only_with_consent_and_a_mail_after_stop() -> None:
    await choose(NoticeKind.BOOKING_SOON, Channel.SMS)
    assert await send(build_notice(NoticeKind.BOOKING_SOON, "one"))
    assert await count_messages() == (1, 0)
    async with session_scope() as session:
        await give_consent(session, NUMBER)
    await send(build_notice(NoticeKind.BOOKING_SOON, "two"))
    assert await count_messages() == (1, 1)
    async with session_scope() as session:
        await stop(session, NUMBER)
    await send(build_notice(NoticeKind.BOOKING_SOON, "three"))
    assert await count_messages() == (2, 1)


async def test_a_reminder_that_quiet_hours_would_make_useless_is_a_mail() -> None:
    await choose(NoticeKind.SESSION_SOON, Channel.SMS)
    async with session_scope() as session:
        await give_consent(session, NUMBER)
    notice = build_notice(NoticeKind.SESSION_SOON)
    assert notice.text is not None
    early = replace(notice.text, useless_after=FRIDAY_NOON + timedelta(hours=18, minutes=30))
    # 05:30 in Nairobi: quiet hours last until 07:00, and the session begins at 06:30.
    with clock.frozen(FRIDAY_NOON + timedelta(hours=17, minutes=30)):
        assert await send(replace(notice, text=early))
    assert await count_messages() == (1, 0)


NIGHT = FRIDAY_NOON + timedelta(hours=11)
"""23:00 in Nairobi."""
MORNING = FRIDAY_NOON + timedelta(hours=19)
"""07:00, the end of quiet hours."""


async def test_at_night_an_announcement_is_mailed_at_once_and_texted_in_the_morning() -> None:
    with clock.frozen(NIGHT):
        assert await send(build_notice(NoticeKind.SESSION_CHANGED))
    assert await count_messages() == (1, 1)
    assert [text.due_at for text in await list_texts()] == [MORNING]


@pytest.mark.parametrize("early", [NIGHT, MORNING - timedelta(minutes=30), MORNING])
async def test_at_night_an_announcement_that_is_needed_before_the_morning_is_texted_at_once(
    early: datetime,
) -> None:
    notice = build_notice(NoticeKind.SESSION_CHANGED)
    assert notice.text is not None
    with clock.frozen(NIGHT):
        assert await send(replace(notice, text=replace(notice.text, needed_by=early)))
    assert [text.due_at for text in await list_texts()] == [NIGHT]


async def test_an_announcement_that_would_be_useless_in_the_morning_is_texted_at_once() -> None:
    notice = build_notice(NoticeKind.WAITING_OFFER)
    assert notice.text is not None
    with clock.frozen(NIGHT):
        assert await send(replace(notice, text=replace(notice.text, useless_after=MORNING)))
    assert [text.due_at for text in await list_texts()] == [NIGHT]


@pytest.mark.parametrize(("answers", "due_at"), [(True, NIGHT), (False, MORNING)])
async def test_at_night_what_answers_the_recipient_is_texted_at_once(answers: bool, due_at: datetime) -> None:
    with clock.frozen(NIGHT):
        await send(replace(build_notice(NoticeKind.BOOKING_CANCELLED), answers=answers))
    assert [text.due_at for text in await list_texts()] == [due_at]


async def test_stop_does_not_end_announcements_and_they_count_for_the_limit_of_a_day(
    configure: Callable[..., object],
) -> None:
    configure(sms_per_number_day=1)
    async with session_scope() as session:
        await stop(session, NUMBER)
    for key in ("one", "two"):
        await send(build_notice(NoticeKind.SESSION_CHANGED, key))
    assert await count_messages() == (2, 1)


async def test_without_a_text_a_notice_is_a_mail_whatever_the_channel() -> None:
    await choose(NoticeKind.BOOKING_CONFIRMED, Channel.SMS)
    emptied = mail_text("booking-reminder").model_copy(update={"text_message": ""})
    texts = tuple(emptied if text.key == emptied.key else text for text in MAIL_TEXTS)
    with previewed({Kind.MAIL_TEXT: texts}):
        assert await send(build_notice())
    assert await send(replace(build_notice(key="two"), text=None))
    assert await count_messages() == (2, 0)


async def test_without_a_provider_every_notice_is_a_mail_too(configure: Callable[..., object]) -> None:
    await choose(NoticeKind.BOOKING_CONFIRMED, Channel.SMS)
    configure(env="production")
    await send(build_notice())
    assert await count_messages() == (1, 1)
    assert [text.state.value for text in await list_texts()] == ["kept"]


@pytest.mark.each_database
async def test_a_notice_is_stored_once_however_often_it_is_sent() -> None:
    results = await asyncio.gather(*(send(build_notice()) for _ in range(6)))
    assert sorted(results) == [False] * 5 + [True]
    assert await count_messages() == (1, 1)
    async with read_scope() as session:
        assert len((await session.exec(select(ShortLink))).all()) == 1


async def test_several_notices_follow_their_channels() -> None:
    await choose(NoticeKind.SESSION_CHANGED, Channel.SMS)
    notices = [
        build_notice(NoticeKind.SESSION_CHANGED, "one"),
        build_notice(NoticeKind.SESSION_CHANGED, "two", OTHER),
        build_notice(NoticeKind.SESSION_CHANGED, "three", ""),
    ]
    for _ in range(2):
        async with session_scope() as session:
            await notify_all(session, notices)
    assert await count_messages() == (1, 2)
    assert [text.to for text in await list_texts()] == [NUMBER, OTHER]


async def test_a_choice_that_another_owner_has_changed_meanwhile_is_refused() -> None:
    kind = NoticeKind.PAYMENT_FAILED
    await choose(kind, Channel.SMS)
    with pytest.raises(StaleRecord, match="Another owner"):
        await choose(kind, Channel.MAIL)
    async with read_scope() as session:
        before = {chosen.kind: chosen for chosen in await list_channels(session)}
    assert (before[kind].channel, before[kind].author, set(before)) == (Channel.SMS, OWNER, set(NoticeKind))
    await choose(kind, Channel.MAIL, before[kind].version)
    async with read_scope() as session:
        after = {chosen.kind: chosen for chosen in await list_channels(session)}
    assert (after[kind].channel, after[kind].version) == (Channel.MAIL, before[kind].version + 1)


@pytest.mark.each_database
async def test_of_two_owners_who_choose_first_at_once_one_is_refused() -> None:
    outcomes = await asyncio.gather(
        choose(NoticeKind.PAYMENT_LINK, Channel.SMS),
        choose(NoticeKind.PAYMENT_LINK, Channel.MAIL),
        return_exceptions=True,
    )
    assert sorted(map(type, outcomes), key=str) == sorted([type(None), StaleRecord], key=str)
