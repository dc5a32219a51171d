"""The meaning of the provider's answers and callbacks; whatever arrives, the client says whether a message may have been sent."""

import json

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agency_site.settings import Settings
from agency_site.sms.africas_talking import SmsClient, parse_cost, read_answer, read_number, read_report
from agency_site.sms.rules import TextState

JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=10), inner, max_size=3),
    max_leaves=8,
)


def answer_of(code: object, status: str = "", message_id: str = "ATXid_1", cost: str = "KES 0.8000") -> bytes:
    recipient = {
        "statusCode": code,
        "number": "+254712345678",
        "status": status,
        "cost": cost,
        "messageId": message_id,
    }
    return json.dumps({"SMSMessageData": {"Message": "Sent", "Recipients": [recipient]}}).encode()


@pytest.mark.parametrize("code", [100, 101, 102, "101"])
def test_an_accepted_message_has_its_id_and_cost(code: object) -> None:
    result = read_answer(201, answer_of(code, "Success"))
    assert (result.state, result.provider_id, result.cost, result.currency) == (
        TextState.SENT,
        "ATXid_1",
        8_000,
        "KES",
    )


@pytest.mark.parametrize(
    ("code", "reason", "state"),
    [
        (401, "RiskHold", TextState.FAILED),
        (402, "InvalidSenderId", TextState.QUEUED),
        (403, "InvalidPhoneNumber", TextState.FAILED),
        (404, "UnsupportedNumberType", TextState.FAILED),
        (405, "InsufficientBalance", TextState.QUEUED),
        (406, "UserInBlacklist", TextState.STOPPED),
        (407, "CouldNotRoute", TextState.FAILED),
        (409, "DoNotDisturbRejection", TextState.FAILED),
        (500, "InternalServerError", TextState.QUEUED),
        (501, "GatewayError", TextState.QUEUED),
        (502, "RejectedByGateway", TextState.FAILED),
    ],
)
def test_each_documented_code_has_its_meaning(code: int, reason: str, state: TextState) -> None:
    result = read_answer(201, answer_of(code, reason, "None", "0"))
    assert (result.state, result.reason, result.provider_id, result.cost) == (state, reason, None, 0)


@pytest.mark.parametrize(
    ("message", "state"),
    [
        ("InvalidSenderId", TextState.QUEUED),
        ("InsufficientBalance", TextState.QUEUED),
        ("Something else", TextState.FAILED),
    ],
)
def test_an_answer_without_recipients_sent_nothing(message: str, state: TextState) -> None:
    body = json.dumps({"SMSMessageData": {"Message": message, "Recipients": []}}).encode()
    assert read_answer(201, body).state is state


@pytest.mark.parametrize(
    ("status", "state"),
    [
        (400, TextState.FAILED),
        (401, TextState.QUEUED),
        (403, TextState.QUEUED),
        (404, TextState.QUEUED),
        (429, TextState.QUEUED),
        (503, TextState.QUEUED),
        (500, TextState.UNKNOWN),
        (502, TextState.UNKNOWN),
        (504, TextState.UNKNOWN),
        (302, TextState.UNKNOWN),
    ],
)
def test_other_statuses_say_whether_the_message_may_have_been_sent(status: int, state: TextState) -> None:
    assert read_answer(status, b"<html>").state is state


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"<html>",
        b"[]",
        b"null",
        b'{"SMSMessageData": 1}',
        answer_of("x"),
        answer_of(None),
        answer_of(999),
    ],
)
def test_an_answer_that_cannot_be_read_leaves_the_outcome_unknown(body: bytes) -> None:
    assert read_answer(201, body).state is TextState.UNKNOWN


@given(
    st.binary(max_size=200) | JSON_VALUES.map(lambda value: json.dumps({"SMSMessageData": value}).encode())
)
def test_no_answer_breaks_the_client(body: bytes) -> None:
    assert read_answer(201, body).state in {TextState.UNKNOWN, TextState.FAILED, TextState.QUEUED}


@pytest.mark.parametrize(
    ("text", "cost"),
    [
        ("KES 0.8000", (8_000, "KES")),
        ("USD 12", (120_000, "USD")),
        ("0", (0, "")),
        ("KES x", (0, "")),
        ("", (0, "")),
    ],
)
def test_costs_are_read_exactly(text: str, cost: tuple[int, str]) -> None:
    assert parse_cost(text) == cost


@pytest.mark.parametrize(
    ("status", "reason", "state"),
    [
        ("Success", "", TextState.DELIVERED),
        ("Sent", "", TextState.SENT),
        ("Submitted", "", TextState.SENT),
        ("Buffered", "", TextState.SENT),
        ("Rejected", "UserInBlackList", TextState.STOPPED),
        ("Failed", "UserDoesNotExist", TextState.FAILED),
        ("Failed", "", TextState.FAILED),
        ("AbsentSubscriber", "", TextState.FAILED),
        ("Expired", "", TextState.FAILED),
    ],
)
def test_each_status_of_a_report_has_its_meaning(status: str, reason: str, state: TextState) -> None:
    report = read_report(
        {"id": "1", "status": status, "phoneNumber": "+254712345678", "failureReason": reason}
    )
    assert report is not None
    assert (report.state, report.is_final) == (state, state is not TextState.SENT)
    assert report.reason == ("" if state is TextState.DELIVERED else reason or status)


@given(
    st.dictionaries(st.sampled_from(["id", "status", "phoneNumber", "failureReason"]), st.text(max_size=90))
)
def test_no_report_breaks_the_reader(fields: dict[str, str]) -> None:
    report = read_report(fields)
    assert report is None or (0 < len(report.provider_id) <= 80 and len(report.reason) <= 80)


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("+254712345678", "+254712345678"),
        (" 254712345678", "+254712345678"),
        ("22384", ""),
        ("MPESA", ""),
        ("", ""),
        ("+" + "1" * 16, ""),
    ],
)
def test_numbers_of_callbacks(text: str, number: str) -> None:
    assert read_number(text) == number


@pytest.mark.parametrize(
    ("error", "state"),
    [
        (httpx.ConnectError("refused"), TextState.QUEUED),
        (httpx.ConnectTimeout("slow"), TextState.QUEUED),
        (httpx.PoolTimeout("busy"), TextState.QUEUED),
        (httpx.ReadTimeout("silent"), TextState.UNKNOWN),
        (httpx.WriteError("cut"), TextState.UNKNOWN),
        (httpx.RemoteProtocolError("cut"), TextState.UNKNOWN),
    ],
)
async def test_a_broken_connection_says_whether_the_message_may_have_been_sent(
    error: Exception, state: TextState
) -> None:
    def fail(_request: httpx.Request) -> httpx.Response:
        raise error

    client = SmsClient(Settings(), httpx.MockTransport(fail))
    assert (await client.send("+254712345678", "Hello")).state is state
    await client.aclose()


async def test_the_request_has_the_form_that_the_provider_documents() -> None:
    requests: list[httpx.Request] = []

    def accept(request: httpx.Request) -> httpx.Response:
        requests.append(request)
        return httpx.Response(201, content=answer_of(101, "Success"))

    config = Settings(sms_username="mwanga", sms_api_key="key-1", sms_sender="Mwanga", sms_sandbox=True)
    client = SmsClient(config, httpx.MockTransport(accept))
    await client.send("+254712345678", "Hello & welcome")
    await client.aclose()
    [request] = requests
    assert str(request.url) == "https://api.sandbox.africastalking.com/version1/messaging"
    assert request.headers["apiKey"] == "key-1"
    assert request.headers["Accept"] == "application/json"
    assert request.content == (
        b"username=mwanga&to=%2B254712345678&message=Hello+%26+welcome&bulkSMSMode=1&from=Mwanga"
    )
