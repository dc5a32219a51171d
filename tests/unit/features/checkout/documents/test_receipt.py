from dataclasses import replace
from datetime import UTC, datetime
from io import BytesIO
from typing import Any

import pytest
from fontTools.ttLib import TTFont  # type: ignore[import-untyped]
from hypothesis import given, settings
from hypothesis import strategies as st
from pypdf import PdfReader

from agency_site.artwork.brand_command import PDF_FONT
from agency_site.features.checkout.documents.facts import ReceiptDetails, ReceivedPayment
from agency_site.features.checkout.documents.rendering import receipt_pdf
from agency_site.places import RunStart

HEADINGS = TTFont(PDF_FONT)["name"].getDebugName(4).replace(" ", "")
PAYMENT = ReceivedPayment(
    amount=60_000,
    method="M-Pesa",
    label="M-Pesa receipt",
    number="UKK1B2C3D4",
    paid_at=datetime(2026, 11, 20, 22, 30, tzinfo=UTC),
)
NOT_STATED = (replace(PAYMENT, number=""),)
FACTS = ReceiptDetails(
    reference="EN-7F3K9Q",
    name="Wanjikũ Ng'ang'a Mũthĩ",
    email="wanjiku@example.com",
    course="Digital Marketing For CEOs Masterclass",
    quantity=2,
    unit_price=30_000,
    amount=60_000,
    paid=60_000,
    payments=(PAYMENT,),
)


def text_of(facts: ReceiptDetails) -> str:
    reader = PdfReader(BytesIO(receipt_pdf(facts)))
    assert len(reader.pages) == 1
    return reader.pages[0].extract_text()


def test_a_receipt_states_who_paid_what_for_what_and_when_in_nairobi() -> None:
    text = text_of(FACTS)
    for fact in (
        "EN-7F3K9Q",
        "Wanjikũ Ng'ang'a Mũthĩ",
        "wanjiku@example.com",
        "Digital Marketing For CEOs Masterclass",
        "KES 30,000",
        "KES 60,000",
        "UKK1B2C3D4",
        "21 November 2026, 01:30 EAT",
        "Mwanga Digital",
    ):
        assert fact in text


def test_a_receipt_names_the_course_run_and_its_start_in_nairobi() -> None:
    run = RunStart("CR-7F3K9Q", datetime(2027, 1, 12, 15, 30, tzinfo=UTC))
    assert "CR-7F3K9Q, starts Tuesday 12 January 2027, 18:30 EAT" in text_of(replace(FACTS, run=run))
    assert "Course run" not in text_of(FACTS)


def test_a_receipt_is_tagged_in_reading_order_and_has_a_language_and_a_title() -> None:
    reader = PdfReader(BytesIO(receipt_pdf(FACTS)))
    catalog: Any = reader.root_object
    assert (catalog["/Lang"], catalog["/MarkInfo"]["/Marked"]) == ("en-KE", True)
    assert catalog["/ViewerPreferences"]["/DisplayDocTitle"].value is True
    (document,) = catalog["/StructTreeRoot"]["/K"]
    elements = [element.get_object() for element in document.get_object()["/K"]]
    kinds = [element["/S"] for element in elements]
    assert (kinds.count("/H1"), set(kinds)) == (1, {"/H1", "/P"})
    assert [element["/K"][0] for element in elements] == list(range(len(elements)))
    # Each text is drawn inside of an element, each ornament inside of an artifact.
    drawn = reader.pages[0].get_contents()
    assert drawn is not None
    depth = 0
    for _, operator in drawn.operations:
        depth += {b"BDC": 1, b"BMC": 1, b"EMC": -1}.get(operator, 0)
        assert depth == 1 or operator not in DRAWING, operator


DRAWING = (b"Tj", b"TJ", b"f", b"S", b"re", b"l")


def test_labels_are_read_before_their_values() -> None:
    text = text_of(FACTS)
    places = [
        text.index(part) for part in ("Course", FACTS.course, "Places", "Price", "KES 30,000", "Amount")
    ]
    assert places == sorted(places)


def test_a_receipt_without_m_pesas_number_says_so() -> None:
    assert "Not known yet" in text_of(replace(FACTS, payments=NOT_STATED))


def test_the_same_facts_give_the_same_bytes() -> None:
    assert receipt_pdf(FACTS) == receipt_pdf(FACTS)


def font_names(facts: ReceiptDetails) -> set[str]:
    page: Any = PdfReader(BytesIO(receipt_pdf(facts))).pages[0]
    return {font["/BaseFont"].rpartition("+")[2] for font in page["/Resources"]["/Font"].values()}


def test_the_wide_font_is_embedded_only_for_letters_that_the_others_lack() -> None:
    own = {"Figtree", "FigtreeSemiBold", HEADINGS}
    assert font_names(replace(FACTS, name="Wanjiku Ng'ang'a")) == own
    assert font_names(FACTS) == {*own, "DejaVuSansBook"}


def test_every_letter_of_the_fixed_text_is_in_its_font(caplog: pytest.LogCaptureFixture) -> None:
    receipt_pdf(FACTS)
    receipt_pdf(replace(FACTS, name="Wanjiku Ng'ang'a", payments=NOT_STATED))
    assert "missing" not in caplog.text


@settings(max_examples=15, deadline=None)
@given(st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=161))
def test_any_name_can_be_drawn(name: str) -> None:
    assert receipt_pdf(replace(FACTS, name=name)).startswith(b"%PDF")


def test_a_receipt_states_what_was_given_back_and_the_balance() -> None:
    text = text_of(replace(FACTS, refunded=5_000))
    assert "Refunded since: KES 5,000. Balance: KES 55,000" in text
    assert "Refunded" not in text_of(FACTS)
