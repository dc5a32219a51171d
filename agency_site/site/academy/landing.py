"""The academy's landing page."""

from itertools import chain, repeat

import reflex as rx

from agency_site.content.academy import ACADEMY
from agency_site.content.course_schema import Course
from agency_site.content.courses import courses, featured, number_in_words, payment_list
from agency_site.content.entries import Kind
from agency_site.site.academy.open_runs import NO_DATE, next_run
from agency_site.site.academy.saved_courses import saved_courses
from agency_site.site.academy.structured_data import course_list
from agency_site.site.layout.route import Route
from agency_site.ui.blocks import figures, hero_split
from agency_site.ui.elements import disclosure, eyebrow, link_button, picture, section, spaced, stars

_SPANS = ("span-7", "span-5", "", "", "", "span-5", "span-7", "span-6", "span-6")
"""Width of each card on a large screen, with different rows; further cards take a third of a row."""


def academy_page() -> rx.Component:
    """Hero, figures, saved courses, the courses, how a week goes, questions, closing."""
    return rx.fragment(
        hero_split(
            ACADEMY.title,
            ACADEMY.lead,
            link_button("Enroll Today", "/payment"),
            link_button("Book a Consultation", "/book", tone="ghost"),
            art="/art/hero-2.svg",
            background="ink",
        ),
        _figures(),
        saved_courses(),
        _featured(),
        _week(),
        _questions(),
        _closing(),
    )


def _figures() -> rx.Component:
    return rx.el.section(
        rx.el.div(
            rx.el.h2("The academy in figures", class_name="sr-only"),
            figures([(figure.figure, figure.label) for figure in ACADEMY.figures]),
            class_name="wrap py-[clamp(40px,5vw,64px)]",
        ),
        class_name="on-dark bg-brand text-white",
    )


def _featured() -> rx.Component:
    return section(
        eyebrow("Featured courses"),
        rx.el.h2("Pick the one your week needs.", class_name="max-w-[9.3em]", id="courses-heading"),
        rx.el.ul(
            *(
                _card(course, span)
                for course, span in zip(featured(), chain(_SPANS, repeat("")), strict=False)
            ),
            class_name="featured list-none p-0 mt-10",
        ),
        id="courses",
    )


def _card(course: Course, span: str) -> rx.Component:
    card = course.featured
    return rx.el.li(
        rx.el.article(
            picture(course.cover, "", 720, 480, class_name="featured-art"),
            rx.el.div(
                rx.el.h3(rx.el.a(card.title, href=course.path)),
                rx.el.p(
                    # The widest cards have room for the longer sentence.
                    course.summary if span == "span-7" else card.line,
                    class_name="mt-2.5 text-muted lg:text-lead" if span == "span-7" else "mt-2 text-muted",
                ),
                rx.el.p(
                    rx.el.strong(course.shown_price),
                    " ",
                    next_run(course, NO_DATE),
                    class_name="flex flex-wrap gap-x-5 mt-4",
                ),
                rx.el.div(
                    rx.el.span(
                        stars(card.rating),
                        rx.el.span(f"{card.rating:g}", class_name="font-semibold", aria_hidden="true"),
                        class_name="inline-flex items-center gap-2",
                    ),
                    rx.el.span(f"{course.weeks} weeks", class_name="text-muted"),
                    class_name="flex flex-wrap items-center gap-x-5 gap-y-1 mt-auto pt-6",
                ),
                class_name="flex flex-col grow p-6",
            ),
            class_name="card featured-card h-full",
        ),
        class_name=span,
    )


def _week() -> rx.Component:
    return rx.el.section(
        rx.el.div(
            rx.el.div(
                rx.el.h2(ACADEMY.week_title, class_name="max-w-[9.3em]"),
                *(rx.el.p(text, class_name="mt-5 max-w-[35.9em]") for text in ACADEMY.week_text),
            ),
            figures([(part.figure, part.label) for part in ACADEMY.week]),
            class_name="wrap grid items-end gap-x-[clamp(40px,7vw,112px)] gap-y-12 lg:grid-cols-[1.2fr_1fr]",
        ),
        class_name="on-dark bg-lake text-paper py-[clamp(56px,8vw,112px)]",
    )


def _questions() -> rx.Component:
    return section(
        rx.el.div(
            rx.el.h2("Before you enrol", class_name="max-w-[6.7em]"),
            rx.el.div(
                *(
                    disclosure(
                        entry.question,
                        rx.el.p(entry.answer, class_name="max-w-[38.5em]"),
                        class_name="border-t border-line",
                    )
                    for entry in ACADEMY.questions
                )
            ),
            class_name="grid gap-8 lg:grid-cols-[.7fr_1.5fr]",
        )
    )


def _closing() -> rx.Component:
    return rx.el.section(
        rx.el.div(
            rx.el.div(
                rx.el.h2("Monday is a good day to begin.", class_name="max-w-[10.6em]"),
                rx.el.p(
                    "Choose a course, pay with M-Pesa, and your place is yours at once.",
                    class_name="text-lead mt-4 max-w-[29.5em]",
                ),
            ),
            rx.el.div(
                *spaced(
                    link_button("Enroll Today", "/payment"),
                    link_button("Book a Consultation", "/book", tone="ghost"),
                ),
                class_name="flex flex-wrap gap-3 mt-8",
            ),
            class_name="wrap flex flex-wrap items-end justify-between gap-x-10 py-[clamp(48px,6vw,88px)]",
        ),
        class_name="on-dark bg-ink text-paper",
    )


def academy_route() -> Route:
    """The landing page."""
    number_of_free = number_in_words(course for course in courses() if course.free)
    lowest = min((course.detail_price for course in payment_list()), default=0)
    return Route(
        path="/academy",
        title="Academy: short online courses in Nairobi",
        description=(
            f"{number_in_words().capitalize()} short online courses in digital marketing and design, from KES "
            f"{lowest:,} and {number_of_free} free. Two hours a week, "
            "hands-on, with a certificate."
        ),
        body=academy_page,
        share_image="academy",
        kind="CollectionPage",
        facts=(course_list(featured()),),
        questions=ACADEMY.questions,
        shows=frozenset({Kind.COURSE}),
    )
