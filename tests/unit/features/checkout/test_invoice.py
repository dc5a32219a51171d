from dataclasses import replace
from datetime import UTC, datetime
from io import BytesIO

import pytest
from pypdf import PdfReader

from agency_site.errors import InputRejected
from agency_site.features.checkout.invoice import InvoiceDetails, invoice_pdf
from agency_site.features.checkout.invoice_drawing import NO_TAX_INVOICE
from agency_site.features.checkout.receipt import receipt_pdf
from agency_site.features.checkout.request import Company
from agency_site.form_input import read_form
from agency_site.places import RunStart
from tests.unit.features.checkout.test_receipt import FACTS as RECEIPT

FACTS = InvoiceDetails(
    reference="EN-7F3K9Q", ordered_at=datetime(2026, 11, 20, 22, 30, tzinfo=UTC), company="Savanna Foods & Sons Ltd",
    company_pin="P051234567X", name="Wanjikũ Ng'ang'a", email="wanjiku@example.com", course="Google Ads Masterclass",
    quantity=3, unit_price=15_000, discount=4_500, coupon="JANUARY-10", amount=40_500, paid=0,
    run=RunStart("CR-7F3K9Q", datetime(2027, 1, 12, 15, 30, tzinfo=UTC)),
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
        "Paid: KES 0", "To pay: KES 40,500", "CR-7F3K9Q", NO_TAX_INVOICE,
    ):  # fmt: skip
        assert fact in text


def test_a_paid_invoice_asks_for_nothing() -> None:
    text = text_of(invoice_pdf(replace(FACTS, paid=40_500)))
    assert "Paid: KES 40,500" in text
    assert "To pay" not in text


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
    "typed",
    [
        "P051234567X",
        " p051234567x ",
        "p 051 234 567 x",
        "P-051234567-X",
        "\u202aP051234567X\u202c",
        "P05123٤567X",
    ],
)
def test_a_pin_is_stored_in_one_spelling(typed: str) -> None:
    assert read_form(Company, {"companyName": "Savanna", "companyPin": typed}).company_pin == "P051234567X"


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
