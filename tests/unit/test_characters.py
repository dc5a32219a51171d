"""Pasted values are equal, whatever characters phones, chats or spreadsheets have added."""

import string
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

# ruff: noqa: RUF001 - look-alikes are what is tested
from agency_site.characters import (
    APOSTROPHES,
    clean_amount,
    clean_name,
    clean_number,
    clean_value,
    compact_code,
    drop_turns,
    is_blank,
    is_invisible,
)
from agency_site.email_addresses import address_spellings, parse_email_address, stored_address
from agency_site.form_input import email_address, fold, full_name, line, search_text, search_words, text
from agency_site.ids import parse_reference
from agency_site.phone_numbers import parse_kenyan_mobile, parse_phone_number

INVISIBLE = "".join(
    char for char in map(chr, range(0x110000)) if unicodedata.category(char) == "Cf"
) + "\ufe00\ufe0e\ufe0f\U000e0100\u3164\u115f\u1160\uffa0\u034f\u180b\u2800"  # fmt: skip
DIGITS = [
    "".join(chr(zero + digit) for digit in range(10))
    for zero in range(0x80, 0x1FFFF)
    if unicodedata.decimal(chr(zero), -1) == 0
]
"""The ten digits of every script."""
WRAPPINGS = [
    "{}", " {} ", "{}.", "{},", "{};", "({})", "[{}]", "<{}>", "«{}»", "“{}”", "‘{}’", "'{}'", '"{}"', "„{}“", "*{}*",
    "{}!", "{}。", "{}،", "{}…", "• {}", "- {}", "\u202a{}\u202c", "\u200e{}\u200f", "\ufeff{}", "\u2066{}\u2069", "\n{}\t",
]  # fmt: skip


@st.composite
def with_invisible_characters(draw: st.DrawFn, value: str) -> str:
    """`value` with invisible characters anywhere, in a wrapping."""
    places = st.lists(st.tuples(st.integers(0, len(value)), st.sampled_from(INVISIBLE)), max_size=6)
    for at, char in sorted(draw(places), reverse=True):
        value = value[:at] + char + value[at:]
    return draw(st.sampled_from(WRAPPINGS)).format(value)


ADDRESSES = [
    "amina@example.com",
    "Amina.O+ads@mail.example.co.ke",
    "o'brien@example.com",
    "_amina@example.com",
]


@given(
    st.sampled_from(ADDRESSES).flatmap(
        lambda value: st.tuples(st.just(value), with_invisible_characters(value))
    )
)
def test_a_pasted_address_is_the_address(pair: tuple[str, str]) -> None:
    address, pasted = pair
    assert email_address(pasted) == address
    assert search_words(pasted) == [address.lower()]


@pytest.mark.parametrize(
    "raw",
    [
        "Amina <amina@example.com>",
        '"Odhiambo, Amina" <amina@example.com>,',
        "mailto:amina@example.com",
        "MAILTO:amina@example.com?subject=Hello",
        "mailto:amina%40example.com",
        "<mailto:amina@example.com|amina@example.com>",
        "amina @example.com",
        "ａｍｉｎａ＠ｅｘａｍｐｌｅ．ｃｏｍ",
        "amina@example。com",
        "am\u00adina@exam\u00adple.com",
    ],
)
def test_other_writings_of_an_address_are_the_address(raw: str) -> None:
    assert email_address(raw) == "amina@example.com"


@pytest.mark.parametrize(
    "raw",
    [
        "a@example.com, b@example.com",
        "call me @ example.com",
        "jürgen@example.com",
        "用户@例子.公司",
        "\u200b",
    ],
)
def test_what_is_no_single_reachable_address_is_refused(raw: str) -> None:
    with pytest.raises(ValueError, match="Please enter"):
        email_address(raw)


def test_an_address_has_one_stored_form() -> None:
    spellings = [
        "amina@münchen.de",
        "AMINA@MÜNCHEN.DE",
        "amina@xn--mnchen-3ya.de",
        " amina@mu\u0308nchen.de.",
    ]
    assert {stored_address(spelling) for spelling in spellings} == {"amina@xn--mnchen-3ya.de"}
    assert parse_email_address("Amina@münchen.de") == "Amina@xn--mnchen-3ya.de"
    assert address_spellings("amina@xn--mnchen-3ya.de") == ("amina@xn--mnchen-3ya.de", "amina@münchen.de")
    assert address_spellings("amina@example.com") == ("amina@example.com",)
    assert address_spellings("amina@xn--\u00fc.de") == ("amina@xn--\u00fc.de",)
    assert stored_address(" No Address ") == "no address"


SUBSCRIBERS = st.from_regex(r"(?:7[0-9]|11)[0-9]{7}", fullmatch=True)
CODES = [
    "0",
    "254",
    "+254",
    "+254 ",
    "00254",
    "+254 0",
    "2540",
    "+254 (0) ",
    "0254",
    "tel:+254",
    "tel:0",
    "(+254) ",
    "",
]


@given(
    SUBSCRIBERS,
    st.sampled_from(CODES),
    st.sampled_from(["", " ", "-", ".", "/", "\u2011", "\u00a0", "·", "_", ","]),
    st.sampled_from([string.digits, *DIGITS]),
    st.data(),
)
def test_every_writing_of_a_kenyan_number_is_the_number(
    subscriber: str, code: str, between: str, digits: str, data: st.DataObject
) -> None:
    spelling = f"{code}{subscriber[:3]}{between}{subscriber[3:6]}{between}{subscriber[6:]}"
    raw = data.draw(with_invisible_characters(spelling.translate(str.maketrans(string.digits, digits))))
    assert parse_kenyan_mobile(raw) == f"254{subscriber}"
    assert parse_phone_number(raw) in ("", f"+254{subscriber}")


@given(
    st.sampled_from(["UKA1B2C3D4", "P051234567X"]).flatmap(
        lambda v: st.tuples(st.just(v), with_invisible_characters(v))
    )
)
def test_a_pasted_code_is_the_code(pair: tuple[str, str]) -> None:
    code, pasted = pair
    assert compact_code(pasted) == code
    assert compact_code(pasted.lower()) == code


@pytest.mark.parametrize(
    "raw", ["P-051234567-X", "p 051 234 567 x", "P051234567X.", "\u202aP05\u00ad1234567X\u202c"]
)
def test_groups_of_a_code_are_joined(raw: str) -> None:
    assert compact_code(raw) == "P051234567X"


@given(with_invisible_characters("EN-7F3K9Q"))
def test_a_pasted_reference_is_the_reference(pasted: str) -> None:
    assert parse_reference(pasted) == "EN-7F3K9Q"
    assert search_words(pasted) == ["en-7f3k9q"]


@pytest.mark.parametrize("raw", ["en7f3k9q", "EN 7F3K9Q", "EN–7F3K9Q", "#EN_7F3K9Q", "EN - 7F3K9Q"])
def test_a_reference_may_lack_its_dash_or_have_another(raw: str) -> None:
    assert parse_reference(raw) == "EN-7F3K9Q"


def test_other_references_stay_in_capitals() -> None:
    assert parse_reference(" jenga ") == "JENGA"


def test_cleaning_a_number_keeps_its_sign() -> None:
    assert [clean_number(raw) for raw in (" -3 ", "\u202a１,５００\u202c", "10%", "٣")] == [
        "-3",
        "1,500",
        "10%",
        "3",
    ]


@given(st.text())
def test_cleaning_twice_changes_nothing_and_leaves_nothing_invisible(raw: str) -> None:
    cleaned = clean_value(raw)
    assert not any(map(is_invisible, cleaned))
    assert clean_name(clean_name(raw)) == clean_name(raw)
    assert fold(fold(raw)) == fold(raw)


@pytest.mark.parametrize("blank", ["", " \n", "\u200b", "\u3164", "\u202e \u00ad\ufe0f", "\u2800"])
def test_a_required_text_of_invisible_characters_is_asked_for(blank: str) -> None:
    assert is_blank(blank)
    with pytest.raises(ValueError, match="Please enter your full name"):
        full_name(blank)
    with pytest.raises(ValueError, match="Say why"):
        text(blank, "The reason", 20, "Say why.")


@pytest.mark.parametrize("raw", [".", "-", "42", "\u202e.", "😀", "\u0301"])
def test_a_name_of_marks_and_digits_is_refused(raw: str) -> None:
    with pytest.raises(ValueError, match="at least one letter"):
        full_name(raw)


@pytest.mark.parametrize(
    ("raw", "name"),
    [
        ("\u202egnp exe", "gnp exe"),
        ("Ami\u200bna \u2066Odhiambo\u2069", "Amina Odhiambo"),
        ("\u200dAmina\u200c", "Amina"),
        ("علی\u200cرضا", "علی\u200cرضا"),
        ("क्\u200dष", "क्\u200dष"),
        ("Ng\u2019ang\u2019a", "Ng\u2019ang\u2019a"),
        ("Wanjiru\u0303", "Wanjirũ"),
        ("李", "李"),
        ("ሰላም ተስፋዬ", "ሰላም ተስፋዬ"),
    ],
)
def test_a_name_keeps_what_is_visible(raw: str, name: str) -> None:
    assert full_name(raw) == name


@given(st.text(st.sampled_from(INVISIBLE + "ab 李م\u094d\u200c\u200d"), min_size=1))
def test_what_is_invisible_in_a_name_is_inside_a_word(raw: str) -> None:
    name = clean_name(raw)
    for at, char in enumerate(name):
        if is_invisible(char):
            assert 0 < at < len(name) - 1
            assert {unicodedata.category(name[at - 1])[0], unicodedata.category(name[at + 1])[0]} <= {
                "L",
                "M",
            }


def test_no_text_turns_the_direction_of_what_follows() -> None:
    assert drop_turns("a\u202eb\u2067c\u200f") == "abc\u200f"
    assert line("Offer \u202egnp", "The subject", 20) == "Offer gnp"
    assert text("👩\u200d💻 \u2764\ufe0f", "Your message", 20) == "👩\u200d💻 \u2764\ufe0f"


@given(st.sampled_from(APOSTROPHES), st.sampled_from(APOSTROPHES))
def test_a_name_is_found_with_any_apostrophe_or_none(stored: str, raw: str) -> None:
    row = search_text("BK-7F3K9Q", f"Ng{stored}ang{stored}a & Sons")
    for searched in (f"Ng{raw}ang{raw}a", "Nganga"):
        assert search_words(searched) == ["nganga"]
        assert "nganga" in row


def test_a_domain_is_found_in_its_own_script() -> None:
    row = search_text("BK-7F3K9Q", "amina@xn--mnchen-3ya.de")
    assert search_words("amina@münchen.de") == ["amina@xn--mnchen-3ya.de"]
    assert all(word in row for raw in ("münchen.de", "xn--mnchen") for word in search_words(raw))


@pytest.mark.parametrize(
    ("raw", "words"),
    [
        ("\u202a+254 712 345 678\u202c", ["712345678"]),
        ("000254712345678", ["712345678"]),
        ("+44 (0) 20 7946 0958", ["442079460958"]),
        ("amina_o@example.com", ["amina_o@example.com"]),
        ("<amina@example.com>, otieno", ["amina@example.com", "otieno"]),
        ("“Savanna Ltd.”", ["savanna", "ltd"]),
        ("-", ["-"]),
    ],
)
def test_a_search_reads_what_is_pasted(raw: str, words: list[str]) -> None:
    assert search_words(raw) == words


@pytest.mark.parametrize(
    "raw",
    [
        "15000", "15,000", "15 000", "15\u00a0000", " 15,000.00 ", "KES 15,000", "kes15000", "KSh. 15,000", "Kshs 15,000/=",
        "15,000/-", "15, 000", "１５０００",
    ],
)  # fmt: skip
def test_whole_shillings_are_read_as_people_write_them(raw: str) -> None:
    assert clean_amount(raw) == "15000"


@pytest.mark.parametrize(
    "raw", ["1,5", "15,00", "1,50,000", "15.5", ".5", "15.000", "-5", "15,000,", "KES", "5 5", ""]
)
def test_what_is_no_whole_amount_stays_for_its_reader_to_refuse(raw: str) -> None:
    assert not clean_amount(raw).isdecimal()
