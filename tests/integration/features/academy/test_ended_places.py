"""Ending single places of an order: the place becomes free for the waiting list, the other places stay."""

from datetime import timedelta

import pytest
from sqlmodel import select

from agency_site import clock
from agency_site.db.engine import read_scope, session_scope
from agency_site.errors import Conflict, StaleRecord
from agency_site.features.academy.admin.learners.detail import LearnerDetail
from agency_site.features.academy.admin.runs.detail import RunPage
from agency_site.features.academy.enrolments.endings import end_place
from agency_site.features.academy.enrolments.moves import move_enrolment
from agency_site.features.academy.jobs import offer_freed_places
from agency_site.features.academy.learners.attendance import list_attendance
from agency_site.features.academy.learners.naming import change_learner, find_places, name_learners
from agency_site.features.academy.learners.request import LearnerRequest
from agency_site.features.academy.learners.rules import LearnerChange
from agency_site.features.academy.learners.tables import Enrolment
from agency_site.features.academy.learners.usecases import find_learner
from agency_site.features.academy.runs.records import list_sessions
from agency_site.features.academy.waiting_list import usecases as waiting_list
from agency_site.features.checkout.admin.orders.detail import OrderDetailState
from tests.integration.backoffice.conftest import hire, open_tab
from tests.integration.features.academy.learners import (
    BUYER,
    EMAIL,
    buy,
    end_enrolment,
    find_link,
    list_learners,
    list_mails,
)
from tests.integration.features.academy.runs import ACTOR, open_run
from tests.integration.features.academy.waiting import count_taken, fill_run, join, list_states

pytestmark = pytest.mark.usefixtures("database", "noon")

OTIENO = "otieno.w@example.com"


async def end(number: int, *, notify: bool = True) -> tuple[str, ...]:
    """End the place at that index of `list_learners`."""
    row = (await list_learners())[number]
    async with session_scope() as session:
        return await end_place(session, row.reference, row.version, ACTOR, notify=notify)


async def enrolment() -> Enrolment:
    async with read_scope() as session:
        return (await session.exec(select(Enrolment))).one()


async def test_one_of_three_places_ends_and_goes_to_the_waiting_list() -> None:
    run = await fill_run(3)
    await join(run)
    await hire()
    reference = (await list_learners())[1].reference
    tab = await open_tab(LearnerDetail, f"/admin/learner?ref={reference}")
    await tab.run("ask_to_end")
    await tab.run("end_place", form={"notify": "on"})
    assert tab.state.done == f"Place ended. E-mail to: {EMAIL}."
    assert (tab.state.facts["state_name"], tab.state.facts["can_change"]) == ("Ended", "")
    assert (await count_taken(run), (await enrolment()).places) == (2, 2)
    assert await offer_freed_places() == 1
    assert (await list_states(), await count_taken(run)) == (["offered"], 3)
    page = await open_tab(RunPage, f"/admin/run?ref={run.reference}")
    assert [line.reference for line in page.state.learners] == [
        (await list_learners())[0].reference, (await list_learners())[2].reference,
    ]  # fmt: skip
    assert page.state.lines[0].what == "Place ended"
    assert "You still have 2 places" in str((await list_mails("place-ended"))[0].content)


async def test_a_named_learner_whose_place_has_ended_gets_no_more_mail_and_sees_that_it_has() -> None:
    run = await open_run()
    token = await buy(2, run.reference)
    async with session_scope() as session:
        await name_learners(session, token, {"name-2": "Otieno Wafula", "email-2": OTIENO})
    link = await find_link(1)
    assert await end(1) == (OTIENO, EMAIL)
    assert len((await list_mails("place-ended"))[0].attachments) == 4
    async with read_scope() as session:
        assert (await find_learner(session, link)).course.has_ended
        (first, *_) = await list_sessions(session, run.id)
        _, attendees = await list_attendance(session, run.reference, first.id)
        places = await find_places(session, token)
    assert [learner.reference for learner in attendees] == [(await list_learners())[0].reference]
    assert [learner.number for learner in places.learners] == [1]


async def test_the_page_of_the_order_lists_its_places_and_their_learners() -> None:
    run = await open_run()
    await buy(2, run.reference)
    await end(1)
    await hire()
    learner = await open_tab(LearnerDetail, f"/admin/learner?ref={(await list_learners())[0].reference}")
    tab = await open_tab(OrderDetailState, f"/admin/order?ref={learner.state.facts['order']}")
    assert [(line.name, line.state) for line in tab.state.learners] == [
        (BUYER, "Enrolled"), ("Not named yet", "Ended")
    ]  # fmt: skip


async def test_the_remaining_places_keep_their_numbers_and_can_be_named() -> None:
    run = await open_run()
    token = await buy(3, run.reference)
    await end(1, notify=False)
    async with session_scope() as session:
        await name_learners(session, token, {"name-3": "Wambui", "email-3": "wambui@example.com"})
    assert [learner.email for learner in await list_learners()] == [EMAIL, "", "wambui@example.com"]
    assert await list_mails("place-ended") == []


async def test_an_ended_place_cannot_get_a_learner() -> None:
    run = await open_run()
    await buy(2, run.reference)
    await end(1, notify=False)
    row, learner = (await list_learners())[1], LearnerRequest(fullname="Otieno Wafula", email=OTIENO)
    with pytest.raises(Conflict, match="already ended"):
        async with session_scope() as session:
            await change_learner(session, row.reference, row.version, learner, LearnerChange.HANDOVER)


async def test_a_move_takes_only_the_remaining_places_and_the_end_of_the_order_releases_them() -> None:
    run, other = await open_run(), await open_run()
    await buy(3, run.reference)
    await end(2)
    async with session_scope() as session:
        await move_enrolment(session, (await enrolment()).reference, run.reference, other.reference, ACTOR)
    assert (await count_taken(run), await count_taken(other)) == (0, 2)
    await end_enrolment()
    assert await count_taken(other) == 0


async def test_the_last_place_ends_the_enrolment_and_nothing_ends_twice() -> None:
    run = await open_run()
    await buy(2, run.reference)
    await end(0)
    row = (await list_learners())[1]
    with pytest.raises(StaleRecord):
        async with session_scope() as session:
            await end_place(session, row.reference, row.version + 1, ACTOR)
    await end(1)
    assert ((await enrolment()).ended_at, await count_taken(run)) == (clock.now(), 0)
    for number in (0, 1):
        with pytest.raises(Conflict, match="already ended"):
            await end(number)
    await end_enrolment()
    assert await count_taken(run) == 0


async def test_a_waiting_paid_order_waits_only_for_its_remaining_places() -> None:
    run = await fill_run(1)
    await buy(2, "", "paid@example.com")
    async with read_scope() as session:
        orders = (await session.exec(select(Enrolment.reference).order_by(Enrolment.id))).all()  # type: ignore[arg-type]
    async with session_scope() as session:
        await waiting_list.add_paid_order(session, orders[1], run.reference, ACTOR)
    await end(2)
    await end_enrolment()
    with clock.frozen(clock.now() + timedelta(minutes=1)):
        assert await offer_freed_places() == 1
    assert (await list_states(), await count_taken(run)) == (["taken"], 1)
