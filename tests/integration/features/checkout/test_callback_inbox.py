"""Stored callbacks: their content, their retries, and payments without M-Pesa's ids."""

import json
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import pytest

from agency_site import clock
from agency_site.db.engine import session_scope
from agency_site.features.checkout.inbox import callbacks
from agency_site.features.checkout.inbox.callbacks import handle_due_callbacks, receive_callback
from agency_site.features.checkout.jobs import poll_payments
from agency_site.features.checkout.orders.rules import erase_checkout_id
from agency_site.features.checkout.orders.tables import OrderEvent
from agency_site.features.checkout.payments.rules import PaymentState
from agency_site.settings import settings
from tests.integration.features.checkout.conftest import callback_for, inbox, payments, rows
from tests.integration.features.checkout.stored_rows import build_order, build_payment, store

pytestmark = pytest.mark.usefixtures("database")

PROMPT: dict[str, Any] = {
    "merchant_request_id": "29115-1",
    "checkout_request_id": "ws_CO_201120261200",
    "amount": 30_000,
}
ATTEMPT = "a" * 32


async def receive(callback: object, attempt: str = ATTEMPT, source: str = "196.201.214.200") -> None:
    await receive_callback(session_scope, json.dumps(callback).encode(), attempt, source)


async def pending(noon: datetime, **values: Any) -> None:
    """Store an order of two places with an open payment of that attempt."""
    values = {"attempt_key": ATTEMPT, "state": PaymentState.PENDING, **values}
    await store(build_order(noon, 1), build_payment(noon, 1, **values))


async def receipts() -> list[str | None]:
    return [payment.receipt for payment in await payments()]


async def test_a_callback_is_stored_with_all_it_states_until_its_payment_is_known(noon: datetime) -> None:
    callback = callback_for(PROMPT)
    await receive(callback)
    (stored,) = await inbox()
    assert json.loads(stored.body) == callback
    assert stored.model_dump(exclude={"id", "digest", "body"}) == {
        "source": "196.201.214.200",
        "attempt_key": ATTEMPT,
        "merchant_request_id": "29115-1",
        "checkout_request_id": "ws_CO_201120261200",
        "result_code": "0",
        "result_text": "sent by the test",
        "outcome": "paid",
        "amount": "30000",
        "receipt": "UKK1B2C3D4",
        "paid_at": None,
        "deliveries": 1,
        "received_at": noon,
        "due_at": noon + timedelta(seconds=20),
        "leased_until": None,
        "handled_at": None,
        "note": "matches no payment",
    }


async def test_a_callback_that_a_fast_clock_has_put_off_is_handled_once_the_clock_is_right(
    noon: datetime,
) -> None:
    with clock.frozen(noon + timedelta(hours=1)):
        await receive(callback_for(PROMPT))
    await pending(noon)
    await poll_payments()
    (stored,) = await inbox()
    assert stored.handled_at == noon
    assert await receipts() == ["UKK1B2C3D4"]


async def test_a_callback_without_amount_and_one_that_cannot_be_read_are_stored_too(noon: datetime) -> None:
    await receive(callback_for(PROMPT, code=1032))
    await receive({"Body": {}})
    unpaid, malformed = await inbox()
    assert (unpaid.outcome, unpaid.amount, unpaid.receipt) == ("cancelled", "", "")
    assert malformed.note == "malformed: no Body.stkCallback"
    assert (malformed.received_at, malformed.handled_at, malformed.due_at) == (noon, noon, None)


async def test_a_repeated_body_counts_a_delivery_and_on_another_path_it_is_another_callback(
    noon: datetime,
) -> None:
    for attempt in (ATTEMPT, ATTEMPT, "b" * 32, ATTEMPT):
        await receive(callback_for(PROMPT), attempt)
    assert [(callback.attempt_key, callback.deliveries) for callback in await inbox()] == [
        (ATTEMPT, 3),
        ("b" * 32, 1),
    ]


async def test_what_a_callback_writes_is_cut_to_the_length_of_its_columns(noon: datetime) -> None:
    callback = callback_for(PROMPT)
    callback["Body"]["stkCallback"]["ResultDesc"] = "x" * 300
    await receive(callback, source="s" * 70)
    (stored,) = await inbox()
    assert (stored.result_text, stored.source) == ("x" * 255, "s" * 64)


async def test_a_callback_that_is_faster_than_its_payment_is_handled_with_it(noon: datetime) -> None:
    await receive(callback_for(PROMPT))
    await pending(noon)
    for seconds, handled in ((19, 0), (20, 1), (41, 0)):
        with clock.frozen(noon + timedelta(seconds=seconds)):
            assert await handle_due_callbacks(session_scope) == handled
    (stored,) = await inbox()
    assert (stored.note, stored.handled_at) == ("paid", noon + timedelta(seconds=20))
    assert (stored.due_at, stored.leased_until) == (None, None)
    assert await receipts() == ["UKK1B2C3D4"]


async def test_callbacks_without_a_payment_are_tried_again_for_ten_minutes(noon: datetime) -> None:
    await receive(callback_for(PROMPT))
    await receive(callback_for(PROMPT), "b" * 32)
    for seconds in (20, 599):
        moment = noon + timedelta(seconds=seconds)
        with clock.frozen(moment):
            assert await handle_due_callbacks(session_scope) == 2
        # The lease of the round would hold it for two minutes.
        waits = {(callback.due_at, callback.leased_until) for callback in await inbox()}
        assert waits == {(moment + timedelta(seconds=20), None)}
    with clock.frozen(noon + timedelta(minutes=12)):
        assert await handle_due_callbacks(session_scope) == 2
    assert {(callback.handled_at is None, callback.due_at, callback.note) for callback in await inbox()} == {
        (False, None, "matches no payment")
    }


async def test_a_callback_of_exactly_ten_minutes_is_given_up(noon: datetime) -> None:
    await receive(callback_for(PROMPT))
    with clock.frozen(noon + timedelta(minutes=10)):
        await handle_due_callbacks(session_scope)
    assert [callback.due_at for callback in await inbox()] == [None]


async def test_foreign_ids_are_logged_and_recorded_and_change_nothing(
    noon: datetime, caplog: pytest.LogCaptureFixture
) -> None:
    await pending(noon, merchant_request_id="29115-1", checkout_request_id="ws_CO_another")
    await receive(callback_for(PROMPT))
    (stored,) = await inbox()
    assert stored.note == "ignored: foreign ids"
    assert (
        f"callback {stored.id} has other ids than the payment of its address; it is ignored"
        in caplog.messages
    )
    (event,) = await rows(OrderEvent)
    assert (event.payment_id, event.actor, event.from_state, event.to_state) == (
        1,
        "m-pesa",
        "pending",
        "pending",
    )
    assert event.why == "a callback with foreign ids was ignored"
    assert [payment.state for payment in await payments()] == [PaymentState.PENDING]


async def test_a_payment_without_ids_takes_those_of_its_callback(noon: datetime) -> None:
    await pending(noon, state=PaymentState.UNKNOWN)
    await receive(callback_for(PROMPT))
    (payment,) = await payments()
    assert (payment.merchant_request_id, payment.checkout_request_id) == ("29115-1", "ws_CO_201120261200")
    assert (payment.state, payment.receipt) == (PaymentState.PAID, "UKK1B2C3D4")


async def test_a_payment_without_ids_takes_none_of_another_payment(noon: datetime) -> None:
    await pending(noon, state=PaymentState.UNKNOWN)
    other = {"order_id": 2, "merchant_request_id": "29115-1", "checkout_request_id": "ws_CO_201120261200"}
    await store(build_order(noon, 2), build_payment(noon, 2, **other))
    await receive(callback_for(PROMPT))
    assert [callback.note for callback in await inbox()] == ["ignored: foreign ids"]
    own_payment = (await payments())[0]
    assert (own_payment.state, own_payment.merchant_request_id, own_payment.checkout_request_id) == (
        PaymentState.UNKNOWN,
        None,
        None,
    )


@pytest.mark.parametrize(
    ("code", "note"), [(1032, "cancelled"), (1037, "expired"), (1, "failed"), (4999, "decides nothing")]
)
async def test_the_result_of_handling_a_callback_is_noted(noon: datetime, code: int, note: str) -> None:
    ids = {key: PROMPT[key] for key in ("merchant_request_id", "checkout_request_id")}
    await pending(noon, **ids)
    await receive(callback_for(PROMPT, code=code))
    assert [callback.note for callback in await inbox()] == [note]
    (payment,) = await payments()
    if note == "decides nothing":
        assert (payment.state, payment.result_code) == (PaymentState.PENDING, "")
    else:
        assert (payment.state, payment.result_code, payment.result_text) == (
            note,
            str(code),
            "sent by the test",
        )
        assert {event.actor for event in await rows(OrderEvent)} == {"m-pesa"}


@pytest.mark.parametrize(
    ("erased_with", "checkout_request_id", "note"),
    [
        (0, PROMPT["checkout_request_id"], "paid"),
        (1, PROMPT["checkout_request_id"], "paid"),
        (0, "ws_CO_other", "ignored: foreign ids"),
    ],
)
async def test_a_late_callback_about_an_erased_payer_settles_and_leaves_no_trace_of_them(
    noon: datetime,
    configure: Callable[..., object],
    erased_with: int,
    checkout_request_id: str,
    note: str,
) -> None:
    old, new = settings().secret_keys[0], "a-newer-secret-of-more-than-32-characters"
    configure(secret_key=new, old_secret_keys=old)
    secret = (new, old)[erased_with]
    digest = erase_checkout_id(PROMPT["checkout_request_id"], secret)
    await pending(noon, phone="", merchant_request_id="29115-1", checkout_request_id=digest)
    stated = {**PROMPT, "checkout_request_id": checkout_request_id}
    await receive(callback_for(stated, PhoneNumber=254712345678))
    (stored,) = await inbox()
    assert (stored.body, stored.note) == ("{}", note)
    assert stored.checkout_request_id == erase_checkout_id(checkout_request_id, secret)


async def test_a_callback_that_cannot_be_handled_is_due_after_a_pause(
    noon: datetime, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async def fail(*_: object) -> str:
        raise OSError("the database is gone")

    await pending(noon)
    monkeypatch.setattr(callbacks, "_apply_callback", fail)
    await receive(callback_for(PROMPT))
    (stored,) = await inbox()
    assert (stored.handled_at, stored.due_at) == (None, noon + timedelta(seconds=20))
    assert (
        f"callback {stored.id} is stored but could not be handled; status polling retries it"
        in caplog.messages
    )
