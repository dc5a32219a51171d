"""Elements whose appearance follows from a number."""

import pytest

from agency_site.ui.elements import fragment_link, stars


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
