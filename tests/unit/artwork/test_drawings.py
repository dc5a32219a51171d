"""Pictures that are drawn by hand."""

import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from agency_site.artwork.files import drawings
from agency_site.content.about import TEAM

PICTURES = {Path(path).stem: drawing.decode() for path, drawing in drawings("Mwanga Digital").items()}
OWN_SIZES = {
    "street": (1600, 420),
    "lens": (480, 480),
    "hero-1": (720, 960),
    "hero-2": (720, 960),
    "map": (960, 540),
}


@pytest.mark.parametrize("name", sorted(PICTURES))
def test_a_picture_is_valid_small_and_holds_no_live_text(name: str) -> None:
    wide, high = OWN_SIZES.get(name, (800, 600))

    assert ET.fromstring(PICTURES[name]).attrib["viewBox"] == f"0 0 {wide} {high}"
    assert len(PICTURES[name]) < (13_000 if name == "map" else 8_000)
    assert "<text" not in PICTURES[name]


def test_no_two_pictures_are_alike() -> None:
    assert len(set(PICTURES.values())) == len(PICTURES)


def test_the_map_names_the_place() -> None:
    assert drawings("Another House")["images/map.svg"].decode() != PICTURES["map"]


def test_no_two_members_of_the_team_have_the_same_face() -> None:
    features = {"face", "brows", "eyes", "nose", "marks"}
    faces = [str(member.portrait.model_dump(include=features)) for member in TEAM if member.portrait]
    assert len(set(faces)) == len(faces)
