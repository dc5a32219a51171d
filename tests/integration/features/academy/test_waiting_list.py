"""The waiting list of a full run: joining, leaving, and the offers of freed places."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from sqlmodel import select

from agency_site import clock
from agency_site.db.engine import read_scope, session_scope
from agency_site.errors import Conflict, InputRejected, NotFound
from agency_site.features.academy.jobs import offer_freed_places, release_given_up
from agency_site.features.academy.learners.tables import Enrolment
from agency_site.features.academy.personal_data import WAITING, expire_waiting
from agency_site.features.academy.planning import usecases as runs
from agency_site.features.academy.reservations import offers
from agency_site.features.academy.reservations.tables import PlaceReservation
from agency_site.features.academy.runs.records import find_run
from agency_site.features.academy.runs.rules import RunStatus
from agency_site.features.academy.waiting_list import handover
from agency_site.features.academy.waiting_list import usecases as waiting_list
from agency_site.features.academy.waiting_list.usecases import WaitingListClosed
from agency_site.mail.rules import MailLimitReached
from tests.conftest import FRIDAY_NOON
from tests.example_records import PAID_COURSE
from tests.integration.features.academy.learners import buy, end_enrolment, list_mails
from tests.integration.features.academy.runs import ACTOR, open_run, run_request
from tests.integration.features.academy.waiting import (
    count_taken,
    fill_run,
    find_token,
    join,
    join_unconfirmed,
    list_entries,
    list_states,
)

pytestmark = pytest.mark.usefixtures("database", "noon")
HOURS = timedelta(hours=48)


async def orders_of(run_id: int) -> list[int]:
    async with read_scope() as session:
        rows = await session.exec(select(Enrolment.order_id).where(Enrolment.run_id == run_id))
        return list(rows.all())


async def test_a_person_who_joins_gets_a_link_and_joins_once() -> None:
    run = await fill_run()
    first = await join(run)
    assert first.reference.startswith("WL-")
    again = await join(run)
    await join(run, "Akinyi")
    assert (again.id, await list_states()) == (first.id, ["waiting", "waiting"])
    assert [mail.to for mail in await list_mails("waiting-joined")] == [
        "otieno@example.com",
        "akinyi@example.com",
    ]
    async with read_scope() as session:
        view = await waiting_list.find_entry(session, await find_token(1))
    assert (view.position, view.entry.fullname, view.run.reference) == (2, "Akinyi Wafula", run.reference)


async def test_mails_to_one_mailbox_are_limited(configure: Callable[..., object]) -> None:
    configure(mails_per_recipient_hour=1, mails_per_recipient_day=1)
    first, second = await fill_run(), await fill_run()
    await join(first)
    await join(first)
    with pytest.raises(MailLimitReached), clock.frozen(FRIDAY_NOON + timedelta(minutes=6)):
        await join(second)
    assert len(await list_mails("waiting-joined")) == 1


async def test_the_waiting_list_of_a_run_with_places_or_without_enrolment_is_closed() -> None:
    with pytest.raises(WaitingListClosed, match="still available"):
        await join(await open_run(capacity="2"))
    late = await fill_run()
    with pytest.raises(WaitingListClosed, match="has closed"), clock.frozen(late.starts_at):
        await join(late)
    async with session_scope() as session:
        await runs.change_status(session, late.reference, late.version, RunStatus.PLANNED, ACTOR)
    with pytest.raises(NotFound):
        await join(late)


async def test_a_freed_place_is_kept_for_the_first_and_for_no_other_buyer() -> None:
    run = await fill_run()
    await join(run)
    await join(run, "Akinyi")
    assert await offer_freed_places() == 0
    await end_enrolment()
    # This holds even before the job has offered the place.
    async with read_scope() as session:
        (offer,) = await offers.list_offers(session, run.course_slug)
    assert (offer.free, offer.text.endswith("full")) == (0, True)
    with pytest.raises(AssertionError):
        await buy(1, run.reference, "fast@example.com")
    assert (await offer_freed_places(), await offer_freed_places()) == (1, 0)
    assert (await list_states(), await count_taken(run)) == (["offered", "waiting"], 1)
    (mail,) = await list_mails("waiting-offer")
    token = await find_token()
    assert f"/payment?course={PAID_COURSE.slug}&place={token}" in str(mail.content)
    assert "Sunday 22 November 2026, 12:00" in str(mail.content)
    async with read_scope() as session:
        kept_place = await handover.find_kept_place(session, token)
        assert kept_place is not None
        assert (kept_place.run, kept_place.places, kept_place.until) == (
            run.reference,
            1,
            FRIDAY_NOON + HOURS,
        )
        assert await handover.find_kept_place(session, await find_token(1)) is None
        assert await handover.find_kept_place(session, "nobody") is None


async def test_a_place_that_is_not_bought_in_time_goes_to_the_next_person() -> None:
    run = await fill_run()
    await join(run)
    await join(run, "Akinyi")
    await end_enrolment()
    await offer_freed_places()
    with clock.frozen(FRIDAY_NOON + HOURS - timedelta(seconds=1)):
        assert (await release_given_up(), await offer_freed_places()) == (0, 0)
    with clock.frozen(FRIDAY_NOON + HOURS):
        async with read_scope() as session:
            assert await handover.find_kept_place(session, await find_token()) is None
        assert (await release_given_up(), await offer_freed_places()) == (1, 1)
        assert (await list_states(), await count_taken(run)) == (["lapsed", "offered"], 1)
        again = await join(run)
    assert again.id == (await list_entries())[2].id
    assert [mail.to for mail in await list_mails("waiting-offer")] == [
        "otieno@example.com",
        "akinyi@example.com",
    ]


async def test_a_place_is_kept_no_longer_than_enrolment_lasts() -> None:
    run = await fill_run()
    await join(run)
    await end_enrolment()
    with clock.frozen(run.starts_at - timedelta(hours=3)):
        await offer_freed_places()
    assert (await list_entries())[0].reserved_until == run.starts_at


async def test_raised_capacity_goes_to_as_many_as_there_are_places() -> None:
    run = await fill_run()
    for name in ("Otieno", "Akinyi", "Juma"):
        await join(run, name)
    async with session_scope() as session:
        current = await find_run(session, run.reference)
        await runs.save_run(session, run.reference, current.version, run_request(capacity="3"), ACTOR)
    assert await offer_freed_places() == 2
    assert (await list_states(), await count_taken(run)) == (["offered", "offered", "waiting"], 3)


async def test_the_place_of_a_person_who_leaves_goes_to_the_next() -> None:
    run = await fill_run()
    await join(run)
    await join(run, "Akinyi")
    await end_enrolment()
    await offer_freed_places()
    for _ in range(2):
        async with session_scope() as session:
            view = await waiting_list.leave_waiting_list(session, await find_token())
        assert view.entry.state.value == "closed"
    assert await count_taken(run) == 0
    await offer_freed_places()
    assert (await list_states(), await count_taken(run)) == (["closed", "offered"], 1)
    with pytest.raises(NotFound):
        async with session_scope() as session:
            await waiting_list.leave_waiting_list(session, "nobody")


async def test_cancelling_a_run_closes_its_waiting_list() -> None:
    run = await fill_run()
    await join(run)
    await join(run, "Akinyi")
    await end_enrolment()
    await offer_freed_places()
    async with session_scope() as session:
        await runs.change_status(session, run.reference, run.version, RunStatus.CANCELLED, ACTOR)
    assert (await list_states(), await count_taken(run)) == (["closed", "closed"], 0)
    async with read_scope() as session:
        assert list(await session.exec(select(PlaceReservation))) == []


async def test_a_paid_order_without_a_run_comes_first_and_gets_its_places_at_once() -> None:
    run = await fill_run(3)
    await join(run)
    await buy(2, "", "paid@example.com")
    order = (await orders_references())[1]
    async with session_scope() as session:
        await waiting_list.add_paid_order(session, order, run.reference, ACTOR)
    with pytest.raises(Conflict):
        async with session_scope() as session:
            await waiting_list.add_paid_order(session, order, run.reference, ACTOR)
    async with session_scope() as session:
        current = await find_run(session, run.reference)
        await runs.save_run(session, run.reference, current.version, run_request(capacity="4"), ACTOR)
    # One free place is too few for the order, and stays free for it.
    assert (await offer_freed_places(), await list_states()) == (0, ["waiting", "waiting"])
    async with session_scope() as session:
        current = await find_run(session, run.reference)
        await runs.save_run(session, run.reference, current.version, run_request(capacity="6"), ACTOR)
    assert await offer_freed_places() == 2
    assert (await list_states(), await count_taken(run)) == (["offered", "taken"], 6)
    assert (await orders_of(run.id), len(await list_mails("learner-moved"))) == ([1, 2], 1)


async def orders_references() -> list[str]:
    async with read_scope() as session:
        return list((await session.exec(select(Enrolment.reference).order_by(Enrolment.id))).all())  # type: ignore[arg-type]


async def test_a_waiting_order_that_has_ended_is_closed() -> None:
    run = await fill_run()
    await buy(1, "", "paid@example.com")
    order = (await orders_references())[1]
    async with session_scope() as session:
        await waiting_list.add_paid_order(session, order, run.reference, ACTOR)
    await end_enrolment(2)
    await end_enrolment(1)
    assert await offer_freed_places() == 1
    assert (await list_states(), await count_taken(run)) == (["closed"], 0)


async def test_staff_offer_again_and_remove() -> None:
    run = await fill_run()
    waiting = await join(run)

    async def offer() -> None:
        async with session_scope() as session:
            await handover.offer_now(session, run.reference, waiting.reference, ACTOR)

    with pytest.raises(Conflict, match="too few free places"):
        await offer()
    await end_enrolment()
    await offer_freed_places()
    with clock.frozen(FRIDAY_NOON + HOURS):
        await release_given_up()
        assert (await offer_freed_places(), await list_states()) == (0, ["lapsed"])
        await offer()
        assert (await list_states(), await count_taken(run), len(await list_mails("waiting-offer"))) == (
            ["offered"],
            1,
            2,
        )
        with pytest.raises(Conflict):
            await offer()
        async with session_scope() as session:
            await waiting_list.remove_entry(session, run.reference, waiting.reference, ACTOR)
    assert (await list_states(), await count_taken(run)) == (["closed"], 0)
    other = await open_run()
    with pytest.raises(NotFound):
        async with session_scope() as session:
            await waiting_list.remove_entry(session, other.reference, waiting.reference, ACTOR)


async def test_erasing_a_person_frees_the_place_for_the_next() -> None:
    run = await fill_run()
    await join(run)
    await join(run, "Akinyi")
    await end_enrolment()
    await offer_freed_places()
    async with session_scope() as session:
        (exported,) = await WAITING.export(session, "otieno@example.com", "")
        assert (exported["run"], exported["state"]) == (run.reference, "offered")
        await WAITING.erase(session, "otieno@example.com", "", ACTOR)
    assert (await release_given_up(), await offer_freed_places()) == (1, 1)
    assert (await list_states(), [entry.email for entry in await list_entries()]) == (
        ["closed", "offered"],
        ["", "akinyi@example.com"],
    )


async def test_entries_expire_after_the_start_of_their_run() -> None:
    run = await fill_run()
    await join(run)
    for moment, expected in ((run.starts_at, 0), (run.starts_at + timedelta(seconds=1), 1)):
        async with session_scope() as session:
            assert await expire_waiting(session, moment, 20) == expected
    (row,) = await list_entries()
    assert (row.fullname, row.email, row.state.value) == ("", "", "waiting")


async def list_offered() -> list[str]:
    return [mail.to for mail in await list_mails("waiting-offer")]


async def confirm(number: int = 0) -> None:
    async with session_scope() as session:
        await waiting_list.confirm_entry(session, await find_token(number))


async def test_only_confirmed_entries_are_offered_a_place() -> None:
    run = await fill_run()
    for name in ("Ghost0", "Ghost1"):
        await join_unconfirmed(run, name)
    await join(run)
    async with read_scope() as session:
        view = await waiting_list.find_entry(session, await find_token(2))
        ghost = await waiting_list.find_entry(session, await find_token(0))
    assert (view.position, ghost.position) == (1, 0)
    await end_enrolment()
    assert (await offer_freed_places(), await list_offered()) == (1, ["otieno@example.com"])
    with pytest.raises(Conflict, match="not confirmed"):
        async with session_scope() as session:
            await handover.offer_now(session, run.reference, (await list_entries())[0].reference, ACTOR)


async def test_a_mail_to_an_address_that_is_not_confirmed_repeats_no_name() -> None:
    run = await fill_run()
    await join_unconfirmed(run)
    (mail,) = await list_mails("waiting-joined")
    assert "Otieno" not in str((mail.content, mail.to_name, mail.subject))
    assert f"/waiting/{await find_token()}" in str(mail.content)


async def test_a_later_confirmation_gets_a_later_turn_and_confirming_twice_changes_nothing() -> None:
    run = await fill_run()
    await join_unconfirmed(run)
    with clock.frozen(FRIDAY_NOON + timedelta(minutes=1)):
        await join(run, "Akinyi")
    for minutes in (2, 3):
        with clock.frozen(FRIDAY_NOON + timedelta(minutes=minutes)):
            await confirm()
    assert (await list_entries())[0].confirmed_at == FRIDAY_NOON + timedelta(minutes=2)
    await end_enrolment()
    assert (await offer_freed_places(), await list_offered()) == (1, ["akinyi@example.com"])


async def test_unconfirmed_entries_keep_no_place_from_other_buyers() -> None:
    run = await fill_run()
    await join_unconfirmed(run, "Ghost")
    await end_enrolment()
    assert await offer_freed_places() == 0
    await buy(1, run.reference, "fast@example.com")
    assert await count_taken(run) == 1


async def test_several_places_are_offered_together_and_taken_together() -> None:
    run = await fill_run(3)
    await join(run, "Otieno", 2)
    await buy(1, "", "x@example.com")
    await end_enrolment()
    assert await offer_freed_places() == 1
    (mail,) = await list_mails("waiting-offer")
    assert "2 places are kept for you" in mail.content["heading"]
    async with read_scope() as session:
        kept_place = await handover.find_kept_place(session, await find_token())
    assert kept_place is not None
    assert (kept_place.places, await count_taken(run)) == (2, 2)


async def test_a_group_keeps_waiting_while_too_few_places_are_free_and_these_are_sold() -> None:
    run = await fill_run(3)
    await join(run, "Otieno", 3)
    await join(run, "Akinyi")
    async with session_scope() as session:
        current = await find_run(session, run.reference)
        await runs.save_run(session, run.reference, current.version, run_request(capacity="5"), ACTOR)
    assert (await offer_freed_places(), await list_offered()) == (1, ["akinyi@example.com"])
    await buy(1, run.reference, "single@example.com")
    assert (await list_states(), await count_taken(run)) == (["waiting", "offered"], 5)


async def test_an_entry_for_more_places_than_the_run_has_is_rejected() -> None:
    run = await fill_run(2)
    with pytest.raises(InputRejected) as rejected:
        await join_unconfirmed(run, "Otieno", 3)
    assert set(rejected.value.by_field()) == {"places"}
