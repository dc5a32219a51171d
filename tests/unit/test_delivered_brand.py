"""The brand as it was delivered: what `make brand` changes, this file changes with."""

import pytest

from agency_site import brand
from agency_site.brand import contrast


def test_s1_the_brand_colour_is_the_specifications() -> None:
    assert brand.BRAND == "#C24435"


def test_white_reads_on_the_brand_colour_as_the_design_measured() -> None:
    assert contrast(brand.WHITE, brand.BRAND) == pytest.approx(5.03, abs=0.01)


def test_the_relatives_of_the_brand_colour_are_those_of_the_design() -> None:
    assert (brand.DEEP, brand.BLUSH) == ("#7E2A20", "#F3C9BC")


def test_the_fonts_are_those_of_the_design() -> None:
    assert (brand.DISPLAY_FONT, brand.TEXT_FONT) == ("Bricolage Grotesque", "Figtree")
