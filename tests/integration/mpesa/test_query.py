"""The status query: pending forms, early queries, noise, lies and limits."""

import pytest

from agency_site.mpesa.contract import Outcome
from agency_site.mpesa.errors import Misconfigured, MpesaError, OutcomeUnknown, Throttled
from tests.integration.mpesa.conftest import World


async def held(world: World, **switches: object) -> str:
    """Return the CheckoutRequestID of an unanswered prompt, under these switches."""
    await world.control.post("switches", **switches)
    await world.control.post("next", hold=True)
    return (await world.client.push(world.request())).checkout_request_id


@pytest.mark.parametrize(("form", "code"), [("4999", "4999"), ("old", "500.001.1001")])
async def test_an_open_prompt_is_pending_in_either_form(world: World, form: str, code: str) -> None:
    checkout = await held(world, pending_form=form)
    result = await world.client.query(checkout)
    assert (result.outcome, result.result_code) == (Outcome.PENDING, code)


async def test_asking_too_early_or_for_an_unknown_id_decides_nothing(world: World) -> None:
    checkout = await held(world, query_blind=10)
    assert (await world.client.query(checkout)).outcome is Outcome.UNDECIDED
    assert (await world.client.query("ws_CO_unknown")).outcome is Outcome.UNDECIDED
    await world.control.post("advance", seconds=10)
    assert (await world.client.query(checkout)).outcome is Outcome.PENDING


async def test_noise_between_good_answers_decides_nothing(world: World) -> None:
    checkout = await held(world, query_noise=2)
    outcomes = [(await world.client.query(checkout)).outcome for _ in range(4)]
    assert outcomes == [Outcome.PENDING, Outcome.UNDECIDED] * 2


async def test_the_query_may_lie_about_a_paid_prompt(world: World) -> None:
    await world.control.post("switches", query_lie=True)
    accepted = await world.client.push(world.request())
    await world.control.settled()
    assert (await world.client.query(accepted.checkout_request_id)).outcome is Outcome.EXPIRED
    assert (await world.control.ledger())["charged"] == 1500


async def test_too_many_queries_in_a_minute_are_throttled_until_it_is_over(world: World) -> None:
    checkout = await held(world, query_limit=5)
    for _ in range(5):
        await world.client.query(checkout)
    with pytest.raises(Throttled) as caught:
        await world.client.query(checkout)
    assert caught.value.retry_after == 12
    await world.control.post("advance", seconds=60)
    assert (await world.client.query(checkout)).outcome is Outcome.PENDING


@pytest.mark.parametrize("code", ["SFC_IC0003", "4242"])
async def test_text_codes_and_unknown_codes_arrive_as_they_are(world: World, code: str) -> None:
    await world.control.post("next", result_code=code, copies=0)
    accepted = await world.client.push(world.request())
    await world.control.settled()
    result = await world.client.query(accepted.checkout_request_id)
    assert result.result_code == code
    assert result.outcome is (Outcome.UNDECIDED if code == "4242" else Outcome.FAILED)


@pytest.mark.parametrize(
    ("fault", "error"),
    [
        ("html_503", OutcomeUnknown),
        ("drop", OutcomeUnknown),
        ("internal_error", OutcomeUnknown),
        ("empty_200", OutcomeUnknown),
        ("busy", Throttled),
        ("wrong_credentials", Misconfigured),
    ],
)
async def test_a_query_without_an_answer_raises(world: World, fault: str, error: type[MpesaError]) -> None:
    checkout = await held(world)
    await world.control.post("fault", call="query", fault=fault)
    with pytest.raises(error):
        await world.client.query(checkout)
    assert (await world.client.query(checkout)).outcome is Outcome.PENDING


async def test_a_token_that_ended_is_replaced_for_a_query_too(world: World) -> None:
    checkout = await held(world)
    await world.control.post("expire-tokens")
    assert (await world.client.query(checkout)).outcome is Outcome.PENDING
