"""An address says all that a page needs to show a picture."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agency_site.picture_addresses import LARGEST_HEIGHT, LARGEST_WIDTH, PictureAddress, parse_picture_address

DIGEST = "0123456789abcdef"
per_cent = st.integers(0, 100)
addresses = st.builds(
    PictureAddress,
    st.from_regex("/pictures/[0-9a-f]{16}|/photographs/[a-z0-9-]{1,40}", fullmatch=True),
    st.integers(1, LARGEST_WIDTH),
    st.integers(1, LARGEST_HEIGHT),
    st.sampled_from(["jpg", "png", "svg"]),
    per_cent,
    per_cent,
)


@given(addresses)
def test_an_address_is_read_as_it_was_written(address: PictureAddress) -> None:
    assert parse_picture_address(address.text) == address


@given(st.text())
def test_any_other_text_is_no_address(text: str) -> None:
    assert parse_picture_address(text) is None
    assert parse_picture_address(f"/pictures/{text}") is None
    assert parse_picture_address(f"/photographs/{text}") is None


@pytest.mark.parametrize(
    "text",
    [
        f"/pictures/{DIGEST}/1600x900.jpg#101,0", f"/pictures/{DIGEST}/1601x900.jpg", f"/pictures/{DIGEST}/0x9.jpg",
        f"/pictures/{DIGEST}/16x9.gif", f"/pictures/{DIGEST}/480.webp", f"/pictures/{DIGEST.upper()}/16x9.jpg",
        f"https://evil.example/pictures/{DIGEST}/16x9.jpg", f"/pictures/{DIGEST}/16x9.jpg?a", f"/pictures/{DIGEST}/16x9.jpg\n",
        f"/pictures/{DIGEST}/16x4001.jpg", f"/pictures/{DIGEST}/\u06616x9.jpg",
    ],
)  # fmt: skip
def test_an_address_that_the_site_never_writes_is_none(text: str) -> None:
    assert parse_picture_address(text) is None


def test_the_forms_of_a_photo_follow_from_its_address() -> None:
    address = parse_picture_address(f"/pictures/{DIGEST}/1600x900.jpg#30,60")
    assert address is not None
    assert (address.focus_x, address.focus_y) == (30, 60)
    assert address.src == f"/pictures/{DIGEST}/1600x900.jpg"
    assert address.srcset == ", ".join(
        f"/pictures/{DIGEST}/{width}.webp {width}w" for width in (480, 960, 1600)
    )
    assert address.share_src == f"/pictures/{DIGEST}/share.jpg"


@pytest.mark.parametrize(
    ("width", "widths"),
    [(100, (100,)), (480, (480,)), (481, (480, 481)), (960, (480, 960)), (1200, (480, 960, 1200))],
)
def test_no_form_is_larger_than_the_picture(width: int, widths: tuple[int, ...]) -> None:
    assert PictureAddress(f"/pictures/{DIGEST}", width, 50, "png").webp_widths == widths


def test_a_scene_has_two_widths_in_two_formats() -> None:
    address = parse_picture_address("/photographs/baraka-hardware/960x720.jpg")
    assert address is not None
    assert address.is_scene
    assert address.avif_srcset == (
        "/photographs/baraka-hardware/480x360.avif 480w, /photographs/baraka-hardware/960x720.avif 960w"
    )
    assert address.srcset == address.avif_srcset.replace("avif", "jpg")
    assert address.share_src == "/photographs/baraka-hardware/share.jpg"


def test_a_drawing_has_one_form() -> None:
    address = PictureAddress(f"/pictures/{DIGEST}", 40, 20, "svg")
    assert (address.webp_widths, address.srcset, address.share_src) == ((), "", "")


def test_a_central_focal_point_is_not_written() -> None:
    assert (
        PictureAddress(f"/pictures/{DIGEST}", 40, 20, "svg", 50, 50).text == f"/pictures/{DIGEST}/40x20.svg"
    )
