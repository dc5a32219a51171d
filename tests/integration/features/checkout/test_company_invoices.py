"""A company pays: its name and KRA PIN are stored with the order, and it gets an invoice."""

import csv
import io

import httpx
import pytest
from sqlmodel import select

from agency_site.auth.rules import Role
from agency_site.backoffice.lists.definition import ListDefinition, read_query
from agency_site.backoffice.lists.export import lines_of_export
from agency_site.backoffice.lists.query import page_of
from agency_site.db.engine import read_scope, session_scope
from agency_site.features.checkout import personal_data
from agency_site.features.checkout.admin.orders.detail import OrderDetailState
from agency_site.features.checkout.admin.orders.list import ORDER_LIST_DEFINITION
from agency_site.features.checkout.admin.payments.list import PAYMENT_LIST_DEFINITION
from agency_site.features.checkout.orders.request import CheckoutRequest
from agency_site.form_input import read_form
from agency_site.mail.tables import OutboxMessage
from tests.example_records import FREE_COURSE
from tests.integration.backoffice.conftest import hire, open_tab
from tests.integration.features.checkout.conftest import Shop, order_path, orders
from tests.integration.features.checkout.orders import STAFF
from tests.integration.features.checkout.test_payment_page_state import Tab
from tests.integration.features.checkout.test_posted_payment import ask_for_number
from tests.integration.posted_forms import errors_of, stamped
from tests.integration.staff_sessions import session_header

NAME, PIN = "Savanna Foods & Sons Ltd", "P051234567X"
COMPANY = {"companyName": NAME, "companyPin": PIN}


async def stored() -> tuple[str, str]:
    order = (await orders())[-1]
    return order.company_name, order.company_pin


async def test_the_api_takes_a_company_whole_or_not_at_all(shop: Shop) -> None:
    refused = await shop.pay(companyName=NAME)
    assert (refused.status_code, refused.json()["errors"][0]["field"]) == (422, "companyPin")
    refused = await shop.pay(companyName=NAME, companyPin="051")
    assert (refused.status_code, refused.json()["errors"][0]["field"]) == (422, "companyPin")
    assert await orders() == []
    await shop.paid(**COMPANY)
    assert await stored() == (NAME, PIN)


async def test_the_payment_page_says_what_is_wrong_and_stores_the_company(shop: Shop) -> None:
    tab = Tab()
    state = await tab.open()
    await tab.fill(companyName=NAME, companyPin="051")
    assert (list(state.errors), state.modal) == (["companyPin"], False)
    assert state.details["companyName"] == NAME
    await tab.pay(**COMPANY)
    assert await stored() == (NAME, PIN)


async def test_without_scripts_nothing_typed_is_lost(visitor: httpx.AsyncClient, shop: Shop) -> None:
    number = await ask_for_number(visitor, **COMPANY)
    assert {name: number[name] for name in COMPANY} == COMPANY
    refused = await visitor.post("/payment", data={**number, "companyPin": "051", "mpesaPhone": "0712345111"})
    assert refused.status_code == 422
    del number["mpesaPhone"]
    again = await visitor.post("/payment", data={**number, "companyPin": "051"})
    assert "companyPin" in errors_of(again.text)
    assert 'value="Savanna Foods &amp; Sons Ltd"' in again.text
    assert (
        "open"
        in again.text.partition('id="payment-company"')[0].rpartition("<details")[2]
        + again.text.partition('id="payment-company"')[2].partition(">")[0]
    )
    paid = await visitor.post("/payment", data={**number, "mpesaPhone": "0712345111"})
    assert paid.status_code == 303
    assert await stored() == (NAME, PIN)


async def test_the_order_page_the_mail_and_the_invoice_name_the_company(
    visitor: httpx.AsyncClient, shop: Shop
) -> None:
    await shop.paid(**COMPANY)
    path = await order_path()
    page = (await visitor.get(path)).text
    assert "Savanna Foods &amp; Sons Ltd" in page
    assert f"{path}/company" not in page
    invoice = await visitor.get(f"/api{path.replace('order', 'orders')}/invoice.pdf")
    assert invoice.content.startswith(b"%PDF-")
    async with read_scope() as session:
        confirmed = select(OutboxMessage).where(OutboxMessage.kind == "enrolment-confirmed")
        words = (await session.exec(confirmed)).one().content
    assert ["Company", NAME] in words["facts"]
    assert "The receipt and the invoice are attached." in words["closing"]


async def test_a_buyer_names_the_company_later_and_once(visitor: httpx.AsyncClient, shop: Shop) -> None:
    await shop.paid()
    path = await order_path()
    assert (await visitor.get(f"/api{path.replace('order', 'orders')}/invoice.pdf")).status_code == 404
    for text, field in (({}, "companyName"), (COMPANY | {"companyPin": "051"}, "companyPin")):
        wrong = await visitor.post(f"{path}/company", data=stamped(text))
        assert (wrong.status_code, list(errors_of(wrong.text))) == (422, [field])
    assert 'value="Savanna Foods &amp; Sons Ltd"' in wrong.text
    saved = await visitor.post(f"{path}/company", data=stamped(COMPANY))
    assert (saved.status_code, saved.headers["location"]) == (303, path)
    assert await stored() == (NAME, PIN)
    other = await visitor.post(f"{path}/company", data=stamped({**COMPANY, "companyName": "Other Ltd"}))
    assert other.status_code == 422
    assert "please call us" in other.text
    unknown = await visitor.post("/order/nobody/company", data=stamped(COMPANY))
    assert unknown.status_code == 404
    assert await stored() == (NAME, PIN)


async def test_a_free_order_has_nothing_to_invoice(visitor: httpx.AsyncClient, shop: Shop) -> None:
    tab = Tab()
    await tab.open(FREE_COURSE.slug)
    await tab.fill(**COMPANY)
    assert await stored() == ("", "")
    path = await order_path()
    assert "A company pays" not in (await visitor.get(path)).text
    assert (await visitor.post(f"{path}/company", data=stamped(COMPANY))).status_code == 422


async def test_staff_correct_the_company_and_open_the_invoice(shop: Shop) -> None:
    await shop.paid(**COMPANY)
    reference = (await orders())[0].reference
    await hire()
    tab = await open_tab(OrderDetailState, f"/admin/order?ref={reference}")
    assert (tab.state.facts["company"], tab.state.facts["company_pin"]) == (NAME, PIN)
    await tab.run("open_contact")
    await tab.run("save_contact", form={**tab.state.draft, "company_pin": ""})
    assert list(tab.state.errors) == ["company_pin"]
    await tab.run("save_contact", form={**tab.state.draft, "company_pin": "p051234567y"})
    assert (tab.state.done, await stored()) == ("Contact saved.", (NAME, "P051234567Y"))
    path = f"/admin/export/orders/{reference}/invoice.pdf"
    assert (await shop.http.get(path, headers=await session_header(Role.FRONT_DESK))).content[:5] == b"%PDF-"
    assert (await shop.http.get(path, headers=await session_header(Role.TRAINER))).status_code == 403


@pytest.mark.parametrize("definition", [ORDER_LIST_DEFINITION, PAYMENT_LIST_DEFINITION])
async def test_exports_and_searches_have_the_company(shop: Shop, definition: ListDefinition) -> None:
    await shop.paid(**COMPANY)
    await shop.paid("112")
    query = read_query(definition, {"columns": "company,pin"})
    csv_text = b"".join([chunk async for chunk in lines_of_export(definition, query)])
    rows = list(csv.reader(io.StringIO(csv_text.decode("utf-8-sig"))))
    assert (rows[0], sorted(rows[1:])) == (["Company", "KRA PIN"], [["", ""], [NAME, PIN]])
    async with read_scope() as session:
        for words in ("savanna foods", PIN.lower()):
            assert len(await page_of(session, definition, read_query(definition, {"q": words}))) == 1


async def test_erasing_the_buyer_erases_the_company(shop: Shop) -> None:
    await shop.paid(**COMPANY)
    async with session_scope() as session:
        assert NAME in str(await personal_data.export(session, "amina111@example.com", ""))
        await personal_data.erase(session, "amina111@example.com", "", STAFF)
    assert await stored() == ("", "")
    assert "savanna" not in (await orders())[0].search


def test_the_request_is_whole_in_the_schema() -> None:
    schema = CheckoutRequest.model_json_schema()
    assert {"companyName", "companyPin"} <= schema["properties"].keys()
    assert not {"companyName", "companyPin"} & set(schema["required"])
    order = {
        "firstName": "A",
        "lastName": "B",
        "email": "a@example.com",
        "phone": "0712345678",
        "courseName": "x",
    }
    assert read_form(CheckoutRequest, {**order, "amount": 1, "companyPin": None}).company_pin == ""
