"""Daraja's oddities by switch: tokens, faults, unreadable answers, callbacks in every variant."""

import json
from decimal import Decimal
from typing import Any

import pytest
from starlette.responses import RedirectResponse

from agency_site.mpesa.contract import Callback, Outcome
from agency_site.mpesa.errors import (
    Misconfigured,
    MpesaError,
    OutcomeUnknown,
    RequestRefused,
    Throttled,
    TokenRefused,
)
from agency_site.mpesa.wire import parse_callback
from tests.integration.mpesa.conftest import World, client_for


async def paid(world: World, **switches: object) -> tuple[Callback, list[dict[str, Any]]]:
    """The callback of one paid push under these switches, and its metadata as sent."""
    await world.control.post("switches", **switches)
    await world.client.push(world.request())
    body = await world.receiver.body()
    return parse_callback(body), json.loads(body)["Body"]["stkCallback"]["CallbackMetadata"]["Item"]


async def test_wrong_keys_get_an_empty_400_and_no_token(world: World) -> None:
    async with client_for(world.base_url, secret="wrong") as stranger:
        with pytest.raises(TokenRefused) as caught:
            await stranger.push(world.request())
    assert caught.value.code == "400"
    assert (await world.control.ledger())["calls"]["push"] == 0


async def test_a_token_that_ended_early_is_replaced_and_the_push_repeated_once(world: World) -> None:
    await world.client.push(world.request("111"))
    await world.control.post("expire-tokens")
    await world.client.push(world.request("112"))
    ledger = await world.control.ledger()
    assert ledger["calls"] == {"token": 2, "push": 3, "query": 0, "pull": 0, "reversal": 0}
    assert len(ledger["prompts"]) == 2


async def test_a_new_token_kills_the_old_one_and_both_clients_still_get_through(world: World) -> None:
    async with client_for(world.base_url) as other:
        await world.client.push(world.request("111"))
        await other.push(world.request("112"))
        await world.client.push(world.request("113"))
    ledger = await world.control.ledger()
    assert ledger["calls"] == {"token": 3, "push": 4, "query": 0, "pull": 0, "reversal": 0}
    assert len(ledger["prompts"]) == 3


async def test_old_tokens_live_on_when_so_switched(world: World) -> None:
    await world.control.post("switches", new_token_kills_old=False, expires_in="number")
    async with client_for(world.base_url) as other:
        await world.client.push(world.request("111"))
        await other.push(world.request("112"))
        await world.client.push(world.request("113"))
    assert (await world.control.ledger())["calls"] == {
        "token": 2,
        "push": 3,
        "query": 0,
        "pull": 0,
        "reversal": 0,
    }


@pytest.mark.parametrize(
    ("fault", "error"),
    [
        ("html_503", OutcomeUnknown),
        ("html_403", Misconfigured),
        ("bad_gateway", OutcomeUnknown),
        ("empty_500", OutcomeUnknown),
        ("empty_400", RequestRefused),
        ("internal_error", OutcomeUnknown),
        ("busy", Throttled),
        ("spike", Throttled),
        ("quota", Throttled),
        ("rate_limit", Throttled),
        ("wrong_credentials", Misconfigured),
        ("no_merchant", Misconfigured),
        ("unknown_text", OutcomeUnknown),
    ],
)
async def test_a_push_that_went_wrong_is_named_and_never_resent(
    world: World, fault: str, error: type[MpesaError]
) -> None:
    await world.control.post("fault", call="push", fault=fault)
    with pytest.raises(error):
        await world.client.push(world.request())
    ledger = await world.control.ledger()
    assert (ledger["prompts"], ledger["calls"]["push"]) == ([], 1)


@pytest.mark.parametrize("fault", ["no_product", "invalid_token"])
async def test_a_token_refused_twice_is_a_matter_for_staff(world: World, fault: str) -> None:
    await world.control.post("fault", call="push", fault=fault, times=0)
    with pytest.raises(Misconfigured):
        await world.client.push(world.request())
    assert (await world.control.ledger())["calls"] == {
        "token": 2,
        "push": 2,
        "query": 0,
        "pull": 0,
        "reversal": 0,
    }


@pytest.mark.parametrize("fault", ["drop", "gateway_timeout", "empty_200", "html_200"])
async def test_a_lost_answer_leaves_the_outcome_unknown_though_the_prompt_is_out(
    world: World, fault: str
) -> None:
    await world.control.post("fault", call="push", fault=fault)
    with pytest.raises(OutcomeUnknown):
        await world.client.push(world.request())
    assert parse_callback(await world.receiver.body()).outcome is Outcome.PAID
    ledger = await world.control.ledger()
    assert (ledger["charged"], ledger["calls"]["push"]) == (1500, 1)


async def test_an_answer_slower_than_the_read_timeout_is_unknown(world: World) -> None:
    await world.control.post("switches", slow_seconds=3600)
    await world.control.post("fault", call="push", fault="slow")
    async with await world.hasty() as hasty:
        with pytest.raises(OutcomeUnknown):
            await hasty.push(world.request())
    await world.control.settled()
    assert (await world.control.ledger())["charged"] == 1500
    await world.control.post("advance", seconds=3600)


@pytest.mark.parametrize(
    ("fault", "error"), [("html_503", TokenRefused), ("rate_limit", Throttled), ("empty_200", TokenRefused)]
)
async def test_a_failing_token_call_sends_no_push(world: World, fault: str, error: type[MpesaError]) -> None:
    await world.control.post("fault", call="token", fault=fault)
    with pytest.raises(error):
        await world.client.push(world.request())
    assert (await world.control.ledger())["calls"]["push"] == 0


@pytest.mark.parametrize(
    ("switches", "names"),
    [
        ({"balance": "absent"}, ["Amount", "MpesaReceiptNumber", "TransactionDate", "PhoneNumber"]),
        ({"phone": "missing"}, ["Amount", "MpesaReceiptNumber", "Balance", "TransactionDate"]),
        (
            {"items": "shuffled"},
            ["PhoneNumber", "TransactionDate", "Balance", "MpesaReceiptNumber", "Amount"],
        ),
        (
            {"balance": "text", "phone": "masked", "date": "text"},
            ["Amount", "MpesaReceiptNumber", "Balance", "TransactionDate", "PhoneNumber"],
        ),
    ],
)
async def test_a_paid_callback_is_read_in_every_variant(
    world: World, switches: dict[str, object], names: list[str]
) -> None:
    callback, items = await paid(world, **switches)
    assert [item["Name"] for item in items] == names
    assert (callback.outcome, callback.amount, len(callback.receipt)) == (Outcome.PAID, Decimal(1500), 10)
    assert callback.paid_at is not None


async def test_a_success_may_lack_receipt_and_amount(world: World) -> None:
    callback, _ = await paid(world, receipt="missing", amount="missing")
    assert (callback.outcome, callback.receipt, callback.amount) == (Outcome.PAID, "", None)


async def test_a_callback_can_come_before_the_answer_to_its_push(world: World) -> None:
    await world.control.post("switches", callback="before")
    accepted = await world.client.push(world.request())
    assert (
        parse_callback(world.receiver.bodies.get_nowait()).checkout_request_id == accepted.checkout_request_id
    )


async def test_callbacks_can_be_lost_or_doubled_for_all(world: World) -> None:
    await world.control.post("switches", copies=0)
    await world.client.push(world.request("111"))
    await world.control.settled()
    assert world.receiver.bodies.empty()
    await world.control.post("switches", copies=2)
    await world.client.push(world.request("112"))
    await world.control.settled()
    assert world.receiver.bodies.qsize() == 2


async def test_a_callback_follows_no_redirect_and_is_not_repeated(world: World) -> None:
    world.receiver.answer = RedirectResponse(f"{world.receiver.url}/elsewhere", status_code=307)
    await world.client.push(world.request())
    await world.control.settled()
    assert world.receiver.paths == ["/hooks/secret/7"]
    assert (await world.control.ledger())["prompts"][0]["callbacks"] == ["307"]


async def test_a_callback_to_nowhere_is_noted(world: World) -> None:
    world.receiver.url = "http://127.0.0.1:9"
    await world.client.push(world.request())
    await world.control.settled()
    assert (await world.control.ledger())["prompts"][0]["callbacks"] == ["ConnectError"]


async def test_the_same_amount_soon_after_is_refused_when_so_switched(world: World) -> None:
    await world.control.post("switches", same_amount_rule=True)
    await world.client.push(world.request())
    await world.receiver.body()
    await world.client.push(world.request())
    assert parse_callback(await world.receiver.body()).result_code == "17"
    await world.control.post("advance", seconds=121)
    await world.client.push(world.request())
    assert parse_callback(await world.receiver.body()).result_code == "0"


async def test_a_reset_ends_open_prompts_without_a_callback(world: World) -> None:
    await world.control.post("next", hold=True)
    await world.client.push(world.request())
    await world.control.post("reset")
    await world.control.settled()
    assert await world.control.ledger() == {
        "prompts": [],
        "charged": 0,
        "paybill": [],
        "reversals": [],
        "returned": 0,
        "calls": {"token": 0, "push": 0, "query": 0, "pull": 0, "reversal": 0},
        "refusals": [],
    }
    # The phone is free again.
    await world.client.push(world.request())
