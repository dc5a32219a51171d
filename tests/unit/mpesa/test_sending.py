"""Requests to Daraja: strict fields, the password, Nairobi timestamps, Daraja's own field names."""

import base64
import re
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agency_site.mpesa.contract import PushRequest
from agency_site.mpesa.loose import parse_stamp
from agency_site.mpesa.wire import Merchant, password, timestamp

TILL = Merchant(
    shortcode="600100", passkey="pass", party_b="500200", transaction_type="CustomerBuyGoodsOnline"
)
MOMENT = datetime(2026, 11, 20, 22, 30, 5, tzinfo=UTC)


def push(**changes: Any) -> PushRequest:
    fields: dict[str, Any] = {
        "phone": "254712345678",
        "amount": 30_000,
        "reference": "OR7F3K9Q",
        "description": "Course fee",
        "callback_url": "https://site.example/api/hooks/s/7",
        "deadline": MOMENT,
    }
    return PushRequest(**{**fields, **changes})


@given(st.from_regex(r"254[17][0-9]{8}", fullmatch=True))
def test_every_kenyan_mobile_number_in_full_form_fits(phone: str) -> None:
    assert push(phone=phone).phone == phone


@given(st.text(max_size=14).filter(lambda text: not re.fullmatch(r"254[17][0-9]{8}", text, re.ASCII)))
def test_no_other_phone_fits(phone: str) -> None:
    with pytest.raises(ValueError, match="phone"):
        push(phone=phone)


@pytest.mark.parametrize(
    "phone", ["0712345678", "+254712345678", "254812345678", "254712345678\n", "٢٥٤٧١٢٣٤٥٦٧٨", 254712345678]
)
def test_near_misses_of_a_phone_do_not_fit(phone: object) -> None:
    with pytest.raises(ValueError, match="phone"):
        push(phone=phone)


@given(st.integers(max_value=0) | st.booleans() | st.floats() | st.just("100"))
def test_an_amount_is_a_positive_whole_number_and_nothing_that_looks_like_one(amount: object) -> None:
    with pytest.raises(ValueError, match="amount"):
        push(amount=amount)


@given(st.text(max_size=20).filter(lambda text: not re.fullmatch("[A-Z0-9]{1,12}", text)))
def test_a_reference_holds_up_to_12_capitals_and_digits_only(reference: str) -> None:
    with pytest.raises(ValueError, match="reference"):
        push(reference=reference)


@given(st.text(max_size=20).filter(lambda text: not re.fullmatch("[A-Za-z0-9 ]{1,13}", text)))
def test_a_description_holds_up_to_13_letters_digits_and_spaces_only(description: str) -> None:
    with pytest.raises(ValueError, match="description"):
        push(description=description)


def test_texts_fit_up_to_their_last_character() -> None:
    assert push(reference="A" * 12, description="a" * 13).reference == "A" * 12
    for longer in ({"reference": "A" * 13}, {"description": "a" * 14}):
        with pytest.raises(ValueError, match="pattern"):
            push(**longer)


@pytest.mark.parametrize("url", ["", "site.example/x", "https://site.example", "https://site.example/a b"])
def test_a_callback_url_is_a_whole_address(url: str) -> None:
    with pytest.raises(ValueError, match="callback_url"):
        push(callback_url=url)


def test_a_push_body_has_darajas_names_and_only_text() -> None:
    assert TILL.push_body(push(), MOMENT) == {
        "BusinessShortCode": "600100",
        "Password": password("600100", "pass", "20261121013005"),
        "Timestamp": "20261121013005",
        "TransactionType": "CustomerBuyGoodsOnline",
        "Amount": "30000",
        "PartyA": "254712345678",
        "PartyB": "500200",
        "PhoneNumber": "254712345678",
        "CallBackURL": "https://site.example/api/hooks/s/7",
        "AccountReference": "OR7F3K9Q",
        "TransactionDesc": "Course fee",
    }


def test_a_query_body_has_darajas_names() -> None:
    assert TILL.query_body("ws_CO_1", MOMENT) == {
        "BusinessShortCode": "600100",
        "Password": password("600100", "pass", "20261121013005"),
        "Timestamp": "20261121013005",
        "CheckoutRequestID": "ws_CO_1",
    }


def test_the_password_joins_shortcode_passkey_and_timestamp() -> None:
    assert base64.b64decode(password("174379", "key", "20261120112259")) == b"174379key20261120112259"


def test_a_passkey_does_not_show_in_a_log() -> None:
    assert "pass" not in repr(TILL).replace("passkey", "")


@given(st.datetimes(datetime(2020, 1, 1), datetime(2099, 1, 1)), st.integers(-12, 14))  # noqa: DTZ001
def test_a_timestamp_is_nairobis_time_whatever_zone_the_moment_has(naive: datetime, hours: int) -> None:
    moment = naive.replace(microsecond=0, tzinfo=timezone(timedelta(hours=hours)))
    stamp = timestamp(moment)
    assert re.fullmatch(r"\d{14}", stamp)
    assert parse_stamp(stamp) == moment


def test_a_naive_moment_has_no_timestamp() -> None:
    with pytest.raises(ValueError, match="aware"):
        timestamp(datetime(2026, 11, 20))  # noqa: DTZ001
