"""The one place that builds the client of M-Pesa, with everything its workers share."""

import asyncio
import hashlib

from agency_site.checkout.pace import SharedTokens
from agency_site.db.engine import session_scope
from agency_site.mpesa.client import DarajaClient, client_from
from agency_site.mpesa.contract import Gateway
from agency_site.settings import Settings, settings

_clients: dict[tuple[int, str], DarajaClient] = {}


def app_key(now: Settings) -> str:
    """By what the rows of one Daraja app are told apart from another's: address and consumer key."""
    key = now.mpesa_consumer_key.get_secret_value()
    return hashlib.sha256(f"{now.daraja_url}\n{key}".encode()).hexdigest()


def gateway() -> Gateway:
    """The client of this process and event loop, made on first use."""
    name = (id(asyncio.get_running_loop()), app_key(settings()))
    if name not in _clients:
        _clients[name] = client_from(settings(), SharedTokens(session_scope, name[1]))
    return _clients[name]


async def close_gateway() -> None:
    """Close the connections of this event loop's clients."""
    loop = id(asyncio.get_running_loop())
    for name in [name for name in _clients if name[0] == loop]:
        await _clients.pop(name).aclose()
