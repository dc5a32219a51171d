"""What staff type: receipts, references, reasons, contacts."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agency_site.errors import InputRejected
from agency_site.features.checkout.staff_request import (
    contact,
    corrected_address,
    note_text,
    reason_given,
    receipt_number,
    refund_number,
)

RECEIPT = re.compile(r"[A-Z0-9]{10}")


@given(st.from_regex(r"[A-Z0-9]{10}", fullmatch=True), st.sampled_from(["", " ", "\t", "\u00a0"]))
def test_a_receipt_is_taken_in_any_case_and_spacing(receipt: str, space: str) -> None:
    typed = f"{space}{receipt[:4].lower()}{space}{receipt[4:]}{space}"
    assert receipt_number(typed) == receipt


@given(st.text())
def test_nothing_but_ten_letters_and_digits_is_a_receipt(typed: str) -> None:
    try:
        found = receipt_number(typed)
    except InputRejected:
        return
    assert RECEIPT.fullmatch(found)


@pytest.mark.parametrize(
    "typed", ["", "UKA1B2C3D", "UKA1B2C3D45", "UKA1B2C3D-", "UKA1B2C3DÉ", "\u0660UKA1B2C3D"]
)
def test_other_receipts_are_refused_with_an_example(typed: str) -> None:
    with pytest.raises(InputRejected, match="such as UKA1B2C3D4"):
        receipt_number(typed)


def test_a_refund_has_a_reference_in_capitals() -> None:
    assert refund_number("  bank  ref 12/a-3.4 ") == "BANK REF 12/A-3.4"
    for wrong in ("", " ", "-", "a;b", "x" * 41):
        with pytest.raises(InputRejected) as refused:
            refund_number(wrong)
        assert refused.value.by_field().keys() == {"refund_reference"}


def test_reasons_and_notes_are_wanted() -> None:
    assert reason_given(" statement  checked ") == "statement checked"
    assert note_text(" one\r\ntwo ") == "one\ntwo"
    for take, field in ((reason_given, "reason"), (note_text, "note"), (corrected_address, "address")):
        for wrong in ("", "  ", "a\x00b", "x" * 5_000):
            with pytest.raises(InputRejected) as refused:
                take(wrong)
            assert refused.value.by_field().keys() == {field}


def test_a_contact_is_judged_like_a_visitors_own() -> None:
    found = contact(" Amina ", "Wanjirũ", "Amina@Example.com", "0712 345 678")
    assert (found.first_name, found.email, found.phone) == ("Amina", "Amina@example.com", "+254712345678")
    with pytest.raises(InputRejected) as refused:
        contact("", " ", "nobody", "12")
    assert refused.value.by_field().keys() == {"first_name", "last_name", "email", "phone"}


@pytest.mark.parametrize("email", ["", "nobody", "a" * 300])
def test_messages_speak_of_the_customer_and_not_to_a_visitor(email: str) -> None:
    with pytest.raises(InputRejected) as refused:
        contact("", "", email, "")
    assert "your" not in " ".join(refused.value.by_field().values()).casefold()
    with pytest.raises(InputRejected) as refused:
        corrected_address(email)
    assert "your" not in refused.value.by_field()["address"].casefold()
