"""Colours keep their measured contrast."""

import pytest

from agency_site.artwork.palette import SCHEMES, Scheme
from agency_site.brand import BRAND, INK, PAPER, READABLE, contrast


def test_contrast_runs_from_one_to_twenty_one() -> None:
    assert contrast("#000000", "#FFFFFF") == pytest.approx(21)
    assert contrast(BRAND, BRAND) == pytest.approx(1)


def test_text_reads_on_paper() -> None:
    assert contrast(INK, PAPER) > 7


@pytest.mark.parametrize("scheme", SCHEMES, ids=lambda scheme: scheme.name)
def test_text_reads_on_the_ground_of_every_scheme(scheme: Scheme) -> None:
    assert contrast(scheme.text, scheme.background) >= READABLE


@pytest.mark.parametrize("scheme", SCHEMES, ids=lambda scheme: scheme.name)
def test_the_main_figure_contrasts_with_ground_and_block(scheme: Scheme) -> None:
    assert contrast(scheme.main, scheme.background) >= 3
    assert contrast(scheme.main, scheme.depth) >= 1.8


def test_schemes_have_their_own_names() -> None:
    assert len({scheme.name for scheme in SCHEMES}) == len(SCHEMES)
