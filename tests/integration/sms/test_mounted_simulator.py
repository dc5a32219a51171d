"""The simulator that the site carries, and who may reach it."""

from collections.abc import Callable

import httpx
import pytest

from agency_site.web.serving.api import create_api
from tests.http_clients import client_of
from tests.integration.sms.messages import NUMBER

MESSAGE = {"username": "sandbox", "to": NUMBER, "message": "Hello"}
PATH = "/simulator/sms/version1/messaging"


async def post(client: httpx.AsyncClient) -> httpx.Response:
    return await client.post(PATH, data=MESSAGE, headers={"apiKey": "simulator"})


@pytest.mark.usefixtures("database")
async def test_development_carries_the_simulator() -> None:
    api = create_api()
    async with client_of(api) as stranger:
        assert (await post(stranger)).status_code == 404
    async with client_of(api, "127.0.0.1") as client:
        assert (await client.get("/simulator/mpesa/", headers={"Via": "1.1 proxy"})).status_code == 404
        answer = await post(client)
        [recipient] = answer.json()["SMSMessageData"]["Recipients"]
        listed = (await client.get("/simulator/sms/control/messages")).json()
    assert (answer.status_code, recipient["statusCode"], recipient["cost"]) == (201, 101, "KES 0.8000")
    assert [message["number"] for message in listed["messages"]] == [NUMBER]


@pytest.mark.usefixtures("database")
@pytest.mark.parametrize(
    "change", [{"env": "production"}, {"sms_api_key": "key"}, {"sms_base_url": "http://x.example"}]
)
async def test_a_site_with_another_provider_or_in_production_does_not(
    configure: Callable[..., object], change: dict[str, str]
) -> None:
    configure(**change)
    async with client_of(create_api(), "127.0.0.1") as client:
        assert (await post(client)).status_code == 404
