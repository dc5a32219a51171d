"""The carousel of the home page: CSS moves it before React is there, and Python after the first use of a control."""

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.e2e.conftest import PHONE, Opener, hydrated, reach, untouched
from tests.e2e.test_hydration import Held, Seen

# Of each slide: its picture's and its words' opacity, 0 if they take up no room. Animations are at `ms`, if it is given.
_SLIDES = """(ms) => {
  const moving = document.getAnimations().filter(({ animationName }) => animationName === "slide");
  if (ms !== null) for (const animation of moving) animation.currentTime = ms;
  return [...document.querySelectorAll(".slide")].map((slide) => {
    return [".slide-art", ".slide-copy"].map((name) => {
      const { opacity, scale } = getComputedStyle(slide.querySelector(name));
      return scale === "0" ? 0 : Number(opacity);
    });
  });
}"""
Slides = list[tuple[float, float]]


def slides(page: Page, ms: float | None = None) -> Slides:
    """Return what is seen of each slide, `ms` milliseconds after the page was painted."""
    return [tuple(slide) for slide in page.evaluate(_SLIDES, ms)]


def whole_slide(page: Page, ms: float | None = None) -> int:
    """Return the number of the slide that is seen alone and whole."""
    seen = slides(page, ms)
    assert sorted(seen) == [(0, 0), (1, 1)]
    return seen.index((1, 1)) + 1


def shows(page: Page, number: int) -> None:
    """Slide `number` is shown, and the other one is not."""
    for place, opacity in ((number, "1"), (3 - number, "0")):
        slide = page.get_by_role("group", name=f"{place} of 2")
        expect(slide.locator(".slide-art")).to_have_css("opacity", opacity)
        expect(slide.locator(".slide-copy")).to_have_css("scale", opacity)


def region(page: Page) -> Locator:
    """The carousel."""
    return page.get_by_role("region", name="Highlights")


def dot(page: Page, number: int) -> Locator:
    """The link to slide `number`."""
    return region(page).get_by_role("link", name=re.compile(f"^Show slide {number}"))


def pause(page: Page, name: str) -> Locator:
    """The pause control, if it has this name now."""
    return region(page).get_by_role("checkbox", name=name, exact=True)


def states(page: Page) -> set[str]:
    """Return the states of the slides' animations; none if there is none."""
    return set(
        page.evaluate(
            "document.getAnimations().filter((one) => one.animationName === 'slide').map((one) => one.playState)"
        )
    )


def leave(page: Page) -> None:
    """Take pointer and focus out of the carousel."""
    page.get_by_role("link", name="About").first.hover()
    page.get_by_role("link", name="About").first.focus()


def by_python(page: Page, number: int) -> None:
    """Python has chosen the slide that is shown."""
    expect(region(page)).to_have_attribute("data-slide", str(number - 1))
    shows(page, number)


@pytest.mark.specification
def test_s4_the_carousel_advances_every_five_seconds_and_fades_for_one_without_react(
    open_page: Opener,
) -> None:
    seen = Seen()
    page = open_page("/", ready=untouched, prepare=seen.watch)
    whole = [whole_slide(page, ms) for ms in (0, 4999, 6001, 9999, 11_001, 14_999, 16_001)]
    assert whole == [1, 1, 2, 2, 1, 1, 2]
    for fading, slide in ((5250, 0), (5750, 1), (10_250, 1), (10_750, 0)):
        assert all(0 < opacity < 1 for opacity in slides(page, fading)[slide])
    assert seen.scripts == []


def test_a_slide_is_gone_before_the_next_one_comes(open_page: Opener) -> None:
    page = open_page("/", ready=untouched)
    for ms in range(5000, 6001, 100):
        assert (0, 0) in slides(page, ms)


def test_a_chosen_slide_comes_when_the_old_one_is_gone(open_page: Opener) -> None:
    page = open_page("/")
    dot(page, 2).click()
    by_python(page, 2)
    dot(page, 1).evaluate("(dot) => dot.click()")
    page.wait_for_function("document.querySelector('.hero').dataset.slide === '0'")
    for ms in (100, 400, 600, 900):
        page.evaluate(
            "(ms) => document.getAnimations().filter((one) => one.transitionProperty)"
            ".forEach((one) => { one.pause(); one.currentTime = ms; })",
            ms,
        )
        assert (0, 0) in [tuple(round(opacity, 2) for opacity in slide) for slide in slides(page)], ms


def test_the_carousel_stops_under_pause_pointer_and_focus(open_page: Opener) -> None:
    page = open_page("/", ready=untouched, prepare=Held().hold)
    leave(page)
    assert states(page) == {"running"}
    region(page).hover()
    assert states(page) == {"paused"}
    leave(page)
    pause(page, "Pause").focus()
    assert states(page) == {"paused"}
    page.keyboard.press("Space")
    expect(pause(page, "Play")).to_be_checked()
    leave(page)
    assert states(page) == {"paused"}
    pause(page, "Play").uncheck()
    leave(page)
    assert states(page) == {"running"}


@pytest.mark.parametrize(("ms", "number"), [(5200, 1), (5800, 2), (10_200, 2), (10_800, 1)])
def test_a_carousel_that_is_paused_while_it_fades_shows_one_slide_whole(
    open_page: Opener, ms: int, number: int
) -> None:
    page = open_page("/", ready=untouched)
    region(page).hover()
    assert whole_slide(page, ms) == number


@pytest.mark.parametrize(
    "options", [{"reduced_motion": "reduce"}, {"reduced_motion": "reduce", "scripts": False}]
)
def test_with_reduced_motion_only_a_dot_changes_the_slide(
    open_page: Opener, options: dict[str, object]
) -> None:
    page = open_page("/", ready=untouched, **options)
    assert states(page) == set()
    shows(page, 1)
    dot(page, 2).click()
    shows(page, 2)


def test_paper_shows_one_slide_and_no_control(open_page: Opener) -> None:
    page = open_page("/", ready=untouched)
    page.emulate_media(media="print")
    assert states(page) == set()
    shows(page, 1)
    expect(page.locator(".hero-controls")).to_be_hidden()


@pytest.mark.parametrize("scripts", [True, False])
def test_a_dot_chooses_its_slide_and_keeps_its_place_before_scripts_run(
    open_page: Opener, *, scripts: bool
) -> None:
    held = Held()
    page = open_page("/", viewport=PHONE, scripts=scripts, prepare=held.hold, ready=untouched)
    dot(page, 2).click()
    shows(page, 2)
    assert states(page) == set()
    expect(dot(page, 2)).to_be_focused()
    expect(dot(page, 2)).to_be_in_viewport()
    expect(pause(page, "Pause")).to_be_hidden()
    dot(page, 1).press("Enter")
    shows(page, 1)
    expect(dot(page, 1)).to_be_in_viewport()


def test_a_link_of_a_slide_that_is_not_shown_brings_it_with_the_focus(open_page: Opener) -> None:
    page = open_page("/", ready=untouched)
    page.locator(".slide").first.get_by_role("link").last.focus()
    page.keyboard.press("Tab")
    expect(page.locator(".slide").last.get_by_role("link").first).to_be_focused()
    shows(page, 2)
    page.keyboard.press("Shift+Tab")
    shows(page, 1)


def test_a_slide_chosen_before_scripts_run_stays_and_can_be_left(open_page: Opener) -> None:
    held = Held()
    page = open_page("/", prepare=held.hold, ready=untouched)
    dot(page, 2).click()
    held.release()
    hydrated(page)
    by_python(page, 2)
    expect(pause(page, "Play")).to_be_checked()
    dot(page, 1).click()
    by_python(page, 1)
    expect(pause(page, "Play")).to_be_checked()
    expect(dot(page, 1)).to_be_focused()


def test_a_pause_before_scripts_run_keeps_the_slide_that_is_shown(open_page: Opener) -> None:
    held = Held()
    page = open_page("/", prepare=held.hold, ready=untouched)
    slides(page, 7000)
    pause(page, "Pause").check()
    held.release()
    hydrated(page)
    by_python(page, 2)
    expect(pause(page, "Play")).to_be_checked()


def test_python_advances_the_carousel_once_it_goes_on(open_page: Opener) -> None:
    page = open_page("/")
    slides(page, 7000)
    pause(page, "Pause").check()
    by_python(page, 2)
    pause(page, "Play").uncheck()
    leave(page)
    clock = "document.querySelector('.hero-clock').getAnimations()"
    (interval,) = page.evaluate(f"{clock}.map(({{ effect }}) => effect.getTiming().duration)")
    assert interval == 5000
    for following in (1, 2):
        page.evaluate(f"{clock}[0].currentTime = Math.ceil({clock}[0].currentTime / 5000) * 5000 - 50")
        by_python(page, following)
    region(page).hover()
    assert page.evaluate(f"{clock}.length") == 0


def test_hydration_alone_leaves_the_carousel_to_css(open_page: Opener) -> None:
    page = open_page("/", ready=untouched)
    slides(page, 7000)
    reach(page)
    hydrated(page)
    leave(page)
    assert states(page) == {"running"}
    expect(region(page)).not_to_have_attribute("data-slide", re.compile(".*"))
    shows(page, 2)
