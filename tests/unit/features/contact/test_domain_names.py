"""Which texts are names of domains."""

import contextlib
import string

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from agency_site.features.contact.domain_names import LONGEST, RESERVED, SHARED, WRONG, domain_name, wire_name


@pytest.mark.parametrize(
    ("typed", "kept"),
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
def test_the_name_is_kept_bare_whatever_was_pasted(typed: str, kept: str) -> None:
    assert domain_name(typed) == kept


@pytest.mark.parametrize(
    ("typed", "kept", "wire"),
    [
        ("MÜBEL.co.ke", "mübel.co.ke", "xn--mbel-0ra.co.ke"),
        ("xn--mbel-0ra.co.ke", "mübel.co.ke", "xn--mbel-0ra.co.ke"),
        ("пример.рф", "пример.рф", "xn--e1afmkfd.xn--p1ai"),
        ("日本。jp", "日本.jp", "xn--wgv71a.jp"),
        ("مثال.إختبار", "مثال.إختبار", "xn--mgbh0fb.xn--kgbechtv"),
        ("faß.de", "faß.de", "xn--fa-hia.de"),
    ],
)
def test_names_of_every_script_are_names(typed: str, kept: str, wire: str) -> None:
    assert (domain_name(typed), wire_name(kept)) == (kept, wire)


@pytest.mark.parametrize(
    "typed",
    [
        "mamamboga", "mama mboga.co.ke", "-a.ke", "a-.ke", "a..ke", ".ke", "a@b.ke", "http://", "a_b.ke", "1.2.3.4",
        "shop.0x1f", "shop.1", "[::1]", "☃.ke", "a\u202eb.ke", "xn--a.ke", "a" * 64 + ".ke", "a." * 126 + "ke.ke", "ab.k",
    ],
)  # fmt: skip
def test_what_nobody_could_own_is_refused(typed: str) -> None:
    with pytest.raises(ValueError, match=WRONG):
        domain_name(typed)


@pytest.mark.parametrize("end", sorted(RESERVED))
def test_ends_that_nobody_can_register_under_are_refused(end: str) -> None:
    with pytest.raises(ValueError, match=WRONG):
        domain_name(f"mamamboga.{end}")


@pytest.mark.parametrize("shared", sorted(SHARED))
def test_a_shared_second_level_asks_for_the_name_in_front(shared: str) -> None:
    with pytest.raises(ValueError, match="in front of"):
        domain_name(shared)
    assert domain_name(f"mamamboga.{shared}") == f"mamamboga.{shared}"


@settings(deadline=None)
@given(st.text(max_size=260) | st.text("axn-.", max_size=40))
@example("xn--xn---epa.ke")
@example("a\u0301.ke")
def test_whatever_is_taken_is_taken_again_as_it_is_and_fits_the_wire(typed: str) -> None:
    with contextlib.suppress(ValueError):
        kept = domain_name(typed)
        assert domain_name(kept) == kept
        wire = wire_name(kept)
        assert len(wire) <= LONGEST
        assert set(wire) <= set(string.ascii_lowercase + string.digits + "-.")
        assert all(0 < len(part) <= 63 for part in wire.split("."))


LABEL = st.from_regex(r"[a-z]([a-z0-9]{0,20}[a-z0-9])?", fullmatch=True)


@settings(deadline=None)
@given(LABEL, st.sampled_from(["co.ke", "ke", "com", "africa"]))
def test_plain_names_are_taken_as_they_are(label: str, end: str) -> None:
    name = f"{label}.{end}"
    if name not in SHARED:
        assert domain_name(f"https://{name.upper()}/") == name
