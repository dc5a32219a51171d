"""Addresses of visitors as logs may show them."""

import ipaddress

_KEPT_BITS = {4: 24, 6: 48}
"""What is left of an address: enough to see where a flood comes from, too little to know a person."""


def shortened(address: str) -> str:
    """The network of an address; empty when it is none."""
    try:
        found = ipaddress.ip_address(address)
    except ValueError:
        return ""
    if isinstance(found, ipaddress.IPv6Address) and found.ipv4_mapped:
        found = found.ipv4_mapped
    return str(ipaddress.ip_network((found, _KEPT_BITS[found.version]), strict=False))
