"""The one place that builds the client of M-Pesa, with everything its workers share."""

import hashlib

from agency_site.db.engine import session_scope
from agency_site.event_loops import PerLoop
from agency_site.features.checkout.daraja_quota import SharedTokens
from agency_site.mpesa.client import DarajaClient, client_from
from agency_site.mpesa.contract import Gateway
from agency_site.settings import Settings, settings

_clients: PerLoop[DarajaClient] = PerLoop()


def app_key(now: Settings) -> str:
    """By what the rows of one Daraja app are told apart from another's: address and consumer key."""
    key = now.mpesa_consumer_key.get_secret_value()
    return hashlib.sha256(f"{now.daraja_url}\n{key}".encode()).hexdigest()


def gateway() -> Gateway:
    """The client of this process and event loop, made on first use."""
    key, kept = app_key(settings()), _clients.here()
    if key not in kept:
        kept[key] = client_from(settings(), SharedTokens(session_scope, key))
    return kept[key]


async def close_gateway() -> None:
    """Close the connections of this event loop's clients."""
    kept = _clients.here()
    while kept:
        _, client = kept.popitem()
        await client.aclose()
