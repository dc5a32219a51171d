"""Whom a request comes from when our own proxies stand in front."""

import ipaddress


def sender(peer: str | None, forwarded_for: str, hops: int) -> str:
    """The visitor's address: the connection's, or what our own `hops` proxies appended to X-Forwarded-For.

    Entries in front of those are the visitor's own claims and never count. Empty when nothing is known.
    """
    forwarded = [part.strip() for part in forwarded_for.split(",") if part.strip()]
    if hops and len(forwarded) >= hops:
        return forwarded[-hops]
    return peer or ""


def network(address: str) -> str:
    """What counts as one address: an IPv4 address, or the /64 that one IPv6 customer has."""
    try:
        found = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return address[:64]
    if isinstance(found, ipaddress.IPv6Address):
        mapped = found.ipv4_mapped
        return str(mapped) if mapped else str(ipaddress.ip_network((found, 64), strict=False))
    return str(found)
