"""The client against prepared answers: every class of answer becomes one named error or result."""

import base64
import json
from typing import Any

import httpx
import pytest

from agency_site.mpesa.contract import Outcome, PushAccepted
from agency_site.mpesa.errors import (
    Misconfigured,
    MpesaError,
    NotSent,
    OutcomeUnknown,
    RequestRefused,
    SubscriberBusy,
    Throttled,
    TokenRefused,
    Unreachable,
)
from tests.unit.mpesa.prepared import HTML, NO_PRODUCT, PUSH, SETTLED, SPIKE, TAKEN, WORK, Daraja, complaint


async def test_an_accepted_push_gives_both_ids() -> None:
    daraja = Daraja(httpx.Response(200, json=TAKEN))
    async with daraja.client() as client:
        assert await client.push(PUSH) == PushAccepted("7c1a-1", "ws_CO_1", TAKEN["CustomerMessage"])
    requests, token_call = daraja.calls[0], daraja.token_calls[0]
    assert str(requests.url) == "https://daraja.example/base/mpesa/stkpush/v1/processrequest"
    assert requests.headers["Authorization"] == "Bearer t1"
    assert requests.headers["Content-Type"] == "application/json"
    assert json.loads(requests.content)["AccountReference"] == "OR7F3K9Q"
    assert token_call.url.path == "/base/oauth/v1/generate"
    assert token_call.url.query == b"grant_type=client_credentials"
    assert token_call.headers["Authorization"] == "Basic " + base64.b64encode(b"key:secret").decode()


PUSH_ERRORS: list[tuple[httpx.Response, type[MpesaError]]] = [
    (complaint(400, "400.002.02", "Bad Request - Invalid Amount"), RequestRefused),
    (complaint(400, "400.002.05", "Invalid Request Payload"), RequestRefused),
    (complaint(404, "404.001.01", "Resource not found"), RequestRefused),
    (complaint(404, "404.001.04", "Invalid Authentication Header"), RequestRefused),
    (complaint(405, "405.001", "Method Not Allowed"), RequestRefused),
    (complaint(500, "500.001.1001", "Merchant does not exist"), Misconfigured),
    (complaint(500, "500.001.1001", "[MerchantValidate] - Wrong credentials"), Misconfigured),
    (complaint(500, "500.001.1001", "UNABLE TO LOCK subscriber, a transaction is"), SubscriberBusy),
    (complaint(500, "500.001.1001", "something never heard of"), OutcomeUnknown),
    (complaint(500, "500.001.1001"), OutcomeUnknown),
    (complaint(500, "500.003.02", "System is busy. Please try again in few minutes."), Throttled),
    (complaint(500, "500.003.02", "Error Occurred: Spike Arrest Violation"), Throttled),
    (complaint(500, "500.003.03", "Quota Violation"), Throttled),
    (complaint(500, "500.003.1001", "Internal Server Error"), OutcomeUnknown),
    (complaint(500, "500.009.77", "new"), OutcomeUnknown),
    (complaint(200, "500.003.02", "an error under a good status"), Throttled),
    (httpx.Response(429, json=SPIKE), Throttled),
    (httpx.Response(500, json=SPIKE), Throttled),
    (httpx.Response(429), Throttled),
    (httpx.Response(403, json=NO_PRODUCT), Misconfigured),
    (httpx.Response(403, html="<html>Incapsula</html>"), Misconfigured),
    (httpx.Response(302, headers={"Location": "https://elsewhere.example"}), Misconfigured),
    (httpx.Response(400), RequestRefused),
    (httpx.Response(404, html="<html>"), RequestRefused),
    (httpx.Response(408), OutcomeUnknown),
    (HTML, OutcomeUnknown),
    (httpx.Response(500), OutcomeUnknown),
    (httpx.Response(502), OutcomeUnknown),
    (httpx.Response(504, json={"fault": {"faultstring": "Gateway Timeout"}}), OutcomeUnknown),
    (httpx.Response(200), OutcomeUnknown),
    (httpx.Response(200, html="<html>"), OutcomeUnknown),
    (httpx.Response(200, json=[]), OutcomeUnknown),
    (httpx.Response(200, json={**TAKEN, "ResponseCode": "1"}), OutcomeUnknown),
    (httpx.Response(200, json={**TAKEN, "CheckoutRequestID": None}), OutcomeUnknown),
    (httpx.Response(200, json={**TAKEN, "MerchantRequestID": {"a": 1}}), OutcomeUnknown),
]


@pytest.mark.parametrize(("answer", "error"), PUSH_ERRORS)
async def test_each_answer_to_a_push_has_its_error_and_nothing_is_resent(
    answer: httpx.Response, error: type[MpesaError]
) -> None:
    daraja = Daraja(answer)
    async with daraja.client() as client:
        with pytest.raises(MpesaError) as caught:
            await client.push(PUSH)
    assert type(caught.value) is error
    assert len(daraja.calls) == 1


@pytest.mark.parametrize(
    ("failure", "error"),
    [
        (httpx.ConnectError("refused"), Unreachable),
        (httpx.ConnectTimeout("slow"), Unreachable),
        (httpx.PoolTimeout("full"), Unreachable),
        (httpx.ReadTimeout("silent"), OutcomeUnknown),
        (httpx.WriteTimeout("stuck"), OutcomeUnknown),
        (httpx.ReadError("reset"), OutcomeUnknown),
        (httpx.WriteError("reset"), OutcomeUnknown),
        (httpx.CloseError("closed"), OutcomeUnknown),
        (httpx.RemoteProtocolError("dropped"), OutcomeUnknown),
        (httpx.DecodingError("garbled"), OutcomeUnknown),
    ],
)
async def test_only_a_failure_to_connect_is_surely_not_sent(
    failure: Exception, error: type[MpesaError]
) -> None:
    for work in WORK:
        daraja = Daraja(failure)
        async with daraja.client() as client:
            with pytest.raises(error):
                await work(client)
        assert len(daraja.calls) == 1


INVALID_TOKEN = [
    complaint(404, "404.001.03", "Invalid Access Token"),
    complaint(400, "400.003.01", "Invalid Access Token"),
    complaint(401, "401.002.01", "Error Occurred - Invalid Access Token"),
    complaint(401, "401.003.01"),
    httpx.Response(401),
]


@pytest.mark.parametrize("refused", INVALID_TOKEN)
async def test_a_refused_token_is_replaced_and_the_call_repeated_once(refused: httpx.Response) -> None:
    daraja = Daraja(refused, httpx.Response(200, json=TAKEN))
    async with daraja.client() as client:
        await client.push(PUSH)
    assert daraja.bearers == ["Bearer t1", "Bearer t2"]
    assert daraja.calls[0].content == daraja.calls[1].content


@pytest.mark.parametrize("refused", INVALID_TOKEN)
async def test_a_token_refused_twice_is_a_matter_of_configuration(refused: httpx.Response) -> None:
    daraja = Daraja(refused, refused)
    async with daraja.client() as client:
        with pytest.raises(Misconfigured):
            await client.push(PUSH)
    assert len(daraja.calls) == 2


async def test_after_the_repeat_nothing_is_repeated_again() -> None:
    daraja = Daraja(INVALID_TOKEN[0], httpx.ReadTimeout("silent"))
    async with daraja.client() as client:
        with pytest.raises(OutcomeUnknown):
            await client.push(PUSH)


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        (httpx.Response(400), TokenRefused),
        (complaint(400, "400.008.01", "Invalid authentication type passed"), TokenRefused),
        (HTML, TokenRefused),
        (httpx.Response(200), TokenRefused),
        (httpx.Response(200, json={"expires_in": "3599"}), TokenRefused),
        (httpx.Response(401), TokenRefused),
        (httpx.Response(429, json=SPIKE), Throttled),
        (complaint(500, "500.003.02", "System is busy."), Throttled),
        (httpx.ConnectError("refused"), Unreachable),
        (httpx.ReadTimeout("silent"), Unreachable),
    ],
)
async def test_without_a_token_nothing_is_sent(answer: Any, error: type[MpesaError]) -> None:
    daraja = Daraja(tokens=[answer])
    async with daraja.client() as client:
        with pytest.raises(NotSent) as caught:
            await client.push(PUSH)
    assert type(caught.value) is error
    assert daraja.calls == []


@pytest.mark.parametrize(
    ("changes", "outcome"),
    [
        ({}, Outcome.PAID),
        ({"ResultCode": 0}, Outcome.PAID),
        ({"ResultCode": "1032"}, Outcome.CANCELLED),
        ({"ResultCode": 1037}, Outcome.EXPIRED),
        ({"ResultCode": "4999"}, Outcome.PENDING),
        ({"ResultCode": "SFC_IC0003"}, Outcome.FAILED),
        ({"ResultCode": "31337"}, Outcome.UNDECIDED),
        ({"CheckoutRequestID": "ws_CO_2"}, Outcome.UNDECIDED),
        ({"CheckoutRequestID": None}, Outcome.UNDECIDED),
        ({"ResponseCode": "1"}, Outcome.UNDECIDED),
    ],
)
async def test_a_query_counts_only_when_it_names_our_prompt(
    changes: dict[str, object], outcome: Outcome
) -> None:
    async with Daraja(httpx.Response(200, json={**SETTLED, **changes})).client() as client:
        result = await client.query("ws_CO_1")
    assert result.outcome is outcome


@pytest.mark.parametrize(
    ("answer", "outcome"),
    [
        (complaint(500, "500.001.1001", "The transaction is being processed"), Outcome.PENDING),
        (complaint(500, "500.001.1001", "The transaction does not Exist"), Outcome.UNDECIDED),
        (complaint(500, "500.001.1001", "noise"), Outcome.UNDECIDED),
        (complaint(400, "400.002.02", "Bad Request - Invalid CheckoutRequestID"), Outcome.UNDECIDED),
    ],
)
async def test_some_errors_of_a_query_are_answers(answer: httpx.Response, outcome: Outcome) -> None:
    async with Daraja(answer).client() as client:
        assert (await client.query("ws_CO_1")).outcome is outcome


QUERY_ERRORS: list[tuple[httpx.Response, type[MpesaError]]] = [
    (complaint(400, "400.002.02", "Bad Request - Invalid Timestamp"), RequestRefused),
    (complaint(500, "500.001.1001", "Wrong credentials"), Misconfigured),
    (complaint(500, "500.001.1001", "Merchant does not exist"), Misconfigured),
    (complaint(500, "500.003.1001", "Internal Server Error"), OutcomeUnknown),
    (httpx.Response(429, json=SPIKE), Throttled),
    (httpx.Response(200, json={"ResponseCode": "0"}), OutcomeUnknown),
    (httpx.Response(200), OutcomeUnknown),
    (HTML, OutcomeUnknown),
]


@pytest.mark.parametrize(("answer", "error"), QUERY_ERRORS)
async def test_other_errors_of_a_query_say_nothing(answer: httpx.Response, error: type[MpesaError]) -> None:
    async with Daraja(answer).client() as client:
        with pytest.raises(MpesaError) as caught:
            await client.query("ws_CO_1")
    assert type(caught.value) is error


@pytest.mark.parametrize(("header", "seconds"), [("30", 30), ("Fri, 20 Nov 2026 09:00:00 GMT", None)])
async def test_a_throttled_answer_says_how_long_to_wait(header: str, seconds: float | None) -> None:
    answer = httpx.Response(429, json=SPIKE, headers={"Retry-After": header})
    for work in WORK:
        async with Daraja(answer).client() as client:
            with pytest.raises(Throttled) as caught:
                await work(client)
        assert caught.value.retry_after == seconds
