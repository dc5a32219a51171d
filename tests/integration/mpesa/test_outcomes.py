"""Every outcome of the simulator's table, seen by the real client and a receiver of callbacks, over HTTP."""

from decimal import Decimal

import pytest

from agency_site.mpesa.contract import Outcome
from agency_site.mpesa.errors import Misconfigured, OutcomeUnknown, SubscriberBusy
from agency_site.mpesa.wire import parse_callback
from tests.integration.mpesa.conftest import World


async def test_any_other_phone_pays_and_one_callback_states_amount_receipt_and_time(world: World) -> None:
    accepted = await world.client.push(world.request(amount=30_000))
    callback = parse_callback(await world.receiver.body())
    await world.control.settled()

    assert (callback.outcome, callback.amount) == (Outcome.PAID, Decimal(30_000))
    assert (callback.merchant_request_id, callback.checkout_request_id) == (
        accepted.merchant_request_id,
        accepted.checkout_request_id,
    )
    assert callback.paid_at is not None
    ledger = await world.control.ledger()
    assert ledger["charged"] == 30_000
    assert [prompt["receipt"] for prompt in ledger["prompts"]] == [callback.receipt]
    assert ledger["prompts"][0]["callbacks"] == ["200"]
    assert len(callback.receipt) == 10
    assert world.receiver.bodies.empty()
    assert world.receiver.paths == ["/hooks/secret/7"]
    assert world.receiver.headers[0]["content-type"] == "application/json;charset=UTF-8"
    assert world.receiver.headers[0]["businessshortcode"] == "174379"


async def test_ids_have_the_shapes_of_daraja(world: World) -> None:
    accepted = await world.client.push(world.request())
    assert accepted.checkout_request_id.startswith("ws_CO_")
    assert accepted.checkout_request_id.endswith("712345111")
    assert len(accepted.merchant_request_id.split("-")) == 4


@pytest.mark.parametrize(
    ("last", "code", "outcome"),
    [
        ("001", "1", Outcome.FAILED),
        ("032", "1032", Outcome.CANCELLED),
        ("037", "1037", Outcome.EXPIRED),
        ("200", "2001", Outcome.FAILED),
    ],
)
async def test_a_refusal_comes_by_callback_and_by_query_and_charges_nothing(
    world: World, last: str, code: str, outcome: Outcome
) -> None:
    accepted = await world.client.push(world.request(last))
    callback = parse_callback(await world.receiver.body())
    result = await world.client.query(accepted.checkout_request_id)

    assert (callback.result_code, callback.outcome, callback.amount, callback.receipt) == (
        code,
        outcome,
        None,
        "",
    )
    assert (result.result_code, result.outcome) == (code, outcome)
    assert (await world.control.ledger())["charged"] == 0


async def test_500_refuses_the_push_itself_and_sends_no_prompt(world: World) -> None:
    with pytest.raises(Misconfigured) as caught:
        await world.client.push(world.request("500"))
    assert caught.value.code == "500.001.1001"
    ledger = await world.control.ledger()
    assert (ledger["prompts"], ledger["refusals"]) == ([], ["500.001.1001"])


async def test_503_gives_no_answer_and_charges_nothing(world: World) -> None:
    async with await world.hasty() as hasty:
        with pytest.raises(OutcomeUnknown):
            await hasty.push(world.request("503"))
    await world.control.post("advance", seconds=3600)
    await world.control.settled()
    ledger = await world.control.ledger()
    assert (ledger["prompts"], ledger["calls"]["push"]) == ([], 1)


async def test_600_is_paid_without_a_callback_and_only_the_query_reports_it(world: World) -> None:
    accepted = await world.client.push(world.request("600"))
    await world.control.settled()
    result = await world.client.query(accepted.checkout_request_id)
    assert (result.outcome, result.result_code) == (Outcome.PAID, "0")
    assert world.receiver.bodies.empty()
    assert (await world.control.ledger())["charged"] == 1500


async def test_700_is_paid_but_its_callback_comes_late(world: World) -> None:
    accepted = await world.client.push(world.request("700"))
    while (await world.client.query(accepted.checkout_request_id)).outcome is Outcome.PENDING:
        continue
    assert world.receiver.bodies.empty()
    await world.control.post("advance", seconds=3600)
    assert parse_callback(await world.receiver.body()).outcome is Outcome.PAID


async def test_800_sends_the_same_callback_three_times_and_charges_once(world: World) -> None:
    await world.client.push(world.request("800"))
    await world.control.settled()
    bodies = {await world.receiver.body() for _ in range(3)}
    assert len(bodies) == 1
    assert world.receiver.bodies.empty()
    assert (await world.control.ledger())["charged"] == 1500


async def test_900_states_another_amount_than_was_charged(world: World) -> None:
    await world.client.push(world.request("900"))
    assert parse_callback(await world.receiver.body()).amount == Decimal(1501)
    assert (await world.control.ledger())["charged"] == 1500


async def test_a_second_push_to_a_phone_with_an_open_prompt_is_refused(world: World) -> None:
    await world.control.post("next", hold=True)
    accepted = await world.client.push(world.request())
    with pytest.raises(SubscriberBusy):
        await world.client.push(world.request())
    assert (await world.client.query(accepted.checkout_request_id)).outcome is Outcome.PENDING

    await world.control.post("answer", checkout_request_id=accepted.checkout_request_id, result_code="0")
    assert parse_callback(await world.receiver.body()).outcome is Outcome.PAID
    await world.client.push(world.request())
    assert len((await world.control.ledger())["prompts"]) == 2


async def test_an_unanswered_prompt_ends_with_its_window(world: World) -> None:
    await world.control.post("next", hold=True)
    await world.client.push(world.request())
    await world.control.post("advance", seconds=3600)
    assert parse_callback(await world.receiver.body()).result_code == "1037"


async def test_an_answer_to_no_open_prompt_is_not_found(world: World) -> None:
    answer = await world.http.post("/control/answer", json={"checkout_request_id": "ws_CO_1"})
    assert answer.status_code == 404
