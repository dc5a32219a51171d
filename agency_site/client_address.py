"""The address of a client, and the networks that count as one client.

`web/middleware/stack.py` writes the visitor's address into the scope of each request and socket. Everything behind
it reads it there: routes with `address_of`, event handlers as `self.router.session.client_ip`.
"""

import ipaddress
from collections.abc import Container, Iterable
from functools import lru_cache
from typing import Protocol

UNKNOWN = "unknown"
"""Clients without an address share one count."""

_PROXY_HEADERS = (
    "forwarded", "via", "x-forwarded-for", "x-forwarded-host", "x-forwarded-port", "x-forwarded-proto", "x-forwarded-server",
    "x-real-ip", "x-client-ip", "true-client-ip", "cf-connecting-ip", "cf-ray",
)  # fmt: skip
"""Headers in lower case that proxies, tunnels and content delivery networks add. No browser sends them."""

_Address = ipaddress.IPv4Address | ipaddress.IPv6Address


class _Client(Protocol):
    @property
    def host(self) -> str: ...


class _Request(Protocol):
    @property
    def client(self) -> _Client | None: ...


def client_address(peer: str, forwarded: Iterable[str], hops: int) -> str:
    """Return the visitor's IP address: the peer's or, behind `hops` own proxies, the one that the outermost proxy wrote.

    `forwarded` holds the lines of X-Forwarded-For in their order. They are one list (RFC 9110, section 5.3), and its last
    `hops` entries are our own proxies'; those in front of them are the visitor's claims and never count. `UNKNOWN` when
    there is no IP address.
    """
    entries = [entry for line in forwarded for entry in line.split(",") if entry.strip()] if hops else []
    claimed = _parse(entries[-hops]) if hops and len(entries) >= hops else None
    address = claimed or _parse(peer)
    return str(address) if address else UNKNOWN


def address_of(request: _Request) -> str:
    """Return the address of the client of a request."""
    return request.client.host if request.client else UNKNOWN


def is_own_name(host: str) -> bool:
    """Return whether a host name or address, with or without a port, is this machine's own: no other machine reaches it."""
    name = host.strip().lower()
    address = _parse(name)
    bare = name.partition(":")[0].removesuffix(".")
    return address.is_loopback if address else bare == "localhost" or bare.endswith(".localhost")


def is_forwarded(headers: Container[str]) -> bool:
    """Return whether a proxy has passed the request on."""
    return any(name in headers for name in _PROXY_HEADERS)


def client_network(address: str) -> str:
    """Return the network that counts as one client: an IPv4 address, or the /64 that one IPv6 customer has."""
    return _network(address, {4: 32, 6: 64}) or UNKNOWN


def wide_network(address: str) -> str:
    """Return the network around an address, a /24 of IPv4 or a /48 of IPv6; empty if the text is no IP address.

    Caps per day count it, because one customer may change addresses within it. Logs show it: enough to see where a flood
    comes from, too little to identify a person.
    """
    return _network(address, {4: 24, 6: 48})


def _network(address: str, prefixes: dict[int, int]) -> str:
    ip = _parse(address)
    if ip is None:
        return ""
    network = ipaddress.ip_network((ip, prefixes[ip.version]), strict=False)
    return str(ip) if network.num_addresses == 1 else str(network)


@lru_cache(maxsize=4096)
def _parse(text: str) -> _Address | None:
    """Return the IP address in `text`, which may have brackets, a port or a zone; an IPv4-mapped one as IPv4."""
    bare = text.strip()
    if bare.startswith("["):
        bare = bare[1:].partition("]")[0]
    elif bare.count(":") == 1:
        bare = bare.partition(":")[0]
    try:
        ip = ipaddress.ip_address(bare.partition("%")[0])
    except ValueError:
        return None
    return getattr(ip, "ipv4_mapped", None) or ip
