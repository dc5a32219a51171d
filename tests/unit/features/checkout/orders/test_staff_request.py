"""Input of staff: receipts, references, reasons, contacts."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agency_site.errors import InputRejected
from agency_site.features.checkout.direct_payments.staff_request import read_manual_payment
from agency_site.features.checkout.orders.staff_request import (
    read_address,
    read_contact,
    read_note,
    read_reason,
    read_receipt_number,
)
from agency_site.features.checkout.payments.rules import PaymentKind
from agency_site.features.checkout.refunds.staff_request import read_refund

pytestmark = pytest.mark.usefixtures("noon")

RECEIPT = re.compile(r"[A-Z0-9]{10}")


@given(st.from_regex(r"[A-Z0-9]{10}", fullmatch=True), st.sampled_from(["", " ", "\t", "\u00a0"]))
def test_a_receipt_is_taken_in_any_case_and_spacing(receipt: str, space: str) -> None:
    text = f"{space}{receipt[:4].lower()}{space}{receipt[4:]}{space}"
    assert read_receipt_number({"receipt": text}) == receipt


@given(st.text())
def test_nothing_but_ten_letters_and_digits_is_a_receipt(text: str) -> None:
    try:
        receipt_number = read_receipt_number({"receipt": text})
    except InputRejected:
        return
    assert RECEIPT.fullmatch(receipt_number)


@pytest.mark.parametrize(
    "text",
    [
        "Confirmed. UKA1B2C3D4",
        "uka1b2c3d4 Confirmed. Ksh15,000.00 sent to MWANGA for account EN-7F3K9Q on 20/11/26 at 11:59 AM",
        "UKA1B2C3D4 Confirmed.\nKsh15,000.00 sent to 0712345678 INVESTMENT. UKA1B2C3D4",
        "Receipt: UKA1B2C3D4.",
    ],
)
def test_the_receipt_in_a_pasted_message_is_taken(text: str) -> None:
    assert read_receipt_number({"receipt": text}) == "UKA1B2C3D4"


@pytest.mark.parametrize("text", ["UKA1B2C3D4 and UKA1B2C3D5", "paid to INVESTMENT", "by 0712345678 today"])
def test_a_text_with_several_receipts_or_none_is_refused(text: str) -> None:
    with pytest.raises(InputRejected):
        read_receipt_number({"receipt": text})


@pytest.mark.parametrize("text", ["", "UKA1B2C3D", "UKA1B2C3D45", "UKA1B2C3D-", "UKA1B2C3DÉ"])
def test_other_receipts_are_refused_with_an_example(text: str) -> None:
    with pytest.raises(InputRejected, match="such as UKA1B2C3D4"):
        read_receipt_number({"receipt": text})


def test_a_refund_has_a_reference_in_capitals() -> None:
    assert (
        read_refund({"refund_reference": "  bank  ref 12/a-3.4 ", "reason": "x"}).reference
        == "BANK REF 12/A-3.4"
    )
    for wrong in ("", " ", "-", "a;b", "x" * 41):
        with pytest.raises(InputRejected) as refused:
            read_refund({"refund_reference": wrong, "reason": "x"})
        assert refused.value.by_field().keys() == {"refund_reference"}


def test_reasons_and_notes_are_required() -> None:
    assert read_reason({"reason": " statement  checked "}) == "statement checked"
    assert read_note({"note": " one\r\ntwo "}) == "one\ntwo"
    for read, field in ((read_reason, "reason"), (read_note, "note"), (read_address, "address")):
        blank = () if field == "address" else ("", "  ")
        for wrong in (*blank, "a\x00b", "x" * 5_000):
            with pytest.raises(InputRejected) as refused:
                read({field: wrong})
            assert refused.value.by_field().keys() == {field}


def test_a_contact_is_judged_like_a_visitors_own() -> None:
    contact = read_contact(
        {
            "first_name": " Amina ",
            "last_name": "Wanjirũ",
            "email": "Amina@Example.com",
            "phone": "0712 345 678",
        }
    )
    assert (contact.first_name, contact.email, contact.phone) == (
        "Amina",
        "Amina@example.com",
        "+254712345678",
    )
    with pytest.raises(InputRejected) as refused:
        read_contact({"first_name": "", "last_name": " ", "email": "nobody", "phone": "12"})
    assert refused.value.by_field().keys() == {"first_name", "last_name", "email", "phone"}


def test_staff_enter_one_name_with_the_tick() -> None:
    form = {"first_name": "Sukarno", "last_name": "-", "email": "s@example.com", "phone": "0712 345 678"}
    with pytest.raises(InputRejected) as refused:
        read_contact(form)
    assert refused.value.by_field() == {
        "last_name": "Please enter the last name, or tick “The client has one name”."
    }
    contact = read_contact({**form, "one_name": "yes"})
    assert (contact.last_name, "one_name" in contact.model_dump()) == ("", False)


@pytest.mark.parametrize("email", ["", "nobody", "a" * 300])
def test_messages_speak_of_the_customer_and_not_to_a_visitor(email: str) -> None:
    with pytest.raises(InputRejected) as refused:
        read_contact({"email": email})
    assert "your" not in " ".join(refused.value.by_field().values()).casefold()
    if email:
        with pytest.raises(InputRejected) as rejected:
            read_address({"address": email})
        assert "your" not in rejected.value.by_field()["address"].casefold()


MANUAL = {"kind": "cash", "amount": " 5 000 ", "receipt": " book 3 / 17 ", "paid_at": "2026-11-20T09:00"}


def test_a_payment_by_hand_is_read() -> None:
    manual_payment = read_manual_payment(MANUAL)
    assert (manual_payment.kind, manual_payment.amount, manual_payment.receipt) == (
        PaymentKind.CASH,
        5_000,
        "BOOK 3 / 17",
    )
    assert (manual_payment.paid_at.isoformat(), manual_payment.note) == ("2026-11-20T09:00:00+03:00", "")


@pytest.mark.parametrize(
    ("field", "wrong"),
    [
        ("kind", ""),
        ("kind", "prompt"),
        ("amount", "0"),
        ("amount", "5.50"),
        ("receipt", ""),
        ("receipt", "a;b"),
        ("receipt", "x" * 33),
        ("paid_at", ""),
        ("paid_at", "2199-01-01T09:00"),
        ("note", "x" * 401),
    ],
)
def test_a_payment_by_hand_that_cannot_be_names_its_field(field: str, wrong: str) -> None:
    with pytest.raises(InputRejected) as rejected:
        read_manual_payment(MANUAL | {field: wrong})
    assert rejected.value.by_field().keys() == {field}


@pytest.mark.parametrize(
    ("paid_at", "is_accepted"), [("2025-11-20T09:00", True), ("2025-11-18T09:00", False)]
)
def test_a_mistyped_year_changes_no_report_of_long_ago(paid_at: str, is_accepted: bool) -> None:
    if is_accepted:
        assert read_manual_payment(MANUAL | {"paid_at": paid_at}).paid_at.year == 2025
        return
    with pytest.raises(InputRejected, match="more than a year ago") as rejected:
        read_manual_payment(MANUAL | {"paid_at": paid_at})
    assert rejected.value.by_field().keys() == {"paid_at"}


def test_a_payment_to_the_paybill_has_a_receipt_of_m_pesa() -> None:
    with pytest.raises(InputRejected) as rejected:
        read_manual_payment(MANUAL | {"kind": "paybill"})
    assert rejected.value.by_field().keys() == {"receipt"}
