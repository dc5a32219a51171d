"""The order page as two members of staff use it at the same time."""

import pytest

from agency_site.db.engine import session_scope
from agency_site.features.checkout.admin.orders.detail import OrderDetailState
from agency_site.features.checkout.order_details.staff_usecases import change_contact
from agency_site.features.checkout.orders.staff_request import Contact
from agency_site.features.checkout.payments.rules import PaymentState
from tests.integration.backoffice.conftest import Tab, hire, newest_detail, open_tab
from tests.integration.features.checkout.conftest import Shop, mails, orders, payments
from tests.integration.features.checkout.orders import OTHER, RECEIPT, order_detail, resolve, under_review

TYPED = {
    "first_name": "Amina", "last_name": "Wanjirũ", "email": "amina111@example.com", "phone": "0712 345 111",
}  # fmt: skip


async def open_order() -> Tab:
    await hire()
    return await open_tab(OrderDetailState, f"/admin/order?ref={(await orders())[0].reference}")


async def change_theirs(**fields: str) -> None:
    (order,) = await orders()
    async with session_scope() as session:
        await change_contact(session, order.reference, order.version, Contact(**TYPED | fields), OTHER)


async def test_a_reference_of_no_order_is_named(shop: Shop) -> None:
    assert shop
    await hire()
    tab = await open_tab(OrderDetailState, "/admin/order?ref=EN-NOBODY")
    assert (tab.state.problem, tab.state.reference) == ("There is no order with this reference.", "")


async def test_fields_of_the_contact_that_one_editor_each_changed_are_merged(shop: Shop) -> None:
    await shop.paid()
    tab = await open_order()
    await tab.run("open_contact")
    await change_theirs(last_name="Odhiambo")
    await tab.run("save_contact", form={**TYPED, "phone": "0733 111 222"})
    assert (tab.state.done, tab.state.panel) == ("Contact saved.", "")
    order = (await order_detail()).order
    assert (order.last_name, order.phone) == ("Odhiambo", "+254733111222")
    # The log names what this editor has changed, not what was merged.
    assert await newest_detail("order.contact_corrected") == "Phone"


async def test_the_form_shows_the_phone_as_the_page_does_and_leaves_it_as_it_is(shop: Shop) -> None:
    await shop.paid()
    tab = await open_order()
    await tab.run("open_contact")
    assert tab.state.draft["phone"] == tab.state.facts["phone_label"] == "0712 345 111"
    await change_theirs(phone="0733 111 222")
    await tab.run("save_contact", form=TYPED | {"last_name": "Odhiambo"})
    order = (await order_detail()).order
    assert (order.last_name, order.phone) == ("Odhiambo", "+254733111222")


async def test_staff_correct_a_contact_to_one_name_also_over_a_conflict(shop: Shop) -> None:
    await shop.paid()
    tab = await open_order()
    await tab.run("open_contact")
    await change_theirs(last_name="Theirs")
    await tab.run("save_contact", form=TYPED | {"last_name": "", "one_name": "yes"})
    await tab.run("save_mine", _form={})
    assert (tab.state.done, (await order_detail()).order.last_name) == ("Contact saved.", "")


async def test_the_payment_link_is_mailed_after_a_question(shop: Shop) -> None:
    await shop.paid("001")
    tab = await open_order()
    sent_mails = await mails()
    await tab.run("ask_to_send_link")
    assert (tab.state.panel, await mails()) == ("link", sent_mails)
    await tab.run("send_link")
    assert (tab.state.panel, tab.state.done) == ("", "The payment link is being sent.")
    assert len(await mails()) == len(sent_mails) + 1


@pytest.mark.parametrize(("handler", "name"), [("keep_theirs", "Theirs"), ("save_mine", "Mine")])
async def test_of_two_names_the_second_editor_chooses_one(shop: Shop, handler: str, name: str) -> None:
    await shop.paid()
    tab = await open_order()
    await tab.run("open_contact")
    await change_theirs(last_name="Theirs")
    await tab.run("save_contact", form={**TYPED, "last_name": "Mine", "phone": "0733 111 222"})
    assert [(conflict.label, conflict.theirs, conflict.own) for conflict in tab.state.conflicts] == [
        ("Last name", "Theirs", "Mine")
    ]
    assert tab.state.conflict_author == OTHER
    assert tab.state.panel == "contact"
    await tab.run(handler, **({"_form": {}} if handler == "save_mine" else {}))
    order = (await order_detail()).order
    assert (order.last_name, order.phone) == (name, "+254733111222")
    assert (tab.state.conflicts, tab.state.panel) == ([], "")


async def test_a_decision_that_somebody_else_has_made_closes_the_dialog(shop: Shop) -> None:
    await under_review(shop)
    tab = await open_order()
    await tab.run("open_payment", panel="decide", payment_id=(await payments())[0].id)
    await resolve(actor=OTHER)
    await tab.run("decide", form={"outcome": "failed", "reason": "not in the statement"})
    assert tab.state.problem.startswith("Another person changed order")
    assert (tab.state.panel, tab.state.facts["state"]) == ("", "Paid")


async def test_a_decision_can_be_repeated_when_only_the_contact_has_changed(shop: Shop) -> None:
    await under_review(shop)
    tab = await open_order()
    await tab.run("open_payment", panel="decide", payment_id=(await payments())[0].id)
    await change_theirs(last_name="Odhiambo")
    form = {"outcome": "paid", "reason": "in the statement", "receipt": RECEIPT}
    await tab.run("decide", form=form)
    assert (tab.state.panel, tab.state.facts["name"]) == ("decide", "Amina Odhiambo")
    assert (await payments())[0].state is PaymentState.NEEDS_REVIEW
    await tab.run("decide", form=form)
    assert (tab.state.done, tab.state.panel) == ("Payment accepted.", "")


async def test_the_answer_to_a_status_query_is_shown(shop: Shop) -> None:
    await shop.paid()
    tab = await open_order()
    await tab.run("query_payment", payment_id=(await payments())[0].id)
    assert (tab.state.done, tab.state.queried) == ("M-Pesa responded: paid (0). The payment is paid.", 0)
    await tab.run("query_payment", payment_id=12345)
    assert tab.state.problem == "This action is no longer available for that payment."
