"""Codes of the second factor, and sealed notes that only the site can write."""

import math
import re
from collections.abc import Callable
from datetime import datetime, timedelta

import pyotp
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agency_site.auth import one_time_codes, tokens
from agency_site.settings import Settings

SEED = "a-seed-of-the-database"
HALF_A_MINUTE = timedelta(seconds=30)


def test_the_secret_needs_the_secret_key(configure: Callable[..., Settings]) -> None:
    configure(secret_key="one" * 12)
    secret = one_time_codes.totp_secret(SEED)
    configure(secret_key="two" * 12)
    assert one_time_codes.totp_secret(SEED) != secret
    assert len(secret) == 32


@pytest.mark.parametrize("steps", range(-3, 4))
def test_a_code_fits_for_half_a_minute_before_and_after(noon: datetime, steps: int) -> None:
    code = pyotp.TOTP(one_time_codes.totp_secret(SEED)).at(noon + steps * HALF_A_MINUTE)
    step = one_time_codes.matching_step(SEED, f" {code[:3]} {code[3:]} ", noon, used=0)
    assert (step is not None) is (abs(steps) <= 1)


def test_a_used_time_step_and_earlier_ones_are_rejected(noon: datetime) -> None:
    totp = pyotp.TOTP(one_time_codes.totp_secret(SEED))
    step = one_time_codes.matching_step(SEED, totp.at(noon), noon, used=0)
    assert step == int(noon.timestamp()) // 30
    for earlier in (0, -1):
        assert (
            one_time_codes.matching_step(SEED, totp.at(noon + earlier * HALF_A_MINUTE), noon, used=step)
            is None
        )
    assert one_time_codes.matching_step(SEED, totp.at(noon + HALF_A_MINUTE), noon, used=step) == step + 1


@given(st.text(max_size=60))
def test_any_typed_code_is_handled_without_an_error(text: str) -> None:
    moment = datetime.fromisoformat("2026-11-20T09:00:00+00:00")
    assert one_time_codes.matching_step("", text, moment, used=0) is None
    one_time_codes.matching_step(SEED, text, moment, used=0)
    assert len(one_time_codes.recovery_hash(1, text)) == 64


def test_arabic_digits_are_no_code(noon: datetime) -> None:
    code = pyotp.TOTP(one_time_codes.totp_secret(SEED)).at(noon)
    assert (
        one_time_codes.matching_step(SEED, code.translate(str.maketrans("0123456789", "٠١٢٣٤٥٦٧٨٩")), noon, 0)
        is None
    )


def test_recovery_codes_differ_and_are_stored_per_account() -> None:
    fresh = one_time_codes.new_recovery_codes()
    assert len(set(fresh)) == one_time_codes.RECOVERY_CODES
    assert all(re.fullmatch(r"(\w{4}-){6}\w{4}", code) for code in fresh)
    assert 7 * 4 * math.log2(len(set(one_time_codes._ALPHABET))) >= 128
    assert one_time_codes.recovery_hash(1, fresh[0]) != one_time_codes.recovery_hash(2, fresh[0])
    assert one_time_codes.recovery_hash(1, fresh[0]) == one_time_codes.recovery_hash(
        1, fresh[0].upper().replace("-", " ")
    )


def test_a_note_about_a_browser_is_good_for_its_account() -> None:
    note = tokens.seal_device("a@mwanga.example")
    assert tokens.open_device(note, "a@mwanga.example") == note.split(".")[0]
    assert tokens.open_device(note, "b@mwanga.example") == ""
    assert tokens.open_device("", "a@mwanga.example") == ""


def test_a_note_about_a_password_holds_for_five_minutes_and_that_password(noon: datetime) -> None:
    note = tokens.open_pending(tokens.seal_pending(7, "hash", noon))
    assert note is not None
    assert note.account_id == 7
    assert note.is_valid("hash", noon + timedelta(seconds=299))
    assert not note.is_valid("hash", noon + timedelta(minutes=5))
    assert not note.is_valid("another", noon)


def test_a_note_about_a_password_has_one_spelling(noon: datetime) -> None:
    note = tokens.seal_pending(7, "hash", noon)
    account, rest = note.split(".", 1)
    assert tokens.open_pending(f"0{account}.{rest}") is None
    assert tokens.open_pending(f"{account}.0{rest}") is None
