"""Addresses of calendars, the servers that may be asked for them, and the times of reading. No I/O."""

from datetime import timedelta
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address, ip_network
from urllib.parse import urlsplit

READ_EVERY = timedelta(minutes=5)
REPORT_AFTER = timedelta(hours=1)
"""A calendar that could not be read for this long is reported to staff."""

MAX_ADDRESS = 2000
_NAT64 = IPv6Network("64:ff9b::/96")
"""Addresses of a gateway to IPv4 (RFC 6052): the last 32 bits are the IPv4 address."""
_ISATAP = frozenset({0x00005EFE, 0x02005EFE})
"""Third quarter of an address that carries an IPv4 address in the last one, in whatever network (RFC 5214)."""
_SPECIAL = tuple(map(ip_network, ("192.0.0.0/24", "192.88.99.0/24", "168.63.129.16/32", "3fff::/20")))
"""Networks for protocols, relays (RFC 7526) and examples (RFC 9637) that Python 3.11 calls global, and the address at which
Azure answers its own machines."""


class CalendarUnreadable(Exception):
    """A calendar cannot be read; the message says why, in words for staff."""


def parse_calendar_address(text: str, *, allows_http: bool = False) -> str:
    """Return the web address of a calendar; `webcal://` means `https://`. Raises ValueError with a message for staff."""
    scheme, separator, rest = text.partition("://")
    secure = f"https://{rest}" if scheme.lower() in {"webcal", "webcals", "https"} else text
    try:
        parts = urlsplit(secure)
        is_complete = bool(separator and parts.hostname) and parts.port != 0
    except ValueError:
        is_complete = False
    if not is_complete:
        raise ValueError("Please enter the calendar's whole address, which begins with https://.")
    if parts.scheme != "https" and not (allows_http and parts.scheme == "http"):
        raise ValueError("The address has to begin with https:// or webcal://.")
    return secure


def mask_address(address: str) -> str:
    """Return the server's name alone: the rest of the address is a secret."""
    return f"{urlsplit(address).hostname or ''}/…"


def is_public_address(text: str) -> bool:
    """Return whether an IP address is one of the public internet, and no private, local, multicast or reserved one.

    An IPv6 address that carries an IPv4 address counts as that one.
    """
    address = ip_address(text.partition("%")[0])
    if isinstance(address, IPv6Address):
        carried = address.ipv4_mapped or address.sixtofour
        if address in _NAT64 or int(address) >> 32 & 0xFFFFFFFF in _ISATAP:
            carried = IPv4Address(int(address) & 0xFFFFFFFF)
        if carried:
            return is_public_address(str(carried))
        if address.is_site_local:
            return False
    if any(address in network for network in _SPECIAL):
        return False
    return address.is_global and not (address.is_multicast or address.is_reserved or address.is_unspecified)


def is_loopback_address(text: str) -> bool:
    """Return whether an IP address is this machine's own."""
    return ip_address(text.partition("%")[0]).is_loopback
