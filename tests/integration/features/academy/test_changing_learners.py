"""Correcting a learner and giving a place to another person, by the buyer and by staff."""

from datetime import timedelta

import pytest

from agency_site import clock
from agency_site.db.engine import read_scope, session_scope
from agency_site.errors import InputRejected, NotFound
from agency_site.features.academy.admin.learners.detail import LearnerDetail
from agency_site.features.academy.certificates.usecases import (
    issue_to_learner,
    issue_to_run,
    revoke_certificate,
)
from agency_site.features.academy.learners.attendance import mark_attendance
from agency_site.features.academy.learners.naming import name_learners
from agency_site.features.academy.learners.usecases import find_learner
from agency_site.features.academy.runs import records
from agency_site.features.academy.runs.records import RunRecord
from agency_site.features.checkout.admin.orders.detail import OrderDetailState
from tests.integration.backoffice.conftest import Tab, hire, open_tab
from tests.integration.features.academy.learners import (
    BUYER,
    EMAIL,
    buy,
    find_link,
    list_learners,
    list_mails,
)
from tests.integration.features.academy.runs import ACTOR, open_run

pytestmark = pytest.mark.usefixtures("database", "noon")

OTIENO, TYPO, RIGHT = "Otieno Wafula", "otieno@gmial.com", "otieno@gmail.com"


async def name(token: str, **form: str) -> None:
    async with session_scope() as session:
        await name_learners(session, token, {key.replace("_", "-"): value for key, value in form.items()})


async def sell_places(places: int = 2) -> tuple[RunRecord, str]:
    """Store a run, and an order whose second place has a mistyped address. Return the run and the order's token."""
    run = await open_run()
    token = await buy(places, run.reference)
    await name(token, name_2=OTIENO, email_2=TYPO)
    return run, token


async def attend(run: RunRecord, number: int, sessions: int = 4) -> None:
    row = (await list_learners())[number]
    async with session_scope() as session:
        for meeting in (await records.list_sessions(session, run.id))[:sessions]:
            await mark_attendance(session, run.reference, meeting.id, row.reference, ACTOR, attended=True)


async def count_attended(number: int) -> int:
    async with read_scope() as session:
        return len((await find_learner(session, await find_link(number))).attended)


async def open_learner(number: int) -> Tab:
    await hire()
    return await open_tab(LearnerDetail, f"/admin/learner?ref={(await list_learners())[number].reference}")


async def edit(tab: Tab, fullname: str, email: str, change: str = "correction") -> None:
    await tab.run("edit")
    await tab.run("save", form={"fullname": fullname, "email": email, "change": change})


@pytest.mark.parametrize(
    ("fullname", "email"),
    [
        (OTIENO, RIGHT),
        ("Otieno Wafula Junior", "wafula@example.com"),
        ("Otieno Wafulla", RIGHT),
        ("OTIENO WAFULA", "o.wafula@work.example"),
    ],
)
async def test_a_correction_keeps_attendance_renews_the_link_and_sends_nothing_to_the_wrong_address(
    fullname: str, email: str
) -> None:
    run, token = await sell_places()
    old = await find_link(1)
    with clock.frozen(run.starts_at + timedelta(hours=1)):
        await attend(run, 1, 1)
        await name(token, name_2=fullname, email_2=email)
    row = (await list_learners())[1]
    assert (row.fullname, row.email, await count_attended(1)) == (fullname, email, 1)
    assert await list_mails("learner-replaced") == []
    assert [mail.to for mail in await list_mails("learner-confirmed")] == [EMAIL, TYPO, email]
    async with read_scope() as session:
        with pytest.raises(NotFound):
            await find_learner(session, old)


async def test_a_new_person_gets_the_place_without_attendance_and_the_previous_learner_gets_a_mail() -> None:
    run, token = await sell_places()
    with clock.frozen(run.starts_at - timedelta(days=2)):
        await name(token, name_2="Wambui Kariuki", email_2="wambui@example.com")
    assert [mail.to for mail in await list_mails("learner-replaced")] == [TYPO]
    with clock.frozen(run.starts_at + timedelta(hours=1)):
        with pytest.raises(InputRejected, match="marked"):
            await name(token, name_2="Jane Kamau", email_2="jane@example.com")
        with pytest.raises(InputRejected, match="marked"):
            await name(token, name_2="", email_2="")


async def test_staff_correct_name_and_address_of_a_learner_after_the_deadline() -> None:
    run, _ = await sell_places()
    with clock.frozen(run.starts_at + timedelta(hours=1)):
        await attend(run, 1, 1)
        tab = await open_learner(1)
        await edit(tab, "Otieno W. Wafula", RIGHT)
        assert tab.state.done == f"Saved. E-mail to: {RIGHT}."
        assert (tab.state.facts["name"], tab.state.facts["email"]) == ("Otieno W. Wafula", RIGHT)
        assert await count_attended(1) == 1
        await edit(tab, OTIENO, RIGHT)
        assert tab.state.done == "Saved. No e-mail is sent."
    assert await list_mails("learner-replaced") == []


async def test_staff_give_a_place_to_another_person_and_name_one_without_a_name() -> None:
    run, _ = await sell_places(3)
    with clock.frozen(run.starts_at + timedelta(hours=1)):
        await attend(run, 1, 1)
        tab = await open_learner(1)
        await edit(tab, "Otieno Wafula", "son@example.com", "handover")
        assert tab.state.done == f"Saved. E-mail to: {TYPO}, son@example.com."
        assert await count_attended(1) == 0
        tab.go_to(f"/admin/learner?ref={(await list_learners())[2].reference}")
        await tab.run("open_record")
        await tab.run("edit")
        await tab.run("save", form={"fullname": "Wambui", "email": "wambui@example.com"})
        assert tab.state.done == "Saved. E-mail to: wambui@example.com."


async def test_wrong_input_of_staff_is_named_at_its_field() -> None:
    await sell_places()
    tab = await open_learner(1)
    await edit(tab, "", "otieno")
    assert set(tab.state.errors) == {"fullname", "email"}
    await edit(tab, OTIENO, EMAIL.upper())
    assert set(tab.state.errors) == {"email"}
    await edit(tab, OTIENO, RIGHT, "nonsense")
    assert (set(tab.state.errors), tab.state.panel) == ({"change"}, "edit")
    await tab.run("edit")
    second = await open_tab(LearnerDetail, f"/admin/learner?ref={(await list_learners())[1].reference}")
    await edit(second, "Otieno Second", TYPO)
    await tab.run("save", form={"fullname": "Otieno First", "email": TYPO, "change": "correction"})
    assert [conflict.label for conflict in tab.state.conflicts] == ["Full name"]


async def test_a_certificate_that_is_issued_again_has_the_corrected_name() -> None:
    run, _ = await sell_places()
    with clock.frozen(run.ends_at):
        await attend(run, 1)
        async with session_scope() as session:
            await issue_to_run(session, run.reference, ACTOR)
        tab = await open_learner(1)
        await edit(tab, "Wambui Kariuki", "wambui@example.com", "handover")
        assert "has a certificate" in tab.state.problem
        await edit(tab, "Otieno Wafulah", TYPO)
        serial, reference = tab.state.facts["certificate"], tab.state.reference
        async with session_scope() as session:
            await revoke_certificate(session, reference, serial, "Name", ACTOR)
            await issue_to_learner(session, reference, ACTOR)
        async with read_scope() as session:
            view = await find_learner(session, await find_link(1))
        assert view.certificate is not None
        assert view.certificate.fullname == "Otieno Wafulah"


async def test_a_certificate_is_offered_only_where_it_can_be_issued() -> None:
    run, _ = await sell_places(3)
    tab = await open_learner(1)
    assert tab.state.facts["can_get_certificate"] == ""
    with clock.frozen(run.ends_at):
        await attend(run, 1)
        tab = await open_tab(LearnerDetail, f"/admin/learner?ref={(await list_learners())[1].reference}")
        assert tab.state.facts["can_get_certificate"] == "yes"
        unnamed = await open_tab(LearnerDetail, f"/admin/learner?ref={(await list_learners())[2].reference}")
        assert unnamed.state.facts["can_get_certificate"] == ""


async def test_an_order_can_mail_only_a_few_more_addresses_a_day_than_it_has_places() -> None:
    run = await open_run()
    token = await buy(2, run.reference)
    for number in range(6):
        await name(
            token, name_2=f"Person {chr(97 + number) * 9}", email_2=f"stranger{number}@host{number}.example"
        )
    with pytest.raises(InputRejected) as rejected:
        await name(token, name_2="Person xxxxxxx", email_2="stranger@last.example")
    assert set(rejected.value.by_field()) == {"email-2"}
    assert len({mail.to for mail in await list_mails("learner-confirmed")}) == 2 + 5
    with clock.frozen(clock.now() + timedelta(days=1, minutes=1)):
        await name(token, name_2="Person yyyyyyy", email_2="stranger@last.example")


async def test_changing_the_contact_of_an_order_also_changes_the_buyers_own_place_if_ticked() -> None:
    run = await open_run()
    await buy(2, run.reference)
    await hire()
    page = await open_tab(LearnerDetail, f"/admin/learner?ref={(await list_learners())[0].reference}")
    tab = await open_tab(OrderDetailState, f"/admin/order?ref={page.state.facts['order']}")
    assert tab.state.facts["own_place"] == "yes"
    form = {"first_name": "Amina", "last_name": "Odhiambo", "phone": "0712 345 111"}
    await tab.run("open_contact")
    await tab.run("save_contact", form={**form, "email": "amina@right.example", "place": "on"})
    assert tab.state.done == "Contact and the buyer's own place saved."
    first, *_ = await list_learners()
    assert (first.fullname, first.email) == ("Amina Odhiambo", "amina@right.example")
    await tab.run("open_contact")
    await tab.run(
        "save_contact", form={**form, "last_name": BUYER.split()[1], "email": "amina@right.example"}
    )
    assert (tab.state.done, (await list_learners())[0].fullname) == ("Contact saved.", "Amina Odhiambo")
