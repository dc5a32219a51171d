"""The About page."""

import reflex as rx

from agency_site.content.about import (
    MISSION,
    REASONS,
    STORY,
    VALUES,
    VISION,
    Milestone,
    Statement,
    TeamMember,
    team,
)
from agency_site.content.brand import BRAND
from agency_site.content.courses import number_in_words
from agency_site.content.entries import Kind
from agency_site.site.layout.organisation import full_organisation
from agency_site.site.layout.route import Route
from agency_site.ui.blocks import closing_band, hero_split
from agency_site.ui.elements import (
    button_class,
    fragment_link,
    link_button,
    pattern_edge,
    picture,
    portrait,
    section,
)


def about_page() -> rx.Component:
    """Hero, story, mission and vision, values, reasons, team."""
    return rx.fragment(
        hero_split(
            f"A studio in Karen since {BRAND.since}",
            f"{BRAND.name} began with a baker's order page. Today {number_in_words(team())} of us plan, design, film, build and "
            "teach for businesses across Kenya, and still take the first call ourselves.",
            fragment_link("Meet the team", fragment="team", class_name=button_class("ink")),
            link_button("Book a Consultation", "/book", tone="ghost"),
            art="/art/covers/about.svg",
            background="brand",
        ),
        _story(),
        _mission_and_vision(),
        _values(),
        _reasons(),
        _team(),
        closing_band(
            "Come and see the house",
            "Coffee is from Nyeri, the meeting table is still a door, and the first half hour is free.",
            "Book a Consultation",
            "/book",
        ),
    )


def _story() -> rx.Component:
    return section(
        rx.el.div(
            rx.el.div(
                rx.el.h2("Our story"),
                rx.el.p(
                    "Ten years, two addresses, and the same question on every Monday: did the phone ring?",
                    class_name="text-lead mt-5 text-muted max-w-[21.8em]",
                ),
                picture("/art/hero-1.svg", "", 720, 960, class_name="story-cover"),
                class_name="story-side",
            ),
            rx.el.ol(*(_milestone(step) for step in STORY), class_name="story"),
            class_name="grid gap-10 lg:gap-20 lg:grid-cols-[1fr_2fr]",
        ),
    )


def _milestone(step: Milestone) -> rx.Component:
    return rx.el.li(
        rx.el.p(str(step.year), class_name="display story-year"),
        rx.el.div(
            rx.el.h3(step.title),
            rx.el.p(step.text, class_name="mt-3 text-muted max-w-[37.2em]"),
        ),
        class_name="story-step",
    )


def _mission_and_vision() -> rx.Component:
    return rx.el.div(
        pattern_edge("about"),
        rx.el.div(
            _purpose("Our mission", MISSION),
            _purpose("Our vision", VISION),
            class_name="wrap grid gap-12 lg:gap-20 md:grid-cols-2 py-[clamp(56px,7vw,104px)]",
        ),
        class_name="on-dark bg-ink text-paper",
    )


def _purpose(title: str, text: str) -> rx.Component:
    return rx.el.section(
        rx.el.h2(title, class_name="text-lead font-body tracking-normal text-marigold"),
        rx.el.p(text, class_name="display text-[clamp(1.5rem,2.4vw,2.15rem)] leading-[1.2] mt-4"),
    )


def _values() -> rx.Component:
    return section(
        rx.el.div(
            rx.el.div(
                rx.el.h2("Four things we argue about", class_name="max-w-[7.3em]"),
                rx.el.p(
                    "Values are easy to print and hard to keep. These are the ones we stop meetings for.",
                    class_name="text-lead mt-5 text-muted max-w-[21.8em]",
                ),
            ),
            rx.el.dl(*(_value(value) for value in VALUES), class_name="grid gap-x-10 gap-y-9 sm:grid-cols-2"),
            class_name="grid gap-10 lg:gap-20 lg:grid-cols-[1fr_1.7fr]",
        ),
        class_name="bg-sand",
    )


def _value(value: Statement) -> rx.Component:
    return rx.el.div(
        rx.el.dt(value.title, class_name="display text-subheading"),
        rx.el.dd(value.text, class_name="mt-2"),
        class_name="value",
    )


def _reasons() -> rx.Component:
    return section(
        rx.el.h2("Six reasons to choose us", class_name="max-w-[9.3em] mb-[clamp(28px,4vw,56px)]"),
        rx.el.ol(
            *(_reason(number, reason) for number, reason in enumerate(REASONS, start=1)), class_name="reasons"
        ),
    )


def _reason(number: int, reason: Statement) -> rx.Component:
    return rx.el.li(
        rx.el.span(str(number), class_name="display reason-number", aria_hidden="true"),
        rx.el.div(rx.el.h3(reason.title), rx.el.p(reason.text, class_name="mt-2 text-muted max-w-[30.8em]")),
        class_name="reason",
    )


def _team() -> rx.Component:
    return section(
        rx.el.div(
            rx.el.h2("The people you will meet", class_name="max-w-[8em]"),
            rx.el.p(
                "No account pools, no handovers on day two. Whoever you meet first stays on your work.",
                class_name="text-lead text-muted max-w-[25.6em]",
            ),
            class_name="flex flex-wrap items-end justify-between gap-6 mb-[clamp(28px,4vw,56px)]",
        ),
        rx.el.div(*(_member(member) for member in team()), _open_chair(), class_name="team-grid"),
        id="team",
        class_name="bg-white",
    )


def _member(member: TeamMember) -> rx.Component:
    return rx.el.article(
        portrait(member.image_url, f"Portrait of {member.name}", member.initials),
        rx.el.h3(member.name, class_name="mt-4"),
        rx.el.p(member.position, class_name="text-small font-semibold text-brand mt-1"),
        rx.el.p(member.bio, class_name="mt-2 text-small text-muted"),
    )


def _open_chair() -> rx.Component:
    return rx.el.aside(
        rx.el.p("There is a twelfth chair.", class_name="display text-subheading max-w-[6em]"),
        rx.el.p(
            "If you can show us something you made and say what went wrong, write to us.", class_name="mt-3"
        ),
        link_button(
            "Write to us",
            "/contact?subject=The%20twelfth%20chair",
            tone="ink",
            class_name="button-small mt-6",
        ),
        class_name="team-chair",
    )


def about_route() -> Route:
    """The page with the present team."""
    return Route(
        path="/about",
        title="About us",
        description=f"A digital agency in Karen, Nairobi, since {BRAND.since}: our story, mission, values and the "
        f"{number_in_words(team())} people you will meet.",
        body=about_page,
        share_image="about",
        kind="AboutPage",
        organisation=full_organisation,
        shows=frozenset({Kind.TEAM_MEMBER, Kind.HOURS}),
    )
