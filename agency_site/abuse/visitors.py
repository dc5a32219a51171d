"""Where an event of an open page comes from."""

from collections.abc import Mapping
from typing import Protocol

from agency_site.proxies import sender
from agency_site.settings import settings


class Headers(Protocol):
    """Headers of the socket's handshake."""

    @property
    def raw_headers(self) -> Mapping[str, str]: ...  # noqa: D102


class Session(Protocol):
    """The socket's connection."""

    @property
    def client_ip(self) -> str: ...  # noqa: D102


class Router(Protocol):
    """What a state knows of its visitor."""

    @property
    def headers(self) -> Headers: ...  # noqa: D102

    @property
    def session(self) -> Session: ...  # noqa: D102


def address_of(router: Router) -> str:
    """The visitor's address: the connection's, or what our own proxies say (`settings.trusted_proxy_hops`)."""
    headers = router.headers.raw_headers
    # Reflex writes the connection's own address into this one, over whatever a browser claims.
    peer = headers.get("asgi-scope-client") or str(router.session.client_ip)
    return sender(peer, headers.get("x-forwarded-for", ""), settings().trusted_proxy_hops)
