"""The scenes that were made in 3D: forms, weights, and where they stand."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from PIL import Image

from agency_site.content.articles import ARTICLES
from agency_site.content.courses import COURSES
from agency_site.content.insights import INSIGHTS
from agency_site.content.portfolio import PROJECTS
from agency_site.content.services import SERVICES
from agency_site.picture_addresses import SCENE_WIDTHS, SCENES, parse_picture_address
from agency_site.settings import ROOT

FOLDERS = sorted((ROOT / "assets" / "photographs").iterdir())
MODULES = ROOT / "tools" / "studio" / "scenes"
MOST_BYTES = {960: 40 * 1024, 480: 18 * 1024}
ENDING = ", made in 3D."


def list_scenes() -> Iterator[tuple[str, str]]:
    """Address and description of each scene in the delivered content; a cover, which is decorative, has none."""
    for project in PROJECTS:
        yield project.image, project.alt
        if project.detail.startswith(SCENES):
            yield project.detail, project.detail_alt
    for service in SERVICES:
        yield from ((offer.image, offer.alt) for offer in service.offers if offer.image.startswith(SCENES))
    for text in (*ARTICLES, *INSIGHTS):
        yield from (
            (address, description)
            for description, address in re.findall(rf"!\[([^\]]*)\]\(({SCENES}[^)]*)\)", text.text)
        )
    yield from ((course.cover, "") for course in COURSES)


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_a_scene_has_all_forms_within_their_weight(folder: Path) -> None:
    height = next(folder.glob("960x*.jpg")).stem.partition("x")[2]
    for width in SCENE_WIDTHS:
        size = (width, int(height) * width // 960)
        for suffix in ("avif", "jpg"):
            file = folder / f"{size[0]}x{size[1]}.{suffix}"
            with Image.open(file) as picture:
                assert picture.size == size
        assert (folder / f"{size[0]}x{size[1]}.avif").stat().st_size <= MOST_BYTES[width]
    with Image.open(folder / "share.jpg") as picture:
        assert picture.size == (1200, 630)


def test_each_scene_has_a_module_that_makes_it_and_a_place_on_the_site() -> None:
    modules = {path.stem.replace("_", "-") for path in MODULES.glob("[a-z]*.py")}
    places = {address.digest for src, _ in list_scenes() if (address := parse_picture_address(src))}
    assert {folder.name for folder in FOLDERS} == modules == places


def test_descriptions_say_what_is_seen_and_how_it_was_made() -> None:
    described = [alt for _, alt in list_scenes() if alt]
    assert [alt for alt in described if not alt.endswith(ENDING) or not 60 <= len(alt) <= 200] == []
    assert len(set(described)) == len(described)


def test_no_two_projects_have_one_picture() -> None:
    pictures = [picture for project in PROJECTS for picture in (project.image, project.detail)]
    assert len(set(pictures)) == len(pictures) >= 32
