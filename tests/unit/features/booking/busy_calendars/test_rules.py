"""Addresses of calendars, and which servers may be asked."""

from ipaddress import IPv4Address, IPv6Address

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agency_site.features.booking.busy_calendars.rules import (
    is_loopback_address,
    is_public_address,
    mask_address,
    parse_calendar_address,
)

SECRET = "https://calendar.google.com/calendar/ical/someone%40example.com/private-0123456789abcdef/basic.ics"


@pytest.mark.parametrize(
    "text", [SECRET, SECRET.replace("https", "webcal"), SECRET.replace("https", "WEBCAL")]
)
def test_an_address_is_read_over_https(text: str) -> None:
    assert parse_calendar_address(text) == SECRET


@pytest.mark.parametrize(
    "text",
    ["", "calendar.google.com/basic.ics", "https://", "https:///basic.ics", "http://example.com/a.ics", "file:///etc/passwd",
     "ftp://example.com/a.ics", "https://[::1/a.ics", "https://example.com:99999/a.ics", "javascript://alert(1)"],
)  # fmt: skip
def test_another_address_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="https"):
        parse_calendar_address(text)


def test_http_is_for_tests_only() -> None:
    assert (
        parse_calendar_address("http://localhost:8080/a.ics", allows_http=True)
        == "http://localhost:8080/a.ics"
    )


def test_a_masked_address_names_the_server_alone() -> None:
    assert mask_address(SECRET) == "calendar.google.com/…"
    assert mask_address("https://user:password@cloud.example:8443/a.ics") == "cloud.example/…"


@pytest.mark.parametrize(
    "address",
    [
        "8.8.8.8",
        "197.248.1.1",
        "2001:4860:4860::8888",
        "::ffff:8.8.8.8",
        "64:ff9b::808:808",
        "2001:4860::5efe:808:808",
    ],
)
def test_public_addresses_may_be_asked(address: str) -> None:
    assert is_public_address(address)


@pytest.mark.parametrize(
    "address",
    [
        "0.0.0.0", "10.0.0.1", "100.64.0.1", "127.0.0.1", "127.255.255.254", "169.254.169.254", "172.16.0.1", "192.168.1.1",
        "192.0.2.1", "198.18.0.1", "224.0.0.1", "239.255.255.250", "240.0.0.1", "255.255.255.255",
        "::", "::1", "::127.0.0.1", "::ffff:127.0.0.1", "::ffff:169.254.169.254", "fe80::1", "fe80::1%eth0", "fc00::1", "fd12::1",
        "fec0::1", "ff02::1", "2001:db8::1", "2001::1", "2002:7f00:1::", "2002:c0a8:101::", "64:ff9b::a00:1", "64:ff9b::7f00:1",
        "192.0.0.8", "192.88.99.1", "2002:c058:6301::", "3fff::1", "3fff:fff::1", "168.63.129.16",
        "2001:4860::5efe:7f00:1", "2001:4860::200:5efe:a00:1",
    ],
)  # fmt: skip
def test_addresses_inside_networks_are_refused(address: str) -> None:
    assert not is_public_address(address)


@given(st.ip_addresses(v=4))
def test_an_ipv4_address_counts_alike_in_every_spelling(address: IPv4Address) -> None:
    spellings = {f"::ffff:{address}", str(IPv6Address(0x64FF9B << 96 | int(address)))}
    spellings.add(str(IPv6Address((0x2002 << 112) | (int(address) << 80))))
    assert {is_public_address(spelling) for spelling in spellings} == {is_public_address(str(address))}


def test_only_this_machine_is_loopback() -> None:
    assert is_loopback_address("127.0.0.1")
    assert is_loopback_address("::1")
    assert not is_loopback_address("10.0.0.1")
