"""Reading and checking domain names."""

import contextlib
import string

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from agency_site.features.contact.domain_names import LONGEST, RESERVED, SHARED, WRONG, domain_name, wire_name


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("mamamboga.co.ke", "mamamboga.co.ke"),
        (" WWW.MamaMboga.co.ke. ", "mamamboga.co.ke"),
        ("https://www.mamamboga.co.ke/shop?x=1", "mamamboga.co.ke"),
        ("mamamboga.co.ke:8080", "mamamboga.co.ke"),
        ("mamamboga.co.ke?from=poster", "mamamboga.co.ke"),
        ("shop.mamamboga.africa", "shop.mamamboga.africa"),
        ("4you.ke", "4you.ke"),
        ("www.ke", "www.ke"),
    ],
)
def test_only_the_domain_of_a_pasted_address_is_stored(text: str, name: str) -> None:
    assert domain_name(text) == name


@pytest.mark.parametrize(
    ("text", "name", "wire"),
    [
        ("MÜBEL.co.ke", "mübel.co.ke", "xn--mbel-0ra.co.ke"),
        ("xn--mbel-0ra.co.ke", "mübel.co.ke", "xn--mbel-0ra.co.ke"),
        ("пример.рф", "пример.рф", "xn--e1afmkfd.xn--p1ai"),
        ("日本。jp", "日本.jp", "xn--wgv71a.jp"),
        ("مثال.إختبار", "مثال.إختبار", "xn--mgbh0fb.xn--kgbechtv"),
        ("faß.de", "faß.de", "xn--fa-hia.de"),
    ],
)
def test_domain_names_of_every_script_are_accepted(text: str, name: str, wire: str) -> None:
    assert (domain_name(text), wire_name(name)) == (name, wire)


@pytest.mark.parametrize(
    "text",
    [
        "mamamboga", "mama mboga.co.ke", "-a.ke", "a-.ke", "a..ke", ".ke", "a@b.ke", "http://", "a_b.ke", "1.2.3.4",
        "shop.0x1f", "shop.1", "[::1]", "☃.ke", "a\u202eb.ke", "xn--a.ke", "a" * 64 + ".ke", "a." * 126 + "ke.ke", "ab.k",
    ],
)  # fmt: skip
def test_names_that_cannot_be_registered_are_rejected(text: str) -> None:
    with pytest.raises(ValueError, match=WRONG):
        domain_name(text)


@pytest.mark.parametrize("end", sorted(RESERVED))
def test_names_below_reserved_top_level_domains_are_rejected(end: str) -> None:
    with pytest.raises(ValueError, match=WRONG):
        domain_name(f"mamamboga.{end}")


@pytest.mark.parametrize("shared", sorted(SHARED))
def test_a_public_second_level_domain_alone_is_rejected(shared: str) -> None:
    with pytest.raises(ValueError, match="in front of"):
        domain_name(shared)
    assert domain_name(f"mamamboga.{shared}") == f"mamamboga.{shared}"


@settings(deadline=None)
@given(st.text(max_size=260) | st.text("axn-.", max_size=40))
@example("xn--xn---epa.ke")
@example("a\u0301.ke")
def test_an_accepted_name_is_accepted_again_unchanged_and_fits_the_wire_format(text: str) -> None:
    with contextlib.suppress(ValueError):
        name = domain_name(text)
        assert domain_name(name) == name
        wire = wire_name(name)
        assert len(wire) <= LONGEST
        assert set(wire) <= set(string.ascii_lowercase + string.digits + "-.")
        assert all(0 < len(part) <= 63 for part in wire.split("."))


LABEL = st.from_regex(r"[a-z]([a-z0-9]{0,20}[a-z0-9])?", fullmatch=True)


@settings(deadline=None)
@given(LABEL, st.sampled_from(["co.ke", "ke", "com", "africa"]))
def test_plain_names_are_accepted_unchanged(label: str, end: str) -> None:
    name = f"{label}.{end}"
    if name not in SHARED:
        assert domain_name(f"https://{name.upper()}/") == name
