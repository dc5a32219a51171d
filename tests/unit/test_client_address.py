"""The address of a request, and the networks that count as one client."""

import pytest

from agency_site.client_address import UNKNOWN, client_address, client_network, is_own_name, wide_network

PROXY = "10.0.0.1"


@pytest.mark.parametrize(
    ("peer", "forwarded", "hops", "expected"),
    [
        (PROXY, ["203.0.113.7"], 0, PROXY),
        (PROXY, [], 1, PROXY),
        (PROXY, ["6.6.6.6, 203.0.113.7"], 1, "203.0.113.7"),
        # Two lines are one list, whichever of them the visitor or the proxy wrote.
        (PROXY, ["6.6.6.6", "203.0.113.7"], 1, "203.0.113.7"),
        (PROXY, ["6.6.6.6, 203.0.113.7", "10.0.0.2"], 2, "203.0.113.7"),
        (PROXY, ["203.0.113.7"], 2, PROXY),
        (PROXY, [", ,"], 1, PROXY),
        (PROXY, ["a joke"], 1, PROXY),
        ("::ffff:10.0.0.1", ["::ffff:203.0.113.7"], 1, "203.0.113.7"),
        (PROXY, ["203.0.113.7:4711"], 1, "203.0.113.7"),
        (PROXY, ["[2001:DB8:0::7]:4711"], 1, "2001:db8::7"),
        ("::ffff:10.0.0.1", [], 0, PROXY),
        ("fe80::1%eth0", [], 0, "fe80::1"),
        ("", [], 0, UNKNOWN),
        ("/run/site.sock", [], 0, UNKNOWN),
    ],
)
def test_the_address_is_the_peer_s_or_what_our_own_proxies_wrote(
    peer: str, forwarded: list[str], hops: int, expected: str
) -> None:
    assert client_address(peer, forwarded, hops) == expected


@pytest.mark.parametrize(
    ("address", "counted", "wide"),
    [
        ("203.0.113.9", "203.0.113.9", "203.0.113.0/24"),
        ("::ffff:203.0.113.9", "203.0.113.9", "203.0.113.0/24"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64", "2001:db8:1::/48"),
        ("fe80::1%eth0", "fe80::/64", "fe80::/48"),
        (UNKNOWN, UNKNOWN, ""),
        ("", UNKNOWN, ""),
    ],
)
def test_an_address_is_counted_by_its_customer_and_for_a_day_by_its_network(
    address: str, counted: str, wide: str
) -> None:
    assert client_network(address) == counted
    assert wide_network(address) == wide


@pytest.mark.parametrize(
    "own",
    ["localhost", "LOCALHOST:3000", "site.localhost", "localhost.", "127.0.0.1", "127.8.9.1:3000", "::1", "[::1]:3000",
     "::ffff:127.0.0.1"],
)  # fmt: skip
def test_names_of_this_machine_alone_are_its_own(own: str) -> None:
    assert is_own_name(own)


@pytest.mark.parametrize(
    "other",
    ["", "localhost.evil.example", "notlocalhost", "evil.example:3000", "0.0.0.0", "::", "192.168.1.7:3000", "[::", "127.1",
     "127.0.0.1.evil.example", "localhost@evil.example", UNKNOWN],
)  # fmt: skip
def test_every_other_name_may_be_reached_from_elsewhere(other: str) -> None:
    assert not is_own_name(other)
