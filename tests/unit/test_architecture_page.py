"""Paths and modules in docs/architecture.md exist, and a newcomer can read it in one sitting."""

import re

import pytest

from agency_site.settings import ROOT

PAGE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
PATHS = sorted(set(re.findall(r"`((?:[a-z_]+/)+(?:[a-z_]+\.py)?)`", PAGE)))
NAMES = sorted(set(re.findall(r"`([a-z_]+\.py)`", PAGE)))


def test_the_page_fits_in_two_hundred_lines() -> None:
    assert len(PAGE.splitlines()) <= 200


@pytest.mark.parametrize("path", PATHS)
def test_every_path_exists(path: str) -> None:
    roots = (
        ROOT,
        ROOT / "agency_site",
        ROOT / "agency_site/web",
        ROOT / "agency_site/site",
        ROOT / "agency_site/backoffice",
    )
    features = (ROOT / "agency_site/features").iterdir()
    assert any((root / path).exists() for root in (*roots, *features))


@pytest.mark.parametrize("name", NAMES)
def test_every_module_exists(name: str) -> None:
    assert [*(ROOT / "agency_site").rglob(name)]


def test_every_folder_of_the_first_level_has_its_row() -> None:
    folders = {each.name for each in (ROOT / "agency_site").iterdir() if (each / "__init__.py").exists()}
    assert {name for name in folders if f"`{name}/`" not in PAGE} == set()
