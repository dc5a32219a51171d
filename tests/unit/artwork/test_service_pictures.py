"""Pictures of the service pages."""

import xml.etree.ElementTree as ET

import pytest

from agency_site.artwork.scenes import ROAD, scenes
from agency_site.artwork.showcase import showcase

PICTURES = showcase() | scenes()
OWN_SIZES = {"street": ROAD, "lens": (480, 480)}


@pytest.mark.parametrize("name", sorted(PICTURES))
def test_a_picture_is_valid_small_and_holds_no_live_text(name: str) -> None:
    wide, high = OWN_SIZES.get(name, (800, 600))

    assert ET.fromstring(PICTURES[name]).attrib["viewBox"] == f"0 0 {wide} {high}"
    assert len(PICTURES[name]) < 8_000
    assert "<text" not in PICTURES[name]


def test_pictures_come_out_the_same_every_time() -> None:
    assert showcase() | scenes() == PICTURES


def test_no_two_pictures_are_alike() -> None:
    assert len(set(PICTURES.values())) == len(PICTURES)
