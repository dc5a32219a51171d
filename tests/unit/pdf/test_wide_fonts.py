"""The fonts of PDF documents show the letters that names have, and forms refuse the others."""

import unicodedata
from dataclasses import replace
from pathlib import Path

import pytest
from fontTools.ttLib import TTFont  # type: ignore[import-untyped]

from agency_site.errors import InputRejected
from agency_site.features.academy.learners.request import LearnerRequest
from agency_site.features.checkout.documents.rendering import receipt_pdf
from agency_site.features.checkout.orders.request import CheckoutRequest
from agency_site.features.checkout.orders.staff_request import read_contact
from agency_site.form_input import read_form
from agency_site.pdf import document
from agency_site.pdf.wide_fonts import WIDE_FONTS, WideFont, check_printable
from tests.example_records import PAID_COURSE
from tests.unit.features.checkout.documents.test_receipt import FACTS, font_names

NAMES = {
    "Wanjiku Ng'ang'a": [], "Wanjik\u0169": ["DejaVuSans-European"], "Nguy\u1ec5n Th\u1ecb": ["DejaVuSans-European"],
    "Ольга Петрова": ["DejaVuSans-European"], "Γιώργος": ["DejaVuSans-European"], "שרה כהן": ["NotoSansHebrew"],
    "محمد علي": ["NotoSansArabic"], "अमित शर्मा": ["NotoSansDevanagari"], "ક્ષમા પટેલ": ["NotoSansGujarati"],
    "ਸਿੰਘ": ["NotoSansGurmukhi"], "முத்து": ["NotoSansTamil"], "রহিম": ["NotoSansBengali"], "สมชาย": ["NotoSansThai"],
    "ሰላም ተስፋዬ": ["NotoSansEthiopic"], "中国路桥 (Kenya) Ltd": ["DroidSansFallback"], "김민수": ["DroidSansFallback"],
    "さくら": ["DroidSansFallback"], "Ольга محمد": ["DejaVuSans-European", "NotoSansArabic"],
}  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_a_name_is_shown_in_its_script(name: str, caplog: pytest.LogCaptureFixture) -> None:
    pdf = receipt_pdf(replace(FACTS, name=name))
    assert "missing" not in caplog.text
    assert pdf == receipt_pdf(replace(FACTS, name=name))
    assert len(font_names(replace(FACTS, name=name))) == 3 + len(NAMES[name])
    assert check_printable(name, "The name") == name


@pytest.mark.parametrize("name", ["محمد علي", "अमित शर्मा", "שרה כהן"])
def test_letters_that_join_stack_or_run_from_the_right_are_shaped(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    shaped = receipt_pdf(replace(FACTS, name=name))
    monkeypatch.setattr(document, "UNSHAPED", frozenset(font.file for font in WIDE_FONTS))
    assert receipt_pdf(replace(FACTS, name=name)) != shaped


@pytest.mark.parametrize("font", WIDE_FONTS, ids=lambda font: font.file)
def test_a_font_has_the_letters_that_it_is_listed_for(font: WideFont) -> None:
    path = Path(document.__file__).parent / "fonts" / f"{font.file}.ttf"
    with TTFont(path) as opened:
        has = opened.getBestCmap()
    listed = [code for code in range(0x20, 0x10000) if font.letters.match(chr(code))]
    assert [
        hex(code) for code in listed if unicodedata.category(chr(code))[0] in "LM" and code not in has
    ] == []


@pytest.mark.parametrize("missing", ["😀", "\U00020000", "ᐊ", "ⴰ", "ཀ"])
def test_a_letter_of_no_font_is_refused_before_anything_is_paid(missing: str) -> None:
    name = f"Amina {missing}"
    form = {
        "firstName": name, "lastName": name, "companyName": name, "companyPin": "P051234567X", "email": "a@example.com",
        "phone": "0712 345 678", "courseName": PAID_COURSE.payment_name, "amount": 15000,
    }  # fmt: skip
    with pytest.raises(InputRejected) as checkout:
        read_form(CheckoutRequest, form)
    assert checkout.value.by_field().keys() == {"firstName", "lastName", "companyName"}
    assert missing in checkout.value.by_field()["firstName"]
    with pytest.raises(InputRejected) as learner:
        read_form(LearnerRequest, {"fullname": name, "email": "a@example.com"})
    assert learner.value.by_field().keys() == {"fullname"}
    contact = {"first_name": name, "last_name": name, "email": "a@example.com", "phone": "0712345678"}
    with pytest.raises(InputRejected) as staff:
        read_contact(contact)
    assert staff.value.by_field().keys() == {"first_name", "last_name"}
