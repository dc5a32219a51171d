"""The simulator's own faithfulness, tested without our client: paths, shapes, errors, and how it is run."""

import asyncio
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from starlette.applications import Starlette
from starlette.routing import Mount

from agency_site.mpesa.contract import Outcome
from agency_site.mpesa.simulator import SimulatorConfig, create_simulator
from agency_site.mpesa.simulator.config import CONSUMER_KEY, CONSUMER_SECRET
from agency_site.mpesa.wire import parse_callback
from agency_site.settings import SIMULATOR_PATH
from tests.integration.mpesa.conftest import World, client_for
from tests.servers import end, free_port, wait_for_port
from tests.simulator import Control, Receiver, serving

PUSH = "/mpesa/stkpush/v1/processrequest"
TOKEN = "/oauth/v1/generate?grant_type=client_credentials"
PASSWORD = (
    "MTc0Mzc5YmZiMjc5ZjlhYTliZGJjZjE1OGU5N2RkNzFhNDY3Y2QyZTBjODkz"
    "MDU5YjEwZjc4ZTZiNzJhZGExZWQyYzkxOTIwMjEwNjI4MDkyNDA4"
)
"""The password of Safaricom's own published sample, for the timestamp 20210628092408."""


async def bearer(world: World) -> dict[str, str]:
    answer = await world.http.get(TOKEN, auth=(CONSUMER_KEY, CONSUMER_SECRET))
    return {"Authorization": f"Bearer {answer.json()['access_token']}"}


def body(world: World, **changes: object) -> dict[str, Any]:
    """A push in the mix of numbers and text of Safaricom's own sample."""
    return {
        "BusinessShortCode": 174379,
        "Password": PASSWORD,
        "Timestamp": "20210628092408",
        "TransactionType": "CustomerPayBillOnline",
        "Amount": "1",
        "PartyA": 254712345111,
        "PartyB": "174379",
        "PhoneNumber": "254712345111",
        "CallBackURL": f"{world.receiver.url}/hook",
        "AccountReference": "TEST",
        "TransactionDesc": "",
        **changes,
    }


async def test_a_token_has_28_characters_and_its_lifetime_is_text(world: World) -> None:
    answer = await world.http.get(TOKEN, auth=(CONSUMER_KEY, CONSUMER_SECRET))
    assert len(answer.json()["access_token"]) == 28
    assert answer.json()["expires_in"] == "3599"
    await world.control.post("switches", expires_in="number")
    answer = await world.http.get(TOKEN, auth=(CONSUMER_KEY, CONSUMER_SECRET))
    assert answer.json()["expires_in"] == 3599


async def test_safaricoms_own_sample_is_accepted(world: World) -> None:
    answer = await world.http.post(PUSH, json=body(world), headers=await bearer(world))
    assert answer.status_code == 200
    assert set(answer.json()) == {
        "MerchantRequestID",
        "CheckoutRequestID",
        "ResponseCode",
        "ResponseDescription",
        "CustomerMessage",
    }
    assert answer.json()["ResponseCode"] == "0"


async def test_texts_longer_than_documented_are_accepted_with_a_warning(
    world: World, caplog: pytest.LogCaptureFixture
) -> None:
    """Safaricom's Node library sends "Lipa na mpesa online" where nothing else is chosen."""
    texts = {"AccountReference": "INV-2026-000017", "TransactionDesc": "Lipa na mpesa online"}
    answer = await world.http.post(PUSH, json=body(world, **texts), headers=await bearer(world))
    assert answer.status_code == 200
    assert parse_callback(await world.receiver.body()).outcome is Outcome.PAID
    assert [record.getMessage() for record in caplog.records] == [
        "AccountReference has 15 characters; Daraja documents at most 12",
        "TransactionDesc has 20 characters; Daraja documents at most 13",
    ]


@pytest.mark.parametrize(("length", "code"), [(170, "0"), (171, "1025")])
async def test_more_than_182_characters_on_a_prompt_end_with_1025(
    world: World, length: int, code: str
) -> None:
    texts = {"AccountReference": "R" * 12, "TransactionDesc": "d" * length}
    await world.http.post(PUSH, json=body(world, **texts), headers=await bearer(world))
    assert parse_callback(await world.receiver.body()).result_code == code


@pytest.mark.parametrize(
    ("changes", "status", "code", "message"),
    [
        ({"BusinessShortCode": "x"}, 400, "400.002.02", "Bad Request - Invalid BusinessShortCode"),
        ({"Amount": "0"}, 400, "400.002.02", "Bad Request - Invalid Amount"),
        ({"Amount": 10.5}, 400, "400.002.02", "Bad Request - Invalid Amount"),
        ({"Amount": 250_001}, 400, "400.002.02", "Bad Request - Invalid Amount"),
        ({"PhoneNumber": "0712345678"}, 400, "400.002.02", "Bad Request - Invalid PhoneNumber"),
        ({"CallBackURL": "ftp://x/y"}, 400, "400.002.02", "Bad Request - Invalid CallBackURL"),
        ({"Timestamp": ["2021"]}, 400, "400.002.02", "Bad Request - Invalid Timestamp"),
        ({"BusinessShortCode": "600000"}, 500, "500.001.1001", "Merchant does not exist"),
        ({"Timestamp": "20210628092409"}, 500, "500.001.1001", "Wrong credentials"),
    ],
)
async def test_a_faulty_push_is_refused_as_daraja_does(
    world: World, changes: dict[str, object], status: int, code: str, message: str
) -> None:
    answer = await world.http.post(PUSH, json=body(world, **changes), headers=await bearer(world))
    assert answer.status_code == status
    assert (answer.json()["errorCode"], answer.json()["errorMessage"]) == (code, message)
    assert answer.json()["requestId"]


async def test_faulty_envelopes_are_refused_as_daraja_does(world: World) -> None:
    good = await bearer(world)
    cases = [
        (await world.http.post(PUSH, json=body(world)), 404, "404.001.04"),
        (await world.http.post(PUSH, json={}, headers={"Authorization": "Bearer no"}), 404, "404.001.03"),
        (await world.http.post(PUSH, data={"Amount": "1"}, headers=good), 400, "400.002.02"),
        (
            await world.http.post(
                PUSH, content=b"{", headers={**good, "Content-Type": "application/json"}
            ),
            400,
            "400.002.05",
        ),
        (await world.http.get(PUSH), 405, "405.001"),
        (await world.http.post("/mpesa/other"), 404, "404.001.01"),
        (await world.http.get(TOKEN, headers={"Authorization": "Bearer x"}), 400, "400.008.01"),
        (await world.http.get("/oauth/v1/generate", auth=("a", "b")), 400, "400.008.02"),
    ]  # fmt: skip
    assert [(a.status_code, a.json()["errorCode"]) for a, _, _ in cases] == [(s, c) for _, s, c in cases]
    assert (await world.control.ledger())["prompts"] == []


async def test_the_control_refuses_what_it_does_not_know(world: World) -> None:
    for name, wrong in (("switches", {"colour": "red"}), ("next", {"copies": -1}), ("fault", {"call": "x"})):
        assert (await world.http.post(f"/control/{name}", json=wrong)).status_code == 422


async def test_mounted_under_a_path_it_serves_the_client_and_calls_only_its_own_site() -> None:
    receiver = Receiver()
    async with serving(receiver.app) as receiver.url:
        config = SimulatorConfig(delay=0.01, callback_base=receiver.url, control=False)
        simulator = create_simulator(config)
        async with (
            serving(Starlette(routes=[Mount(SIMULATOR_PATH, simulator)])) as host,
            client_for(f"{host}{SIMULATOR_PATH}") as client,
            httpx.AsyncClient(base_url=f"{host}{SIMULATOR_PATH}", trust_env=False) as http,
        ):
            world = World(host, client, Control(http), receiver, http)
            await client.push(world.request())
            assert parse_callback(await receiver.body()).outcome is Outcome.PAID
            elsewhere = body(world, CallBackURL=f"{receiver.url}0/hook")
            refused = await http.post(PUSH, json=elsewhere, headers=await bearer(world))
            assert refused.json()["errorMessage"] == "Bad Request - Invalid CallBackURL"
            assert (await http.get("/control/ledger")).status_code == 404
        await simulator.state.engine.aclose()


@pytest.fixture
def alone() -> Iterator[str]:
    """The simulator as a process of its own."""
    port = free_port()
    process = subprocess.Popen(
        [sys.executable, "-m", "agency_site.mpesa.simulator", "--port", str(port), "--delay", "0.01"]
    )
    try:
        wait_for_port(port, process)
        yield f"http://127.0.0.1:{port}"
    finally:
        end(process)
        assert process.returncode == 0


async def test_run_alone_it_serves_several_clients_at_once(alone: str) -> None:
    receiver = Receiver()
    async with (
        serving(receiver.app) as receiver.url,
        client_for(alone) as client,
        httpx.AsyncClient(base_url=alone, timeout=30, trust_env=False) as http,
    ):
        world = World(alone, client, Control(http), receiver, http)
        await asyncio.gather(*(client.push(world.request(last)) for last in ("111", "112", "113")))
        outcomes = [parse_callback(await receiver.body()).outcome for _ in range(3)]
        await world.control.settled()
        assert outcomes == [Outcome.PAID] * 3
        assert (await world.control.ledger())["charged"] == 4500
