from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from io import BytesIO

import pytest
from pypdf import PdfReader

from agency_site.content.brand import BRAND
from agency_site.errors import InputRejected
from agency_site.features.checkout.documents.facts import CreditNoteDetails, InvoiceDetails
from agency_site.features.checkout.documents.invoice import NO_TAX_CREDIT_NOTE, NO_TAX_INVOICE
from agency_site.features.checkout.documents.rendering import credit_note_pdf, invoice_pdf, receipt_pdf
from agency_site.features.checkout.orders.request import Company
from agency_site.features.checkout.orders.rules import UNPAID_ORDERS, Balance, OrderState
from agency_site.features.checkout.orders.tables import Order
from agency_site.features.checkout.payments.documents import build_invoice, list_ways_to_pay
from agency_site.features.checkout.payments.rules import Refusal
from agency_site.form_input import read_form
from agency_site.money import kes
from agency_site.places import RunStart
from tests.unit.features.checkout.documents.test_receipt import FACTS as RECEIPT

FACTS = InvoiceDetails(
    reference="EN-7F3K9Q", ordered_at=datetime(2026, 11, 20, 22, 30, tzinfo=UTC), company="Savanna Foods & Sons Ltd",
    company_pin="P051234567X", name="Wanjikũ Ng'ang'a", email="wanjiku@example.com", course="Google Ads Masterclass",
    quantity=3, unit_price=15_000, discount=4_500, coupon="JANUARY-10", amount=40_500,
    run=RunStart("CR-7F3K9Q", datetime(2027, 1, 12, 15, 30, tzinfo=UTC)),
    vat="Includes 16% VAT: KES 5,586", balance="Paid: KES 0  ·  To pay: KES 40,500",
    due_on=datetime(2026, 12, 4, 22, 30, tzinfo=UTC),
    ways_to_pay=(("M-Pesa", "Paybill 174379, account EN-7F3K9Q"), ("Bank", "Example Bank, reference EN-7F3K9Q")),
)  # fmt: skip
CREDIT_NOTE = CreditNoteDetails(
    number="EN-7F3K9Q-C1", reference="EN-7F3K9Q", refunded_at=datetime(2026, 11, 24, 9, tzinfo=UTC),
    recipient="Savanna Foods & Sons Ltd", company_pin="P051234567X", course="Google Ads Masterclass", amount=4_500,
    vat="Includes 16% VAT: KES 621", refund_reference="UKM0REFUND", receipt="UKK1B2C3D4",
)  # fmt: skip


def text_of(pdf: bytes) -> str:
    reader = PdfReader(BytesIO(pdf))
    assert len(reader.pages) == 1
    return reader.pages[0].extract_text()


def test_an_invoice_states_number_day_both_parties_line_discount_and_sums() -> None:
    text = text_of(invoice_pdf(FACTS))
    for fact in (
        "Invoice", "EN-7F3K9Q", "21 November 2026", "Mwanga Digital", "Savanna Foods & Sons Ltd", "P051234567X",
        "Wanjikũ Ng'ang'a", "Google Ads Masterclass", "KES 15,000", "KES 45,000", "less KES 4,500", "KES 40,500",
        "Paid: KES 0", "To pay: KES 40,500", "CR-7F3K9Q", "Includes 16% VAT: KES 5,586", "5 December 2026",
        "Paybill 174379, account EN-7F3K9Q", "Example Bank, reference EN-7F3K9Q", f"KRA PIN {BRAND.kra_pin}", NO_TAX_INVOICE,
    ):  # fmt: skip
        assert fact in text


def order(state: OrderState) -> Order:
    return Order(
        reference="EN-7F3K9Q", state=state, first_name="Sukarno", last_name="", email="s@example.com",
        phone="+254712345678", company_name="Noor Ltd", company_pin="P051234567X", course_slug="google-ads",
        course_name="Google Ads Masterclass", quantity=1, unit_price=15_000, amount=15_000, token_hash="",
        created_at=FACTS.ordered_at, updated_at=FACTS.ordered_at,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("state", "received", "refunded", "balance"),
    [
        (OrderState.PAID, 15_000, 0, "Paid: KES 15,000  ·  Nothing to pay"),
        (OrderState.PAID, 15_000, 4_500, "Paid: KES 15,000  ·  Refunded: KES 4,500  ·  Nothing to pay"),
        (OrderState.PAID, 10_000, 0, "Paid and accepted: KES 10,000  ·  Nothing to pay"),
        (OrderState.PAID, 16_500, 0, "Paid and accepted: KES 16,500  ·  Nothing to pay"),
        (
            OrderState.REFUNDED,
            15_000,
            15_000,
            "Paid: KES 15,000  ·  Refunded: KES 15,000  ·  Nothing to pay",
        ),
        (OrderState.FREE, 0, 0, "Paid: KES 0  ·  Nothing to pay"),
        (OrderState.NEEDS_REVIEW, 0, 0, "A payment is being checked: please do not pay now."),
    ],
)
def test_an_invoice_asks_for_nothing_that_is_not_owed(
    state: OrderState, received: int, refunded: int, balance: str
) -> None:
    facts = build_invoice(order(state), Balance(15_000, received, refunded), None)
    assert (facts.balance, facts.due_on, facts.ways_to_pay) == (balance, None, ())
    text = text_of(invoice_pdf(facts))
    assert "To pay:" not in text
    assert "Paybill" not in text


@pytest.mark.parametrize("state", sorted(UNPAID_ORDERS))
@pytest.mark.parametrize(
    ("received", "refunded", "due"), [(0, 0, 15_000), (7_500, 0, 7_500), (7_500, 7_500, 15_000)]
)
def test_an_unpaid_invoice_says_what_is_missing_until_when_and_how_to_pay_it(
    state: OrderState, received: int, refunded: int, due: int
) -> None:
    facts = build_invoice(order(state), Balance(15_000, received, refunded), None)
    assert facts.balance == f"Paid: {kes(received - refunded)}  ·  To pay: {kes(due)}"
    assert facts.due_on == FACTS.ordered_at + timedelta(days=14)
    assert facts.ways_to_pay == (
        ("M-Pesa", "Paybill 174379, account EN-7F3K9Q"),
        ("Bank", f"{BRAND.bank_account}, reference EN-7F3K9Q"),
    )
    assert (
        build_invoice(
            order(state), Balance(15_000, received, refunded), None, Refusal.RUN_CANCELLED
        ).ways_to_pay
        == ()
    )


def test_a_till_has_no_account_number(configure: Callable[..., object]) -> None:
    configure(mpesa_transaction_type="CustomerBuyGoodsOnline", mpesa_party_b="654321")
    assert list_ways_to_pay("EN-7F3K9Q")[0] == ("M-Pesa", "Till 654321")


def test_vat_is_stated_where_it_is_set(configure: Callable[..., object]) -> None:
    balance = Balance(15_000, 0, 0)
    assert build_invoice(order(OrderState.UNPAID), balance, None).vat == ""
    configure(vat_percent=16)
    assert build_invoice(order(OrderState.UNPAID), balance, None).vat == "Includes 16% VAT: KES 2,069"


def test_a_credit_note_states_its_number_the_order_both_parties_and_the_amount() -> None:
    text = text_of(credit_note_pdf(CREDIT_NOTE))
    for fact in (
        "Credit note", "EN-7F3K9Q-C1", "24 November 2026", f"KRA PIN {BRAND.kra_pin}", "Savanna Foods & Sons Ltd",
        "P051234567X", "Google Ads Masterclass, order EN-7F3K9Q", "KES 4,500", "Includes 16% VAT: KES 621",
        "UKM0REFUND", "UKK1B2C3D4", NO_TAX_CREDIT_NOTE,
    ):  # fmt: skip
        assert fact in text


def test_a_person_with_one_name_has_no_dash_or_space_after_it() -> None:
    assert build_invoice(order(OrderState.UNPAID), Balance(15_000, 0, 0), None).name == "Sukarno"


def test_the_same_invoice_has_the_same_bytes() -> None:
    assert invoice_pdf(FACTS) == invoice_pdf(FACTS)


def test_a_receipt_names_the_company_that_paid() -> None:
    run = RunStart("CR-7F3K9Q", datetime(2027, 1, 12, 15, 30, tzinfo=UTC))
    paid = replace(
        RECEIPT, company="Savanna Foods Ltd", company_pin="P051234567X", run=run, discount=500, coupon="TEA"
    )
    text = text_of(receipt_pdf(paid))
    assert "Savanna Foods Ltd, KRA PIN P051234567X" in text
    assert "KRA PIN" not in text_of(receipt_pdf(RECEIPT))


@pytest.mark.parametrize(
    "text",
    [
        "P051234567X",
        " p051234567x ",
        "p 051 234 567 x",
        "P-051234567-X",
        "\u202aP051234567X\u202c",
        "P05123٤567X",
    ],
)
def test_a_pin_is_stored_in_one_spelling(text: str) -> None:
    assert read_form(Company, {"companyName": "Savanna", "companyPin": text}).company_pin == "P051234567X"


@pytest.mark.parametrize(
    ("name", "pin", "field"),
    [
        ("Savanna", "051234567", "companyPin"),
        ("Savanna", "P05123456XX", "companyPin"),
        ("Savanna", "PP51234567X", "companyPin"),
        ("Savanna", "P0512345678X", "companyPin"),
        ("\u200b.", "P051234567X", "companyName"),
        ("Savanna", "", "companyPin"),
        ("", "P051234567X", "companyName"),
        ("x" * 121, "P051234567X", "companyName"),
    ],
)
def test_what_is_wrong_with_a_company_is_said_at_its_field(name: str, pin: str, field: str) -> None:
    with pytest.raises(InputRejected) as refused:
        read_form(Company, {"companyName": name, "companyPin": pin}).checked()
    assert list(refused.value.by_field()) == [field]
