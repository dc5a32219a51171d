"""Reading and masking callbacks: tolerant of form, certain about meaning, never failing in another way."""

import contextlib
import json
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agency_site.mpesa.contract import Outcome
from agency_site.mpesa.errors import MalformedCallback
from agency_site.mpesa.wire import mask_body, parse_callback

PAID = [
    {"Name": "Amount", "Value": 1500.0},
    {"Name": "MpesaReceiptNumber", "Value": "UKA1B2C3D4"},
    {"Name": "Balance"},
    {"Name": "TransactionDate", "Value": 20261120112259},
    {"Name": "PhoneNumber", "Value": 254712345678},
]


def body(items: object = PAID, **changes: object) -> bytes:
    inner: dict[str, object] = {
        "MerchantRequestID": "7c1a-4e02-9b7d-1f20aa41c0de12345",
        "CheckoutRequestID": "ws_CO_20112026112233457712345678",
        "ResultCode": 0,
        "ResultDesc": "The service request is processed successfully.",
        "CallbackMetadata": {"Item": items},
        **changes,
    }
    return json.dumps({"Body": {"stkCallback": inner}}).encode()


def test_a_paid_callback_is_read_by_name() -> None:
    for items in (PAID, PAID[::-1], [*PAID, {"Name": "New", "Value": {"a": 1}}, 7, {"Value": 1}]):
        callback = parse_callback(body(items))
        assert callback.outcome is Outcome.PAID
        assert callback.amount == Decimal(1500)
        assert callback.receipt == "UKA1B2C3D4"
        assert callback.paid_at == datetime(2026, 11, 20, 8, 22, 59, tzinfo=UTC)
        assert callback.merchant_request_id == "7c1a-4e02-9b7d-1f20aa41c0de12345"
        assert callback.checkout_request_id == "ws_CO_20112026112233457712345678"


@pytest.mark.parametrize("code", [0, "0", 0.0, " 0 "])
def test_the_code_counts_as_text_whatever_type_it_has(code: object) -> None:
    assert parse_callback(body(ResultCode=code)).result_code == "0"


@pytest.mark.parametrize(
    ("code", "outcome"),
    [
        (1032, Outcome.CANCELLED),
        ("1037", Outcome.EXPIRED),
        ("SFC_IC0003", Outcome.FAILED),
        (31337, Outcome.FAILED),
        (4999, Outcome.PENDING),
    ],
)
def test_a_failure_needs_no_metadata(code: object, outcome: Outcome) -> None:
    callback = parse_callback(body(ResultCode=code, CallbackMetadata=None))
    assert (callback.outcome, callback.amount, callback.receipt, callback.paid_at) == (
        outcome,
        None,
        "",
        None,
    )


@pytest.mark.parametrize("items", [None, [], {}, "x", [None], [[]], [{"Name": 1}], [{"Name": "Amount"}]])
def test_a_success_without_readable_items_lacks_amount_and_receipt(items: object) -> None:
    callback = parse_callback(body(items))
    assert (callback.outcome, callback.amount, callback.receipt) == (Outcome.PAID, None, "")


@pytest.mark.parametrize("amount", ["1500", 1500, "1500.00", 1500.00])
def test_an_amount_is_exact_in_any_form(amount: object) -> None:
    assert parse_callback(body([{"Name": "Amount", "Value": amount}])).amount == Decimal(1500)


@pytest.mark.parametrize("amount", [-1500, "1,500", "NaN", "1e3", True, [1500], "", "\u0661\u0665"])
def test_what_is_no_plain_amount_is_none(amount: object) -> None:
    assert parse_callback(body([{"Name": "Amount", "Value": amount}])).amount is None


def test_the_same_item_twice_counts_and_two_that_disagree_count_for_nothing() -> None:
    assert parse_callback(body(PAID + PAID)).receipt == "UKA1B2C3D4"
    other = [{"Name": "Amount", "Value": 1}, {"Name": "MpesaReceiptNumber", "Value": "ZZZZZZZZZZ"}]
    callback = parse_callback(body(PAID + other))
    assert (callback.amount, callback.receipt) == (None, "")


@pytest.mark.parametrize("date", ["2026-11-20 11:22:59", "20261120112259", 20261120112259])
def test_a_date_may_be_a_number_or_text(date: object) -> None:
    callback = parse_callback(body([{"Name": "TransactionDate", "Value": date}]))
    assert callback.paid_at == datetime(2026, 11, 20, 8, 22, 59, tzinfo=UTC)


@pytest.mark.parametrize("date", [20261399999999, "yesterday", "0001-01-01 00:00:00", 1, [1]])
def test_an_impossible_date_is_none(date: object) -> None:
    assert parse_callback(body([{"Name": "TransactionDate", "Value": date}])).paid_at is None


@pytest.mark.parametrize(
    "wrong",
    [
        b"",
        b"<html>",
        b"null",
        b"[]",
        b"{}",
        b'{"Body": 1}',
        b'{"body": {"stkCallback": {"ResultCode": 0}}}',
        b'{"Body": {"stkCallback": {}}}',
        b'{"Body": {"stkCallback": {"ResultCode": null}}}',
        b'{"Body": {"stkCallback": {"ResultCode": true}}}',
        b'{"Body": {"stkCallback": {"ResultCode": [0]}}}',
        b'{"Body": {"stkCallback": {"ResultCode": 0, "ResultCode": 1}}}',
        b'{"Body": {"stkCallback": {"ResultCode": 0}}, "Body": {"stkCallback": {"ResultCode": 1}}}',
        b'{"Body": {"stkCallback": {"ResultCode": 0, "CheckoutRequestID": {"a": 1}}}}',
        b"\xff\xfe\x00",
        b"[" * 100_000,
        b'{"a": ' + b"9" * 5000 + b"}",
        b'{"Body": {"stkCallback": {"ResultCode": "' + b"0" * 31 + b'"}}}',
    ],
    ids=lambda raw: repr(raw[:60]),
)
def test_what_is_no_callback_is_refused_quietly(wrong: bytes) -> None:
    with pytest.raises(MalformedCallback):
        parse_callback(wrong)
    json.loads(mask_body(wrong))


def test_monstrous_numbers_do_no_harm() -> None:
    raw = body([{"Name": "Amount", "Value": "AMOUNT"}]).replace(b'"AMOUNT"', b"1e999999999")
    assert parse_callback(raw).amount is None
    json.loads(mask_body(raw), parse_constant=pytest.fail)


def test_control_characters_and_broken_code_points_are_dropped() -> None:
    callback = parse_callback(body(ResultDesc="a\x00b\ud800c"))
    assert callback.description == "abc"


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(
                ["Body", "stkCallback", "ResultCode", "CallbackMetadata", "Item", "Name", "Value", "x"]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=20,
)


@given(st.binary(max_size=200) | json_values.map(lambda value: json.dumps(value).encode()))
def test_no_body_fails_in_another_way(raw: bytes) -> None:
    with contextlib.suppress(MalformedCallback):
        parse_callback(raw)
    json.loads(mask_body(raw), parse_constant=pytest.fail)


@given(json_values, json_values, json_values, json_values)
def test_no_field_fails_in_another_way(code: Any, items: Any, amount: Any, checkout: Any) -> None:
    for listed in (items, [{"Name": "Amount", "Value": amount}, {"Name": "TransactionDate", "Value": items}]):
        raw = body(listed, ResultCode=code, CheckoutRequestID=checkout)
        try:
            callback = parse_callback(raw)
        except MalformedCallback:
            continue
        assert callback.result_code
        callback.description.encode()
        callback.checkout_request_id.encode()


def test_a_stored_callback_shows_no_whole_phone_number() -> None:
    stored = mask_body(body(ResultDesc="call 0712345678 or +254712345678", Extra={"254712345678": 1}))
    assert "712345" not in stored
    content = json.loads(stored)["Body"]["stkCallback"]
    items = {item["Name"]: item.get("Value") for item in content["CallbackMetadata"]["Item"]}
    assert content["CheckoutRequestID"] == "ws_CO_20112026112233457******678"
    assert items["PhoneNumber"] == "254******678"
    assert items["MpesaReceiptNumber"] == "UKA1B2C3D4"
    assert items["TransactionDate"] == 20261120112259
    assert Decimal(items["Amount"]) == 1500
    assert content["ResultCode"] == 0


@given(
    st.from_regex(r"254[17][0-9]{8}", fullmatch=True),
    st.integers(0, 999),
    st.booleans(),
)
def test_no_phone_survives_masking_in_any_place(phone: str, milliseconds: int, as_number: bool) -> None:
    checkout = f"ws_CO_20112026112233{milliseconds}{phone[-9:]}"
    value: object = int(phone) if as_number else phone
    stored = mask_body(body([{"Name": "PhoneNumber", "Value": value}], CheckoutRequestID=checkout))
    assert phone not in stored
    assert phone[-9:] not in stored


def test_what_is_no_json_is_kept_as_a_masked_note() -> None:
    assert json.loads(mask_body(b"<p>254712345678</p>")) == {"unreadable": "<p>254******678</p>"}
