"""The weekly mail: once for each owner, with the figures of the last week and of the week before."""

import asyncio
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta

import pytest
from sqlmodel import col, select

from agency_site import clock
from agency_site.auth.rules import Role
from agency_site.auth.tables import StaffAccount
from agency_site.db.engine import read_scope, session_scope
from agency_site.feature_contracts import send_weekly_figures
from agency_site.features.checkout.payments.rules import PaymentState
from agency_site.mail.tables import OutboxMessage
from tests.conftest import FRIDAY_NOON
from tests.integration.backoffice.conftest import hire
from tests.integration.backoffice.test_visits import GOOGLE, booked, counted
from tests.integration.features.checkout.stored_rows import build_order, build_payment, store

pytestmark = [pytest.mark.usefixtures("database"), pytest.mark.each_database]
MONDAY_SEVEN = datetime(2026, 11, 23, 4, tzinfo=UTC)
WEDNESDAY = datetime(2026, 11, 18, 9, tzinfo=UTC)


async def list_mails() -> list[OutboxMessage]:
    async with read_scope() as session:
        query = select(OutboxMessage).where(OutboxMessage.kind == "staff-weekly-figures")
        return list((await session.exec(query.order_by(col(OutboxMessage.to)))).all())


async def hire_staff() -> None:
    """Two owners, a former one and a viewer, all since Friday."""
    with clock.frozen(FRIDAY_NOON):
        for name, role in (
            ("amina", Role.OWNER),
            ("brian", Role.OWNER),
            ("ali", Role.OWNER),
            ("zuhura", Role.VIEWER),
        ):
            await hire(f"{name}@mwanga.example", role)
    async with session_scope() as session:
        former = (
            await session.exec(select(StaffAccount).where(StaffAccount.email == "ali@mwanga.example"))
        ).one()
        former.disabled_at = FRIDAY_NOON
        session.add(former)


async def test_owners_get_the_mail_on_monday_at_seven_once_whatever_the_number_of_servers() -> None:
    await hire_staff()
    with clock.frozen(MONDAY_SEVEN - timedelta(seconds=1)) as move:
        assert await send_weekly_figures() == 0
        move(MONDAY_SEVEN)
        numbers = await asyncio.gather(*(send_weekly_figures() for _ in range(4)))
        assert sum(numbers) == 2
        move(MONDAY_SEVEN + timedelta(days=6))
        assert await send_weekly_figures() == 0
        assert [mail.to for mail in await list_mails()] == ["amina@mwanga.example", "brian@mwanga.example"]
        move(MONDAY_SEVEN + timedelta(days=7))
        assert await send_weekly_figures() == 2
    assert len(await list_mails()) == 4


async def test_a_server_that_was_down_on_monday_sends_it_later_but_not_to_newer_accounts() -> None:
    with clock.frozen(MONDAY_SEVEN + timedelta(days=2)) as move:
        await hire("new@mwanga.example")
        assert await send_weekly_figures() == 0
        with clock.frozen(FRIDAY_NOON):
            await hire("amina@mwanga.example")
        assert await send_weekly_figures() == 1
        move(MONDAY_SEVEN + timedelta(days=7))
        assert await send_weekly_figures() == 2


async def test_the_mail_compares_the_week_with_the_one_before() -> None:
    await hire_staff()
    before = WEDNESDAY - timedelta(days=7)
    await store(
        counted(date(2026, 11, 8), "/", 500, 500),
        counted(date(2026, 11, 9), "/", 9, 4),
        counted(date(2026, 11, 15), "/", 6, 4, "facebook.com"),
        counted(date(2026, 11, 16), "/", 1_000, 700, "google", "cpc"),
        counted(date(2026, 11, 18), "/", 100, 50, "google", "organic"),
        counted(date(2026, 11, 22), "/book", 220, 300),
        counted(date(2026, 11, 23), "/", 500, 500),
        booked(1, WEDNESDAY, **GOOGLE),
        booked(2, WEDNESDAY),
        booked(3, before),
        build_order(before, 1),
        build_payment(before, 1, state=PaymentState.PAID, amount=15_000, paid_at=WEDNESDAY),
        build_payment(before, 2, state=PaymentState.PAID, amount=5_000, paid_at=before),
    )
    with clock.frozen(MONDAY_SEVEN):
        await send_weekly_figures()
    mail = (await list_mails())[0]
    assert mail.subject == "Your week: 16 to 22 November 2026"
    assert dict(mail.content["facts"]) == {
        "Visits": "1,050 (week before: 8)",
        "Page views": "1,320 (week before: 15)",
        "Enquiries": "0 (week before: 0)",
        "Bookings": "2 (week before: 1)",
        "Orders paid or free": "0 (week before: 0)",
        "Net revenue": "KES 15,000 (week before: KES 5,000)",
        "Top pages": "/ (1,100), /book (220)",
        "Top sources": "google (750), Direct (300)",
    }
    ((_, address),) = mail.content["actions"]
    assert address.endswith("/admin/visits?from=2026-11-16&to=2026-11-22")


async def test_a_setting_switches_the_mail_off(configure: Callable[..., object]) -> None:
    configure(weekly_mail=False)
    await hire_staff()
    with clock.frozen(MONDAY_SEVEN):
        assert await send_weekly_figures() == 0
    assert await list_mails() == []
