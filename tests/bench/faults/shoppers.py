"""People who pay, as they behave when something fails: they click twice, repeat, give up and come back."""

import asyncio
import secrets
from dataclasses import dataclass, field
from random import Random
from typing import Any

import httpx

from tests.bench.faults.stage import Stage

_PRICE = 15_000
_DIGITS = ("111", "111", "111", "111", "032", "037", "600", "600", "700", "800", "503", "001", "500")
"""How the phone's owner and M-Pesa behave (readings, "M-Pesa simulator")."""
_PATIENCE = 12.0
_UNPAID = frozenset({"failed", "cancelled", "expired"})


@dataclass
class Shopper:
    """One person with one phone, who wants one place."""

    number: int
    chance: Random
    email: str = field(default_factory=lambda: f"shopper-{secrets.token_hex(6)}@example.com")
    answers: list[tuple[str, int, str]] = field(default_factory=list)
    """Key, status and reference of each answer; no status: there was none."""
    problems: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        last = self.chance.choice(_DIGITS)
        self.phone = f"7{self.number % 100_000:05}{last}"
        self.key = secrets.token_hex(8) if self.chance.random() < 0.8 else ""

    async def shop(self, stage: Stage) -> None:
        """Order, pay, and repeat what gets no answer."""
        await asyncio.sleep(self.chance.uniform(0, 8))
        async with httpx.AsyncClient(timeout=_PATIENCE, trust_env=False) as http:
            clicks = 2 if self.chance.random() < 0.3 else 1
            await asyncio.gather(*(self._order(stage, http) for _ in range(clicks)))
            if self.chance.random() < 0.5:
                await asyncio.sleep(self.chance.uniform(5, 25))
                await self._order(stage, http)

    async def _order(self, stage: Stage, http: httpx.AsyncClient) -> None:
        body: dict[str, Any] = {
            "firstName": "Amina", "lastName": "Odhiambo", "email": self.email, "phone": self.phone,
            "courseName": "Google Ads Masterclass", "amount": _PRICE,
        }  # fmt: skip
        headers = {"Idempotency-Key": self.key} if self.key else {}
        for _ in range(4):
            server = self.chance.choice(stage.servers)
            try:
                answer = await http.post(f"{server.url}/api/stkpush", json=body, headers=headers)
            except httpx.HTTPError:
                self.answers.append((self.key, 0, ""))
            else:
                self.answers.append((self.key, answer.status_code, _reference(answer)))
                if answer.status_code == 200:
                    await self._watch(stage, http, answer.json()["MerchantRequestID"])
                    return
                if answer.status_code == 500:
                    self.problems.append("an answer was 500")
                if answer.status_code == 409:
                    return
            await asyncio.sleep(self.chance.uniform(0.5, 3))

    async def _watch(self, stage: Stage, http: httpx.AsyncClient, request: str) -> None:
        for _ in range(20):
            charged = await _is_charged(stage, request)
            server = self.chance.choice(stage.servers)
            try:
                answer = await http.get(f"{server.url}/api/check-payment-status/{request}")
            except httpx.HTTPError:
                continue
            finally:
                await asyncio.sleep(0.7)
            if answer.status_code == 200 and charged and answer.json()["state"] in _UNPAID:
                self.problems.append(f"was told {answer.json()['state']} of money that was taken")
            if answer.status_code == 200 and answer.json()["state"] != "pending":
                return


def _reference(answer: httpx.Response) -> str:
    try:
        return str(answer.json().get("reference", ""))
    except ValueError:
        return ""


async def _is_charged(stage: Stage, request: str) -> bool:
    prompts = (await stage.control.ledger())["prompts"]
    return any(prompt["charged"] for prompt in prompts if prompt["merchant_request_id"] == request)
