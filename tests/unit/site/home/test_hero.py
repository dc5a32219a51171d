"""Handlers of the home page's carousel."""

from typing import Any

import pytest

from agency_site.content.hero import HERO
from agency_site.site.home.hero import Hero
from agency_site.web.reflex_internals.states import new_state


def test_the_styles_fade_as_many_slides_as_there_are() -> None:
    # `--second` and the animations of `assets/styles/site.css` are made for two.
    assert len(HERO) == 2


def test_the_first_pause_keeps_the_slide_that_the_page_shows() -> None:
    hero: Any = new_state(Hero)
    hero.toggle(1)
    assert (hero.slide, hero.playing) == (1, False)
    hero.toggle(0)
    assert (hero.slide, hero.playing) == (1, True)


@pytest.mark.parametrize("slide", [-1, 2])
def test_a_slide_that_does_not_exist_is_not_shown(slide: int) -> None:
    hero: Any = new_state(Hero)
    hero.choose(slide)
    hero.toggle(slide)
    assert hero.slide is None


def test_a_chosen_slide_stops_the_carousel() -> None:
    hero: Any = new_state(Hero)
    hero.choose(1)
    assert (hero.slide, hero.playing, hero.choices) == (1, False, 1)


def test_the_last_slide_is_followed_by_the_first() -> None:
    hero: Any = new_state(Hero)
    slides = []
    for _ in range(3):
        hero.advance()
        slides.append(hero.slide)
    assert slides == [1, 0, 1]
