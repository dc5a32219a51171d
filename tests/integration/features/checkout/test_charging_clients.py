"""Staff place an order for a client from the client's page; the prompt goes to the client's phone."""

import pytest
from sqlmodel import col, select

from agency_site.auth.rules import Role
from agency_site.auth.tables import AuditEntry
from agency_site.db.engine import read_scope
from agency_site.features.checkout.admin.charge import NewOrder
from agency_site.features.checkout.rules import OrderState
from agency_site.features.checkout.tables import OrderEvent
from tests.integration.backoffice.conftest import Tab, enter, hire
from tests.integration.features.academy.runs import open_run
from tests.integration.features.checkout.conftest import PRICE, Shop, orders, payments, rows

FORM = {
    "choice": "google-ads", "quantity": "2", "first_name": "Baraka", "last_name": "Otieno", "email": "baraka@example.com",
    "phone": "0712 345 222", "company_name": "", "company_pin": "",
}  # fmt: skip
STAFF = "njeri@mwanga.example"


async def opened(query: str = "", role: Role = Role.FINANCE) -> Tab:
    await hire(STAFF, role)
    page = Tab(NewOrder, (await enter(STAFF)).token, f"/admin/orders/new{query}")
    await page.run("open_form")
    return page


async def test_the_form_knows_the_client_and_the_open_runs(shop: Shop) -> None:
    await shop.paid()
    run, full = await open_run(capacity="4"), await open_run(course_slug="meta-ads", capacity="1")
    page = await opened(f"?list=orders&ref={(await orders())[0].reference}")
    assert page.state.draft["email"] == "amina111@example.com"
    assert (page.state.draft["first_name"], page.state.draft["quantity"]) == ("Amina", "1")
    values = [one.value for one in page.state.options]
    assert f"google-ads {run.reference}" in values
    assert f"meta-ads {full.reference}" in values
    assert "digital-skills" not in values


async def test_the_client_is_prompted_and_enrolled_once_paid(shop: Shop) -> None:
    page = await opened()
    await page.run("charge", form=FORM)
    await shop.control.settled()
    (order,) = await orders()
    (payment,) = await payments()
    assert (order.state, order.amount, order.email) == (OrderState.PAID, 2 * PRICE, "baraka@example.com")
    assert (payment.phone, payment.amount) == ("254712345222", 2 * PRICE)
    assert [one.actor for one in await rows(OrderEvent)][:3] == [STAFF, STAFF, STAFF]
    async with read_scope() as session:
        entries = await session.exec(select(AuditEntry).where(col(AuditEntry.action) == "order.charged"))
        assert [(one.actor, one.reference) for one in entries.all()] == [(STAFF, order.reference)]


async def test_the_same_form_again_charges_nothing_more(shop: Shop) -> None:
    page = await opened()
    for _ in range(2):
        await page.run("charge", form=FORM)
        await shop.control.settled()
    assert len(await payments()) == 1


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"choice": "digital-skills"}, "choice"),
        ({"choice": "google-ads CR-222222"}, "choice"),
        ({"choice": ""}, "choice"),
        ({"quantity": "0"}, "quantity"),
        ({"quantity": "1000"}, "quantity"),
        ({"email": "baraka"}, "email"),
        ({"phone": "+44 20 7946 0958"}, "phone"),
        ({"company_name": "Savanna"}, "company_pin"),
    ],
)
async def test_what_does_not_fit_is_said_at_its_field(
    shop: Shop, changes: dict[str, str], field: str
) -> None:
    page = await opened()
    await page.run("charge", form={**FORM, **changes})
    assert list(page.state.errors) == [field]
    assert await orders() == []


async def test_a_client_with_a_paid_order_is_not_charged_again(shop: Shop) -> None:
    await shop.paid()
    page = await opened()
    await page.run("charge", form={**FORM, "email": "amina111@example.com"})
    assert "has an order for this course already" in page.state.problem
    assert len(await payments()) == 1


async def test_whoever_only_sees_payments_charges_nobody(shop: Shop) -> None:
    page = await opened(role=Role.FRONT_DESK)
    await page.run("charge", form=FORM)
    assert (await orders(), page.office.refusal != "") == ([], True)
