"""Rules for passwords, and their Argon2id hashes."""

from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agency_site.auth import passwords
from agency_site.auth.passwords import LONGEST, SHORTEST, require_good_password

EMAIL, NAME = "amina.odhiambo@mwanga.example", "Amina Odhiambo"


@pytest.mark.parametrize(
    ("password", "said"),
    [
        ("", "Please choose a password."),
        ("elevenchars", "at least 12 characters. This one has 11"),
        ("x1" * 101, "at most 200 characters"),
        (EMAIL, "other than your name"),
        ("AMINA.ODHIAMBO", "other than your name"),
        ("amina odhiambo", "other than your name"),
        ("Odhiambo-Amina", "other than your name"),
        ("Password1234", "too common"),
        ("pass word 1234!", "too common"),
        ("aaaaaaaaaaaaaaa", "too common"),
        ("abababababab", "too common"),
        ("abcdefghijklm", "too common"),
        ("987654321098"[:9] + "zyx", ""),
        ("ponmlkjihgfe", "too common"),
        ("Iloveyou-2026!!", "too common"),
        ("sunshinesunshine", "too common"),
        ("Safaricom@123456", "too common"),
        ("1qaz2wsx3edc", "too common"),
        ("sunshine on princess street", ""),
        ("seven warm mandazi", ""),
        ("ẞü字🙂 und noch mehr", ""),
    ],
)
def test_a_password_is_judged_in_words_for_its_field(password: str, said: str) -> None:
    if not said:
        assert require_good_password(password, EMAIL, NAME) == password
        return
    with pytest.raises(ValueError, match=said):
        require_good_password(password, EMAIL, NAME)


def test_three_thousand_common_passwords_are_refused_whatever_makes_them_long_enough() -> None:
    lines = (Path(passwords.__file__).parent / "common_passwords.txt").read_text().splitlines()
    words = [line for line in lines if not line.startswith("#")]
    assert len(words) >= 3_000
    accepted = []
    for word in words:
        around = (
            (f"{word}{'9024718365' * 2}", f"2026{word.upper()}!!2027") if any(map(str.isalpha, word)) else ()
        )
        for tried in (word, word * 4, *around):
            if SHORTEST <= len(tried) <= LONGEST:
                with suppress(ValueError):
                    accepted.append(require_good_password(tried, EMAIL, NAME))
    assert accepted == []


@given(st.text(max_size=220), st.text(max_size=60), st.text(max_size=60))
def test_any_typed_password_is_accepted_unchanged_or_rejected_with_a_reason(
    password: str, email: str, name: str
) -> None:
    try:
        accepted = require_good_password(password, email, name)
    except ValueError as refused:
        accepted = str(refused).removesuffix(".") and password
    assert accepted == password


async def test_hashes_are_argon2id_of_their_own_salt_and_fit_their_password_only() -> None:
    first_hash, second_hash = (
        await passwords.hash_password("seven warm mandazi"),
        await passwords.hash_password("seven warm mandazi"),
    )
    assert first_hash.startswith("$argon2id$v=19$m=65536,t=3,p=4$")
    assert first_hash != second_hash
    assert len(first_hash) <= 255
    assert await passwords.verify(first_hash, "seven warm mandazi")
    assert not await passwords.verify(first_hash, "seven warm mandazi ")
    assert await passwords.rehash_if_outdated(first_hash, "seven warm mandazi") == first_hash


@pytest.mark.parametrize("password", ["", "\x00", "\ud800", "x" * 100_000])
async def test_odd_passwords_are_wrong_and_break_nothing(password: str) -> None:
    assert not await passwords.verify("", password)
    assert not await passwords.verify("not a hash", password)


async def test_the_same_characters_from_another_keyboard_match_the_hash() -> None:
    assert await passwords.verify(
        await passwords.hash_password("caf\u00e9 in Kisumu"), "cafe\u0301 in Kisumu"
    )
