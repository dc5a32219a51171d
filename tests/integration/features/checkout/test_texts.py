"""Text messages about payments, beside their mails."""

from datetime import timedelta

import pytest
from sqlalchemy import update

from agency_site import clock
from agency_site.db.engine import read_scope, session_scope
from agency_site.errors import Conflict
from agency_site.feature_contracts import join_features
from agency_site.features.checkout.order_details.staff_usecases import send_payment_link
from agency_site.features.checkout.payments.tables import Payment
from agency_site.mail.tables import OutboxMessage
from agency_site.notices.dealings import list_dealings
from agency_site.notices.rules import Channel, NoticeKind
from agency_site.notices.staff_usecases import choose_channel
from agency_site.sms.tables import SmsMessage
from agency_site.sms.usecases import find_link_target
from tests.conftest import FRIDAY_NOON
from tests.integration.features.checkout.conftest import COURSE, Shop, order_token, orders, payments, rows
from tests.integration.features.checkout.orders import STAFF
from tests.integration.features.checkout.test_manual_payments import CANCELS, unpaid
from tests.integration.sms.messages import find_number, list_texts

pytestmark = pytest.mark.usefixtures("database")
NUMBER = "+254712345111"


async def find_page(text: SmsMessage) -> str:
    """Return the address to which the short link of a text message leads."""
    async with read_scope() as session:
        return await find_link_target(session, text.text.rpartition("/s/")[2])


async def choose(kind: NoticeKind, channel: Channel) -> None:
    async with session_scope() as session:
        await choose_channel(session, kind, 0, channel, STAFF)


async def send_link() -> None:
    reference = (await orders())[0].reference
    async with session_scope() as session:
        await send_payment_link(session, reference, STAFF)


async def list_mailed(kind: str) -> list[OutboxMessage]:
    return [mail for mail in await rows(OutboxMessage) if mail.kind == kind]


async def test_a_payment_is_confirmed_by_a_text_message_with_its_receipt_and_the_link_of_the_order(
    shop: Shop,
) -> None:
    await shop.paid()
    (text,), (payment,) = await list_texts(), await payments()
    assert (text.kind, text.to, text.about) == ("payment-received", NUMBER, (await orders())[0].reference)
    assert text.text.startswith(
        f"Mwanga Digital: KES 15,000 received, receipt {payment.receipt}. You are enrolled in {COURSE}."
    )
    assert (await find_page(text)).endswith(f"/order/{await order_token()}")
    assert len(await list_mailed("enrolment-confirmed")) == 1
    assert await find_number(NUMBER) is None


async def test_the_tick_of_the_payment_form_is_the_consent_to_reminders(shop: Shop) -> None:
    await shop.paid(smsReminders=True)
    number = await find_number(NUMBER)
    assert number is not None
    assert number.consented_at is not None


@pytest.mark.parametrize("channel", Channel)
async def test_a_failed_payment_of_an_unknown_number_is_reported_by_mail_alone(
    shop: Shop, channel: Channel
) -> None:
    join_features()
    await choose(NoticeKind.PAYMENT_FAILED, channel)
    await unpaid(shop)
    assert await list_texts() == []
    assert len(await list_mailed("payment-unpaid")) == 1


async def test_a_failed_payment_of_a_number_that_has_paid_before_is_reported_by_the_chosen_channel(
    shop: Shop,
) -> None:
    join_features()
    await choose(NoticeKind.PAYMENT_FAILED, Channel.SMS)
    await unpaid(shop)
    order, *_ = await orders()
    async with session_scope() as session:
        assert await list_dealings(session, order.phone) == []
        await session.exec(update(Payment).values(paid_at=FRIDAY_NOON))
        assert {dealing.reference for dealing in await list_dealings(session, order.phone)} == {
            order.reference
        }
    await unpaid(shop)
    (text,) = await list_texts()
    assert (text.kind, text.to) == ("payment-failed", f"+254712345{CANCELS}")
    # The page of the order says what can be done at the moment of reading.
    assert "try again" not in text.text
    assert "/order/" in await find_page(text)
    assert len(await list_mailed("payment-unpaid")) == 1


@pytest.mark.parametrize("channel", Channel)
async def test_staff_send_the_link_to_pay_by_the_chosen_channel_once_a_minute(
    shop: Shop, channel: Channel
) -> None:
    await unpaid(shop)
    await choose(NoticeKind.PAYMENT_LINK, channel)
    await send_link()
    with pytest.raises(Conflict, match="last minute"):
        await send_link()
    texts = [text for text in await list_texts() if text.kind == "payment-link"]
    mails = await list_mailed("payment-link")
    assert (len(mails), len(texts)) == (channel is not Channel.SMS, channel is not Channel.MAIL)
    with clock.frozen(FRIDAY_NOON + timedelta(minutes=2)):
        await send_link()
    texts = [text for text in await list_texts() if text.kind == "payment-link"]
    assert len(texts) == 2 * (channel is not Channel.MAIL)
    for text in texts:
        assert text.text.startswith(f"Mwanga Digital: pay KES 15,000 for {COURSE} with M-Pesa here: http")
        assert (await find_page(text)).endswith(f"/order/{await order_token()}")
