"""The client of Africa's Talking's SMS API (sms.md), or of the simulator: it hands over one message, once."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import httpx

from agency_site.event_loops import PerLoop
from agency_site.metrics import sms_requests
from agency_site.phone_numbers import parse_kenyan_mobile, parse_phone_number
from agency_site.settings import Settings, settings
from agency_site.sms.rules import COST_UNIT, TextState
from agency_site.tracing import SpanKind, span

MESSAGING_PATH = "/version1/messaging"
EMPTY_ACCOUNT = "InsufficientBalance"
"""The reason for a message that waits because the account has no credit."""
_SIMULATED_USERNAME, _SIMULATED_KEY = "sandbox", "simulator"
_CONNECT_SECONDS, _READ_SECONDS = 5.0, 20.0
_COST = re.compile(r"([A-Z]{3}) (\d{1,6}(?:\.\d{1,4})?)", re.ASCII)

_ACCEPTED = frozenset({100, 101, 102})
_LATER = frozenset({402, 405, 500, 501})
"""Nothing was sent, and the cause passes: the operator must correct the sender or pay in, or the gateway failed."""
_BLOCKED = frozenset({"UserInBlacklist", "UserInBlackList"})
"""Reasons that mean STOP; the answer and the delivery report spell it differently."""
DEAD_NUMBER_REASONS = frozenset({"InvalidPhoneNumber", "UnsupportedNumberType", "UserDoesNotExist"})
"""Reasons after which no message can reach the number."""
_CODES_OF_NAMES = {"InvalidSenderId": 402, EMPTY_ACCOUNT: 405}
"""Answers without recipients name the reason in their message instead (sms.md, section 2)."""

_REPORTED_STATES = {
    "Success": TextState.DELIVERED,
    "Rejected": TextState.FAILED,
    "Failed": TextState.FAILED,
    "Expired": TextState.FAILED,
    "AbsentSubscriber": TextState.FAILED,
}
"""Final statuses of delivery reports. All others mean that the message is on its way."""


@dataclass(frozen=True)
class SendResult:
    """What is known after one message was handed to the provider."""

    state: TextState
    """SENT, QUEUED (certainly not sent, another attempt may succeed), FAILED, STOPPED, or UNKNOWN."""
    reason: str = ""
    provider_id: str | None = None
    cost: int = 0
    """In ten-thousandths of the currency."""
    currency: str = ""


@dataclass(frozen=True)
class DeliveryReport:
    """The provider's report about one message."""

    provider_id: str
    number: str
    """The recipient in E.164; empty if the report does not state it."""
    state: TextState
    """DELIVERED, FAILED or STOPPED, which are final, or SENT while the message is on its way."""
    reason: str = ""

    @property
    def is_final(self) -> bool:
        """Return whether the state does not change any more."""
        return self.state is not TextState.SENT


class SmsClient:
    """The API over HTTP. It has one connection pool: use it in one event loop, and close it with `aclose`."""

    def __init__(self, config: Settings, transport: httpx.AsyncBaseTransport | None = None) -> None:
        simulated = config.sms_simulator
        self._username = _SIMULATED_USERNAME if simulated else config.sms_username
        self._sender = config.sms_sender
        key = _SIMULATED_KEY if simulated else config.sms_api_key.get_secret_value()
        self._http = httpx.AsyncClient(
            base_url=config.sms_url,
            headers={"apiKey": key, "Accept": "application/json"},
            timeout=httpx.Timeout(_READ_SECONDS, connect=_CONNECT_SECONDS),
            transport=transport,
            # Proxies come from our settings only, not from environment variables such as HTTPS_PROXY.
            trust_env=False,
        )

    async def aclose(self) -> None:
        """Close all connections."""
        await self._http.aclose()

    async def send(self, number: str, text: str) -> SendResult:
        """Hand over one message, once. Failures are results: the caller must know whether the message may have been sent."""
        form = {"username": self._username, "to": number, "message": text, "bulkSMSMode": "1"}
        if self._sender:
            form["from"] = self._sender
        with span("sms send", kind=SpanKind.CLIENT):
            try:
                response = await self._http.post(MESSAGING_PATH, data=form)
            except (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout) as error:
                result = SendResult(TextState.QUEUED, f"not reached: {type(error).__name__}")
            except httpx.HTTPError as error:
                result = SendResult(TextState.UNKNOWN, f"no answer: {type(error).__name__}")
            else:
                result = read_answer(response.status_code, response.content)
        sms_requests.labels(_OUTCOMES[result.state]).inc()
        return result


_OUTCOMES = {
    TextState.SENT: "accepted",
    TextState.QUEUED: "later",
    TextState.FAILED: "rejected",
    TextState.STOPPED: "rejected",
    TextState.UNKNOWN: "unknown",
}
_clients: PerLoop[SmsClient] = PerLoop()


def sms_client() -> SmsClient:
    """Return the client of this process and event loop, created on first use."""
    clients, address = _clients.here(), settings().sms_url
    if address not in clients:
        clients[address] = SmsClient(settings())
    return clients[address]


async def close_sms_clients() -> None:
    """Close the connections of this event loop's clients."""
    clients = _clients.here()
    while clients:
        _, client = clients.popitem()
        await client.aclose()


def read_answer(status: int, body: bytes) -> SendResult:
    """Return what an answer to one message means. An answer that cannot be understood leaves its outcome unknown."""
    if status in {429, 503}:
        return SendResult(TextState.QUEUED, f"HTTP {status}")
    if status in {400, 413, 422}:
        return SendResult(TextState.FAILED, f"HTTP {status}")
    if 400 <= status < 500:
        # A wrong key or address: nothing was sent, and the operator must correct it.
        return SendResult(TextState.QUEUED, f"HTTP {status}")
    if not 200 <= status < 300:
        return SendResult(TextState.UNKNOWN, f"HTTP {status}")
    try:
        data = json.loads(body)["SMSMessageData"]
        recipients = data["Recipients"]
        if not recipients:
            return _read_rejection(str(data["Message"]))
        return _read_recipient(recipients[0])
    except (ValueError, KeyError, TypeError, IndexError, RecursionError):
        return SendResult(TextState.UNKNOWN, "an answer that cannot be read")


def _read_rejection(message: str) -> SendResult:
    """Return the meaning of an answer without recipients: nothing was sent."""
    state = TextState.QUEUED if message in _CODES_OF_NAMES else TextState.FAILED
    return SendResult(state, message[:80])


def _read_recipient(recipient: Mapping[str, Any]) -> SendResult:
    code, reason = int(recipient["statusCode"]), str(recipient.get("status", ""))[:80]
    if code in _ACCEPTED:
        cost, currency = parse_cost(str(recipient.get("cost", "")))
        identity = str(recipient.get("messageId", ""))[:80]
        return SendResult(
            TextState.SENT, "", identity if identity not in {"", "None"} else None, cost, currency
        )
    if code in _LATER:
        return SendResult(TextState.QUEUED, EMPTY_ACCOUNT if code == 405 else reason)
    if reason in _BLOCKED:
        return SendResult(TextState.STOPPED, reason)
    if 400 <= code < 600:
        return SendResult(TextState.FAILED, reason)
    return SendResult(TextState.UNKNOWN, f"status code {code}")


def parse_cost(text: str) -> tuple[int, str]:
    """Return a cost such as `KES 0.8000` in ten-thousandths, and its currency; zero and an empty text for any other text."""
    match = _COST.fullmatch(text.strip())
    return (int(Decimal(match[2]) * COST_UNIT), match[1]) if match else (0, "")


def read_report(fields: Mapping[str, str]) -> DeliveryReport | None:
    """Return the delivery report of a callback's fields; None if they state no message."""
    identity = fields.get("id", "").strip()
    if not identity or len(identity) > 80:
        return None
    state = _REPORTED_STATES.get(fields.get("status", "").strip(), TextState.SENT)
    reason = (fields.get("failureReason") or fields.get("status", "")).strip()[:80]
    if state is TextState.FAILED and reason in _BLOCKED:
        state = TextState.STOPPED
    return DeliveryReport(
        identity,
        read_number(fields.get("phoneNumber", "")),
        state,
        "" if state is TextState.DELIVERED else reason,
    )


def read_number(text: str) -> str:
    """Return a number of a callback in E.164, however it is written (0722…, 722…, 254722…); empty for any other text."""
    if kenyan := parse_kenyan_mobile(text):
        return f"+{kenyan}"
    # A form in which the plus was not encoded has a space instead.
    digits = text.strip().removeprefix("+")
    is_number = digits.isascii() and digits.isdecimal() and 7 <= len(digits) <= 15
    return parse_phone_number(text) or (f"+{digits}" if is_number and not digits.startswith("0") else "")


def read_moment(text: str) -> datetime | None:
    """Return the time in a callback; None for any other text. Times without a zone are compared with each other alone."""
    try:
        moment = datetime.fromisoformat(text.strip())
    except ValueError:
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
