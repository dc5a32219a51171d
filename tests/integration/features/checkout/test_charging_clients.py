"""Staff place an order for a client: the total first, then a prompt, a link, money, an invoice or a free place."""

from typing import Any

import pytest
from sqlmodel import col, select

from agency_site.auth.rules import Role
from agency_site.auth.tables import AuditEntry
from agency_site.db.engine import read_scope
from agency_site.features.checkout.admin.orders.charge import NewOrder
from agency_site.features.checkout.buying.order_status import Stage
from agency_site.features.checkout.orders.queries import find_order_token
from agency_site.features.checkout.orders.rules import OrderState
from agency_site.features.checkout.orders.tables import OrderEvent
from agency_site.features.checkout.payments.rules import PaymentKind
from agency_site.features.checkout.transactions.tables import UnassignedTransaction
from agency_site.mail.tables import OutboxMessage
from tests.example_records import FREE_COURSE, OTHER_COURSE, PAID_COURSE
from tests.integration.backoffice.conftest import Tab, enter, hire
from tests.integration.features.academy.runs import open_run
from tests.integration.features.checkout.conftest import (
    PRICE,
    Shop,
    enrolments,
    mails,
    order_view,
    orders,
    payments,
    rows,
)
from tests.integration.features.checkout.orders import report
from tests.integration.features.checkout.test_company_invoices import COMPANY, NAME, PIN
from tests.integration.features.checkout.test_coupons import CODE, coupon
from tests.integration.features.checkout.test_manual_payments import RECEIPT, book

FORM = {
    "choice": PAID_COURSE.slug, "quantity": "2", "coupon": "", "first_name": "Baraka", "last_name": "Otieno",
    "email": "baraka@example.com", "phone": "0712 345 222", "company_name": "", "company_pin": "",
}  # fmt: skip
MONEY = {"kind": "cash", "amount": "30,000", "receipt": "BOOK 7", "paid_at": "2026-11-20T11:30", "note": ""}
STAFF = "njeri@mwanga.example"
TOTAL = 2 * PRICE


async def opened(query: str = "", role: Role = Role.FINANCE) -> Tab:
    await hire(STAFF, role)
    tab = Tab(NewOrder, (await enter(STAFF)).token, f"/admin/orders/new{query}")
    await tab.run("open_form")
    return tab


async def checked(query: str = "", **changes: str) -> Tab:
    """The second step."""
    tab = await opened(query)
    await tab.run("check", form={**FORM, **changes})
    assert (tab.state.problem, tab.state.errors) == ("", {})
    return tab


def read_summary(tab: Tab) -> dict[str, str]:
    return {line.label: line.text for line in tab.state.summary}


async def test_the_form_knows_the_client_their_company_and_the_open_runs_and_chooses_no_course(
    shop: Shop,
) -> None:
    await shop.paid(**COMPANY)
    run, full = await open_run(capacity="4"), await open_run(course_slug=OTHER_COURSE.slug, capacity="1")
    tab = await opened(f"?list=orders&ref={(await orders())[0].reference}")
    draft = tab.state.draft
    assert (draft["email"], draft["first_name"], draft["last_name"]) == (
        "amina111@example.com",
        "Amina",
        "Wanjirũ",
    )
    assert (draft["quantity"], draft["company_name"], draft["company_pin"]) == ("1", NAME, PIN)
    assert "choice" not in draft
    values = [option.value for option in tab.state.options]
    assert f"{PAID_COURSE.slug} {run.reference}" in values
    assert f"{OTHER_COURSE.slug} {full.reference}" in values
    assert FREE_COURSE.slug not in values


async def test_the_total_is_shown_before_anything_is_stored_or_sent(shop: Shop) -> None:
    await coupon()
    tab = await checked(coupon=CODE.lower(), company_name=NAME, company_pin=PIN)
    assert read_summary(tab)["Total"] == "KES 27,000"
    assert read_summary(tab)["Company"] == f"{NAME}, KRA PIN {PIN}"
    assert tab.state.labels["prompt"] == "Send a prompt for KES 27,000 to 0712 345 222"
    assert tab.state.labels["link"] == "E-mail baraka@example.com a link to pay KES 27,000"
    assert (await orders(), await mails(), await shop.charged()) == ([], [], 0)
    await tab.run("change")
    assert (tab.state.summary, tab.state.draft["coupon"], tab.state.draft["choice"]) == (
        [],
        CODE.lower(),
        PAID_COURSE.slug,
    )


async def test_the_client_is_prompted_and_enrolled_once_paid(shop: Shop) -> None:
    tab = await checked()
    await tab.run("charge")
    await shop.control.settled()
    (order,), (payment,) = await orders(), await payments()
    assert (order.state, order.amount, order.email) == (OrderState.PAID, TOTAL, "baraka@example.com")
    assert (payment.phone, payment.amount) == ("254712345222", TOTAL)
    assert [order_event.actor for order_event in await rows(OrderEvent)][:3] == [STAFF, STAFF, STAFF]
    async with read_scope() as session:
        entries = await session.exec(select(AuditEntry).where(col(AuditEntry.action) == "order.charged"))
        assert [(entry.actor, entry.reference) for entry in entries.all()] == [(STAFF, order.reference)]


async def test_staff_place_an_order_for_a_client_with_one_name(shop: Shop) -> None:
    tab = await opened()
    await tab.run("check", form={**FORM, "last_name": ""})
    assert tab.state.errors.keys() == {"last_name"}
    await tab.run("check", form={**FORM, "last_name": "", "one_name": "yes"})
    await tab.run("change")
    assert tab.state.draft["one_name"] == "yes"
    await tab.run("check", form=tab.state.draft)
    await tab.run("invoice_only")
    assert [(order.first_name, order.last_name) for order in await orders()] == [("Baraka", "")]


@pytest.mark.parametrize("way", ["charge", "send_link", "invoice_only", "enrol"])
async def test_without_the_second_step_nothing_happens(shop: Shop, way: str) -> None:
    tab = await opened()
    await tab.run(way)
    assert (tab.state.problem, await orders()) == ("Please fill in the order first.", [])


async def test_a_second_click_places_no_other_order(shop: Shop) -> None:
    tab = await checked()
    for _ in range(2):
        await tab.run("charge")
        await shop.control.settled()
    await tab.run("invoice_only")
    assert (len(await orders()), len(await payments())) == (1, 1)


async def test_the_link_is_mailed_with_the_invoice_of_a_company_and_can_be_paid(shop: Shop) -> None:
    tab = await checked(company_name=NAME, company_pin=PIN)
    await tab.run("send_link")
    (order,), (mail,) = await orders(), await rows(OutboxMessage)
    assert (order.state, await payments()) == (OrderState.UNPAID, [])
    assert (mail.kind, mail.to) == ("payment-link", "baraka@example.com")
    assert "The invoice is attached." in str(mail.content)
    view = await order_view()
    assert (view.stage, view.due) == (Stage.PAYABLE, TOTAL)
    shown_page = (await shop.http.get(f"/order/{find_order_token(order)}")).text
    assert "Pay KES 30,000" in shown_page
    await shop.retried()
    assert ((await orders())[0].state, (await payments())[0].phone) == (OrderState.PAID, "254712345222")


async def test_an_invoice_alone_sends_nothing(shop: Shop) -> None:
    tab = await checked(company_name=NAME, company_pin=PIN, phone="020 2345678")
    assert tab.state.labels["prompt"] == ""
    await tab.run("invoice_only")
    (order,) = await orders()
    assert (order.state, order.company_name, await payments(), await mails()) == (
        OrderState.UNPAID,
        NAME,
        [],
        [],
    )
    invoice = await shop.http.get(f"/api/orders/{find_order_token(order)}/invoice.pdf")
    assert invoice.content.startswith(b"%PDF-")
    assert (await report()).balanced


async def test_money_that_is_here_is_recorded_with_the_order(shop: Shop) -> None:
    tab = await checked()
    await tab.run("record", form={**MONEY, "receipt": ""})
    assert (list(tab.state.errors), await orders()) == (["receipt"], [])
    await tab.run("record", form=MONEY)
    (order,), (payment,) = await orders(), await payments()
    assert (order.state, payment.kind, payment.amount) == (OrderState.PAID, PaymentKind.CASH, TOTAL)
    assert (len(await enrolments()), (await mails()).count("enrolment-confirmed")) == (1, 1)
    assert await shop.charged() == 0


async def test_an_order_is_placed_for_an_unassigned_payment_without_a_prompt(shop: Shop) -> None:
    await book(amount="30000", account="FAITH")
    tab = await checked(f"?transaction={RECEIPT}")
    assert "KES 30,000" in tab.state.transaction_text
    await tab.run("assign", form={"note": ""})
    (order,), (payment,) = await orders(), await payments()
    assert (order.state, payment.receipt, payment.kind) == (OrderState.PAID, RECEIPT, PaymentKind.PAYBILL)
    assert ((await report()).balanced, await shop.charged()) == (True, 0)
    assert len(await rows(UnassignedTransaction)) == 1


async def test_too_much_for_the_order_needs_a_note_and_stores_nothing_without(shop: Shop) -> None:
    await book(amount="31000", account="FAITH")
    tab = await checked(f"?transaction={RECEIPT}")
    await tab.run("assign", form={"note": ""})
    assert (list(tab.state.errors), await orders()) == (["note"], [])
    await tab.run("assign", form={"note": "tea money"})
    assert (await orders())[0].state is OrderState.PAID


async def test_a_place_free_of_charge_needs_a_reason_and_no_payment(shop: Shop) -> None:
    run = await open_run(capacity="4")
    tab = await checked(choice=f"{PAID_COURSE.slug} {run.reference}")
    await tab.run("give", form={"reason": " "})
    assert (list(tab.state.errors), await orders()) == (["reason"], [])
    await tab.run("give", form={"reason": "sponsored by the county"})
    (order,) = await orders()
    assert (order.state, order.amount, order.discount, order.coupon_code) == (OrderState.FREE, 0, TOTAL, "")
    assert (await payments(), len(await enrolments()), (await report()).balanced) == ([], 1, True)
    assert "free of charge: sponsored by the county" in [
        order_event.why for order_event in await rows(OrderEvent)
    ]


async def test_a_coupon_of_all_offers_to_enrol_only(shop: Shop) -> None:
    await coupon(discount="100%")
    tab = await checked(coupon=CODE)
    assert [name for name, label in tab.state.labels.items() if label] == ["enrol"]
    await tab.run("enrol")
    assert ((await orders())[0].state, len(await enrolments())) == (OrderState.FREE, 1)


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"choice": FREE_COURSE.slug}, "choice"),
        ({"choice": f"{PAID_COURSE.slug} CR-222222"}, "choice"),
        ({"choice": ""}, "choice"),
        ({"quantity": "0"}, "quantity"),
        ({"quantity": "1000"}, "quantity"),
        ({"coupon": "NOSUCH"}, "coupon"),
        ({"email": "baraka"}, "email"),
        ({"phone": "12"}, "phone"),
        ({"company_name": "Savanna"}, "company_pin"),
    ],
)
async def test_what_does_not_fit_is_said_at_its_field(
    shop: Shop, changes: dict[str, str], field: str
) -> None:
    tab = await opened()
    await tab.run("check", form={**FORM, **changes})
    assert (list(tab.state.errors), tab.state.summary) == ([field], [])
    assert await orders() == []


async def test_a_client_with_a_paid_order_is_not_charged_again(shop: Shop) -> None:
    await shop.paid()
    tab = await checked(email="amina111@example.com")
    await tab.run("charge")
    assert "has an order for this course already" in tab.state.problem
    assert len(await payments()) == 1


@pytest.mark.parametrize(("way", "form"), [("check", FORM), ("record", MONEY), ("give", {"reason": "x"})])
async def test_whoever_only_sees_payments_places_no_order(shop: Shop, way: str, form: dict[str, Any]) -> None:
    tab = await opened(role=Role.FRONT_DESK)
    await tab.run(way, form=form)
    assert (await orders(), tab.back_office.refusal != "") == ([], True)
