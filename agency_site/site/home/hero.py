"""The home page's carousel of two slides (specification, section 2, Home 1).

CSS moves it (`assets/styles/site.css`) until a control is used on the hydrated page; from then on Python does.
"""

import reflex as rx

from agency_site.content.hero import HERO
from agency_site.content.schema import HeroSlide
from agency_site.site.home.pause import pause_control
from agency_site.ui.elements import backdrop, fragment_link, leading_picture, link_button, picture, spaced
from agency_site.web.reflex_internals.components import BaseHTML

_PLACES = tuple(f"slide-{index + 1}" for index in range(len(HERO)))
"""The id of each dot, to which it links: without scripts `:target` shows its slide."""
_SHOWN = rx.Var(
    "[...document.querySelectorAll('.slide-copy')].findIndex((copy) => getComputedStyle(copy).scale !== '0')"
).to(int)
"""The index of the slide that the browser shows."""


class Hero(rx.State):
    """The slide that is shown, and whether the carousel advances by itself."""

    slide: rx.Field[int | None] = rx.field(None)
    """None while CSS alone moves the slides."""
    playing: rx.Field[bool] = rx.field(True)
    choices: rx.Field[int] = rx.field(0)
    """How often a slide was chosen: each time the pause control is drawn anew, because its state is the browser's."""

    @rx.event
    def read_address(self) -> None:
        """Show the slide that was chosen before the page was hydrated."""
        place = self.router.url.fragment
        if self.slide is None and place in _PLACES:
            self._show(_PLACES.index(place))

    @rx.event
    def advance(self) -> None:
        """Show the next slide."""
        self.slide = ((self.slide or 0) + 1) % len(HERO)

    @rx.event
    def choose(self, slide: int) -> None:
        """Show one slide and stop the carousel; invalid numbers are ignored."""
        if slide in range(len(HERO)):
            self._show(slide)

    @rx.event
    def toggle(self, slide: int) -> None:
        """Pause or resume. The first time, the carousel goes on from the slide that the page shows."""
        if self.slide is None and slide in range(len(HERO)):
            self.slide = slide
        self.playing = not self.playing

    def _show(self, slide: int) -> None:
        self.slide, self.playing = slide, False
        self.choices += 1


class Clock(BaseHTML):  # type: ignore[misc]
    """An element without content that fires `on_animation_iteration` each time its CSS animation begins again."""

    tag = "div"
    on_animation_iteration: rx.EventHandler[rx.event.no_args_event_spec]  # type: ignore[type-arg, valid-type]


def hero() -> rx.Component:
    """The carousel; it pauses under pointer, focus, hidden tab and reduced motion."""
    return rx.el.div(
        *(_slide(index, slide) for index, slide in enumerate(HERO)),
        _controls(),
        class_name="hero on-dark",
        custom_attrs={
            "role": "region",
            "aria-roledescription": "carousel",
            "aria-label": "Highlights",
            "data-slide": Hero.slide,
        },
    )


def _slide(index: int, slide: HeroSlide) -> rx.Component:
    return rx.el.div(
        rx.el.div(
            rx.el.h2(*_title(slide), class_name="text-hero max-w-[8.6em]"),
            rx.el.p(slide.text, class_name="text-lead mt-6 mb-9 max-w-[24.4em] text-sand"),
            rx.el.div(
                *spaced(
                    link_button(slide.main.label, slide.main.href),
                    link_button(slide.other.label, slide.other.href, tone="ghost"),
                ),
                class_name="flex flex-wrap gap-3",
            ),
            class_name="slide-copy",
        ),
        backdrop((picture if index else leading_picture)(slide.image, "", 720, 960), "slide-art"),
        class_name="slide",
        custom_attrs={
            "role": "group",
            "aria-roledescription": "slide",
            "aria-label": f"{index + 1} of {len(HERO)}",
        },
    )


def _title(slide: HeroSlide) -> tuple[rx.Component | str, ...]:
    before, accent, after = slide.title.partition(slide.accent) if slide.accent else (slide.title, "", "")
    return before, rx.el.span(accent, class_name="text-marigold"), after


def _controls() -> rx.Component:
    return rx.el.div(
        rx.el.div(
            *(
                fragment_link(
                    rx.el.span(f"Show slide {index + 1}: {slide.title}", class_name="sr-only"),
                    fragment=_PLACES[index],
                    id=_PLACES[index],
                    on_click=Hero.choose(index),  # type: ignore[operator]
                    aria_current=rx.cond(Hero.slide == index, "true", "false"),
                    class_name="hero-dot",
                )
                for index, slide in enumerate(HERO)
            ),
            pause_control(
                class_name="shadow-none",
                key=Hero.choices,
                default_checked=~Hero.playing,
                on_change=lambda _: Hero.toggle(_SHOWN),  # type: ignore[operator]
            ),
            Clock.create(
                on_animation_iteration=Hero.advance.temporal,  # type: ignore[attr-defined]
                class_name="hero-clock",
            ),
            class_name="wrap flex items-center gap-3",
        ),
        class_name="hero-controls",
        custom_attrs={"data-live": ""},
    )
