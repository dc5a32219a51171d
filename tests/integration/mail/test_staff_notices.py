"""A burst of notices reaches staff as a few mails and one list."""

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta

import pytest

from agency_site import clock
from agency_site.db.engine import session_scope
from agency_site.mail.rules import MailState, Message
from agency_site.mail.staff_notices import BURST
from agency_site.mail.usecases import enqueue
from tests.conftest import FRIDAY_NOON
from tests.integration.mail.outbox import list_rows

NOTICE = Message(
    kind="staff-enrolled", to="desk@mwanga.example", subject="New enrolment: Amina", heading="New enrolment",
    paragraphs=("A learner has enrolled.",),
)  # fmt: skip


async def notify(number: int, kind: str = NOTICE.kind) -> int | None:
    async with session_scope() as session:
        notice = replace(NOTICE, kind=kind, about=f"EN-{number:06}")
        return await enqueue(session, notice, key=f"{kind}:{number}")


@pytest.fixture
def with_server(configure: Callable[..., object]) -> None:
    configure(smtp_host="mail.example")


@pytest.mark.usefixtures("database", "with_server")
async def test_a_burst_of_49_notices_is_a_few_mails_and_one_list() -> None:
    with clock.frozen(FRIDAY_NOON):
        for number in range(49):
            assert await notify(number)
            assert await notify(number) is None
    rows = await list_rows()
    queued = [row for row in rows if row.state is MailState.QUEUED]
    assert [row.kind for row in queued] == ["staff-enrolled"] * BURST + ["staff-notices"]
    joined = queued[-1]
    assert joined.due_at == FRIDAY_NOON + timedelta(minutes=10)
    for number in range(BURST, 49):
        assert f"EN-{number:06}" in joined.text
    assert "Amina" not in joined.text
    assert len([row for row in rows if row.kind == "staff-enrolled"]) == 49


@pytest.mark.usefixtures("database", "with_server")
async def test_notices_of_a_usual_day_and_about_money_come_one_by_one() -> None:
    with clock.frozen(FRIDAY_NOON) as move:
        for number in range(3 * BURST):
            move(FRIDAY_NOON + timedelta(minutes=2 * number))
            await notify(number)
        for number in range(3 * BURST):
            await notify(number, "staff-payment-review")
    assert {row.state for row in await list_rows()} == {MailState.QUEUED}


@pytest.mark.usefixtures("database", "with_server")
async def test_the_next_burst_has_a_list_of_its_own() -> None:
    with clock.frozen(FRIDAY_NOON) as move:
        for number in range(BURST + 2):
            await notify(number)
        move(FRIDAY_NOON + timedelta(minutes=9))
        await notify(100)
        move(FRIDAY_NOON + timedelta(minutes=11))
        await notify(101)
    joined = [row for row in await list_rows() if row.kind == "staff-notices"]
    assert [len(row.content["facts"]) for row in joined] == [3]
