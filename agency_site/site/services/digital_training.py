"""Training overview: five programmes that lead into the academy's courses, figures, four steps."""

import reflex as rx

from agency_site.content.course_schema import Course
from agency_site.content.courses import course_by_slug
from agency_site.content.schema import Slug
from agency_site.content.services.digital_training import TRAINING, describe_all_courses
from agency_site.content.services.schema import Program
from agency_site.site.services.shared import back_link, closing, figure_band, heading
from agency_site.ui.blocks import arrow_link, cover, hero_split, steps
from agency_site.ui.elements import link_button, section

_WIDTHS = ("lg:col-span-2", "lg:col-span-2", "lg:col-span-2", "lg:col-span-4", "md:col-span-2 lg:col-span-2")


def digital_training() -> rx.Component:
    """The page's sections in reading order."""
    return rx.fragment(
        hero_split(
            TRAINING.heading,
            TRAINING.lead,
            link_button("To the academy", "/academy", tone="ghost"),
            art="/art/covers/digital-training.svg",
            background="leaf",
            crumbs=rx.el.div(back_link(), class_name="mb-5"),
        ),
        _programs(),
        figure_band(TRAINING.figures_intro, TRAINING.figures, "on-dark bg-ink text-paper"),
        _method(),
        closing(TRAINING.closing, "lake"),
    )


def _programs() -> rx.Component:
    return section(
        heading(TRAINING.offers_intro, "mb-12"),
        rx.el.div(
            *(_program(program, width) for program, width in zip(TRAINING.programs, _WIDTHS, strict=True)),
            class_name="grid gap-6 md:grid-cols-2 lg:grid-cols-6",
        ),
        rx.el.div(
            rx.el.p(describe_all_courses(), class_name="text-lead"),
            link_button("See the whole academy", "/academy", tone="ink"),
            class_name="flex flex-wrap items-center justify-between gap-6 border-t border-line mt-12 pt-8",
        ),
    )


def _program(program: Program, width: str) -> rx.Component:
    courses = [_course(slug) for slug in program.courses]
    return rx.el.article(
        cover(courses[0].cover, "h-[clamp(140px,16vw,200px)]"),
        rx.el.div(
            rx.el.p(program.audience, class_name="text-small font-semibold text-brand"),
            rx.el.h3(program.title, class_name="mt-2"),
            rx.el.p(program.text, class_name="mt-3 mb-5"),
            rx.el.ul(
                *(_learn_more(course) for course in courses),
                class_name=f"list-none p-0 mt-auto grid gap-x-8 {'sm:grid-cols-2' if len(courses) > 1 else ''}",
            ),
            class_name="flex flex-col grow p-[clamp(20px,2.4vw,30px)]",
        ),
        class_name=f"card flex flex-col {width}",
    )


def _course(slug: Slug) -> Course:
    course = course_by_slug(slug)
    if course is None:
        raise ValueError(f"content/services/digital_training.py: no course is called {slug}")
    return course


def _learn_more(course: Course) -> rx.Component:
    return rx.el.li(
        rx.el.span(course.title, class_name="block font-semibold leading-tight"),
        rx.el.span(f"{course.weeks} weeks, 2 hours a week", class_name="text-small text-muted"),
        rx.el.div(
            arrow_link(
                rx.fragment(
                    rx.el.span("Learn more"), rx.el.span(f" about {course.title}", class_name="sr-only")
                ),
                f"/{course.slug}",
            )
        ),
        class_name="border-t border-line pt-3 mt-3",
    )


def _method() -> rx.Component:
    return section(
        heading(TRAINING.steps_intro, "mb-12"),
        steps([(step.number, step.title, step.text) for step in TRAINING.steps]),
    )
