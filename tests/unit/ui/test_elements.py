"""Elements whose appearance follows from a number."""

import pytest

from agency_site.settings import ROOT
from agency_site.ui.elements import fragment_link, leading_picture, picture, portrait, stars
from agency_site.ui.server_html import render_html

UPLOADED = "/pictures/0123456789abcdef/1600x900.jpg"


def star_kinds(rating: float) -> list[str]:
    """The kind of each star, left to right."""
    return [str(star.class_name).partition(" ")[0] for star in stars(rating).children]  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("rating", "full", "half", "empty"),
    [(0, 0, 0, 5), (0.5, 0, 1, 4), (1.9, 1, 1, 3), (3, 3, 0, 2), (4, 4, 0, 1), (4.5, 4, 1, 0), (5, 5, 0, 0)],
)
def test_s2_stars_are_whole_then_one_half_for_a_fraction_then_empty_up_to_five(
    rating: float, full: int, half: int, empty: int
) -> None:
    expected = ["icon-star"] * full + ["icon-star-half"] * half + ["icon-star-empty"] * empty
    assert star_kinds(rating) == expected
    assert len(expected) == 5


def test_stars_have_a_text_for_screen_readers() -> None:
    assert "4.7 out of 5 stars" in str(stars(4.7))


def test_a_link_to_a_place_on_the_page_is_followed_by_the_browser_and_names_no_path() -> None:
    rendered = fragment_link("Meet the team", fragment="team").render()
    assert rendered["name"] == '"a"'
    assert 'href:"#team"' in rendered["props"]


def test_an_uploaded_picture_is_offered_in_all_its_widths() -> None:
    html = render_html(picture(UPLOADED, "Team", 800, 600, class_name="w-full"))
    assert f'src="{UPLOADED}"' in html
    forms = ", ".join(f"/pictures/0123456789abcdef/{width}.webp {width}w" for width in (480, 960, 1600))
    assert f'srcset="{forms}"' in html
    assert 'sizes="(min-width: 800px) 800px, 100vw"' in html
    assert 'width="800" height="600"' in html
    assert 'class="w-full"' in html
    assert 'loading="lazy"' in html


def test_the_focal_point_becomes_classes_that_the_stylesheet_has() -> None:
    html = render_html(leading_picture(f"{UPLOADED}#34,100", "", 800, 600, class_name="w-full"))
    assert 'class="w-full focal-point focal-x-30 focal-y-100"' in html
    assert f'src="{UPLOADED}"' in html
    assert 'fetchpriority="high"' in html
    styles = (ROOT / "assets/styles/site.css").read_text()
    steps = [step for step in range(0, 101, 10) if step != 50]
    assert [step for step in steps for axis in "xy" if f".focal-{axis}-{step} {{" not in styles] == []


def test_a_portrait_keeps_its_fallback_with_an_uploaded_photo() -> None:
    html = render_html(portrait(UPLOADED, "Amina", "AO"))
    assert "data-photo" in html
    assert "960.webp 960w" in html


@pytest.mark.parametrize("src", ["/art/team/amina.svg", "https://example.com/pictures/x.jpg"])
def test_other_pictures_stay_as_they_are(src: str) -> None:
    html = render_html(picture(src, "Amina", 80, 80))
    assert "srcset" not in html
    assert "class" not in html


def test_a_drawing_has_one_form() -> None:
    html = render_html(picture("/pictures/0123456789abcdef/40x20.svg#0,0", "", 80, 80))
    assert "srcset" not in html
    assert "focal-x-0 focal-y-0" in html
