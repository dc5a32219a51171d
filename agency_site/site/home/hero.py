"""The home page's carousel: two slides, advanced by a Python handler (specification, section 2, Home 1)."""

import reflex as rx

from agency_site.content.hero import HERO
from agency_site.content.schema import HeroSlide
from agency_site.ui.behaviours import AutoAdvance
from agency_site.ui.elements import backdrop, button, leading_picture, link_button, picture, spaced
from agency_site.ui.icon import icon

_INTERVAL_MS = 5000
"""Time between slides (specification, section 9); the fade of 1000 ms is the token `--motion-fade`."""


class Hero(rx.State):
    """The slide that is shown, and whether the carousel advances by itself."""

    slide: rx.Field[int] = rx.field(0)
    playing: rx.Field[bool] = rx.field(True)

    @rx.event
    def advance(self) -> None:
        """Show the next slide."""
        self.slide = (self.slide + 1) % len(HERO)

    @rx.event
    def choose(self, slide: int) -> None:
        """Show one slide and stop the carousel; invalid numbers are ignored."""
        if slide in range(len(HERO)):
            self.slide = slide
            self.playing = False

    @rx.event
    def toggle(self) -> None:
        """Pause or resume."""
        self.playing = not self.playing


def hero() -> rx.Component:
    """The carousel; it pauses under pointer, focus, hidden tab and reduced motion."""
    return AutoAdvance.create(
        *(_slide(index, slide) for index, slide in enumerate(HERO)),
        _controls(),
        every=_INTERVAL_MS,
        playing=Hero.playing,
        on_tick=Hero.advance,
        class_name="hero on-dark",
        custom_attrs={"role": "region", "aria-roledescription": "carousel", "aria-label": "Highlights"},
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
            "data-current": rx.cond(Hero.slide == index, "true", "false"),
        },
    )


def _title(slide: HeroSlide) -> tuple[rx.Component | str, ...]:
    before, accent, after = slide.title.partition(slide.accent) if slide.accent else (slide.title, "", "")
    return before, rx.el.span(accent, class_name="text-marigold"), after


def _controls() -> rx.Component:
    return rx.el.div(
        rx.el.div(
            *(
                rx.el.button(
                    rx.el.span(f"Show slide {index + 1}: {slide.title}", class_name="sr-only"),
                    type="button",
                    on_click=Hero.choose(index),  # type: ignore[operator]
                    aria_pressed=rx.cond(Hero.slide == index, "true", "false"),
                    class_name="hero-dot",
                )
                for index, slide in enumerate(HERO)
            ),
            button(
                rx.cond(Hero.playing, icon("pause", size=18), icon("play", size=18)),
                rx.cond(Hero.playing, "Pause", "Play"),
                on_click=Hero.toggle,
                tone="ghost",
                class_name="button-small shadow-none",
            ),
            class_name="wrap flex items-center gap-3",
        ),
        class_name="hero-controls",
    )
