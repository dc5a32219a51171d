"""A job whose first item fails handles the others in the same round, whatever the items are."""

from collections.abc import Awaitable, Callable
from datetime import timedelta
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from sqlalchemy.exc import InterfaceError
from sqlmodel import select

from agency_site.clock import now, today
from agency_site.db.engine import read_scope, session_scope
from agency_site.features.academy import jobs as academy
from agency_site.features.checkout import jobs as checkout
from agency_site.features.checkout.payments import journal
from agency_site.features.checkout.payments.journal import EntryKind
from agency_site.features.newsletter import jobs as newsletter
from agency_site.features.webinars import jobs as webinars
from agency_site.notices import jobs as notices
from agency_site.sms import delivery
from agency_site.sms.rules import TextState
from agency_site.sms.tables import EarlyReport
from agency_site.visits.counter import VIEWS, Tally, ViewKey
from agency_site.visits.jobs import write_views
from agency_site.visits.rules import NO_ORIGIN
from agency_site.visits.tables import PageViews
from agency_site.web.serving import retention

pytestmark = pytest.mark.usefixtures("database")

Job = Callable[[], Awaitable[int]]

LOOPS: list[tuple[ModuleType, str, str, Job]] = [
    (checkout, "find_due_coupons", "release_due_uses", checkout.return_coupon_uses),
    (academy, "find_due_runs", "release_due", academy.release_given_up),
    (academy, "find_runs_to_hand_over", "offer_next", academy.offer_freed_places),
    (newsletter, "list_due_issues", "send_batch", newsletter.send_due_issues),
    (webinars, "find_outdated", "notify_attendee", webinars.remind_attendees),
    (notices, "list_decided", "settle_held_mail", notices.send_held_mails),
    (delivery, "list_due_reports", "settle_early_report", delivery.deliver_due_texts),
]
"""Module, function that finds the items, function that handles one, job."""


@pytest.mark.parametrize(
    ("module", "find", "handle", "job"), [pytest.param(*loop, id=f"{loop[2]}") for loop in LOOPS]
)
@pytest.mark.parametrize("is_outage", [False, True])
async def test_a_job_goes_on_after_an_item_that_fails_but_not_during_an_outage(
    module: ModuleType, find: str, handle: str, job: Job, is_outage: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    handled = []

    async def find_two(_session: object) -> list[int]:
        return [1, 2]

    async def handle_one(_session: object, item: int) -> int:
        handled.append(item)
        if item == 1:
            raise InterfaceError("", {}, Exception("gone")) if is_outage else KeyError(item)
        return 0

    monkeypatch.setattr(module, find, find_two)
    monkeypatch.setattr(module, handle, handle_one)
    if module is webinars:
        monkeypatch.setattr(module, "is_settled", lambda: True)
    if module is delivery:
        await store_early_report()
    if is_outage:
        with pytest.raises(InterfaceError):
            await job()
    else:
        await job()
    assert handled == ([1] if is_outage else [1, 2])


async def store_early_report() -> None:
    long_ago = now() - timedelta(days=1)
    async with session_scope() as session:
        session.add(
            EarlyReport(provider_id="ATX", number="", state=TextState.SENT, reason="", created_at=long_ago)
        )


async def test_a_kind_of_personal_data_that_cannot_be_erased_leaves_the_others(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, configure: Callable[..., Any]
) -> None:
    async def fail(*_: object) -> int:
        raise KeyError("kind")

    async def erase(*_: object) -> int:
        return 3

    period = "retention_bookings_days"
    configure(retention_bookings_days=30)
    monkeypatch.setattr(retention, "KINDS", ((period, fail), (period, erase)))
    assert await retention.expire_old() == 3
    assert f"erasing personal data of {period} could not be handled" in caplog.text


async def test_more_journal_entries_that_fail_than_a_round_reads_do_not_hold_up_later_ones(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, configure: Callable[..., Any]
) -> None:
    configure(journal_folder=str(tmp_path))
    monkeypatch.setattr(journal, "_AT_ONCE", 3)
    stored = []

    async def replay(_scope: object, values: dict[str, Any]) -> None:
        if values["bad"]:
            raise KeyError("bad")
        stored.append(values)

    monkeypatch.setattr(checkout, "_REPLAYS", dict.fromkeys(EntryKind, replay))
    for bad in (*[True] * 5, False):
        journal._append(EntryKind.CALLBACK, {"bad": bad})
    for _ in range(2):
        await checkout.poll_payments()
    assert stored == [{"bad": False}]
    assert journal.count_waiting() == 5


async def test_figures_that_the_database_refuses_do_not_hold_up_the_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    good, bad = (ViewKey.of(today(), page, NO_ORIGIN) for page in "ab")
    monkeypatch.setattr(VIEWS, "_tallies", {good: Tally(2, 1), bad: Tally(10**30, 1)})
    await write_views()
    async with read_scope() as session:
        assert [(row.page, row.views) for row in await session.exec(select(PageViews))] == [("a", 2)]
    assert list(VIEWS.take()) == [bad]
