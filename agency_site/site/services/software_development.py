"""Software development: six services, figures, six projects, four steps, the tools."""

import reflex as rx

from agency_site.content.portfolio import PortfolioItem, works
from agency_site.content.services.schema import Offer, Step, Technology
from agency_site.content.services.software_development import SOFTWARE
from agency_site.site.languages import in_its_languages
from agency_site.site.portfolio import works_caption
from agency_site.site.services.shared import (
    closing,
    figure_band,
    heading,
    hero_words,
    tags,
    work_picture,
)
from agency_site.ui.elements import card_link, section


def software_development() -> rx.Component:
    """The page's sections in reading order."""
    return rx.fragment(
        _hero(),
        _offers(),
        figure_band(SOFTWARE.figures_intro, SOFTWARE.figures, "on-dark bg-leaf text-white"),
        _work(),
        _process(),
        _stack(),
        closing(SOFTWARE.closing, "brand"),
    )


def _hero() -> rx.Component:
    return rx.el.div(
        rx.el.div(
            hero_words(SOFTWARE),
            *(
                work_picture(project, "rounded-panel lg:translate-y-32")
                for project in works(SOFTWARE.slug)[:1]
            ),
            class_name="wrap grid lg:grid-cols-[1fr_1.05fr] gap-x-14 gap-y-10 items-center py-[clamp(32px,5vw,80px)]",
        ),
        class_name="on-dark bg-ink text-paper squared relative z-10",
    )


def _offers() -> rx.Component:
    return section(
        heading(SOFTWARE.offers_intro, "mb-12"),
        rx.el.div(*(_offer(offer) for offer in SOFTWARE.offers), class_name="ledger"),
        class_name="lg:pt-[160px]",
    )


def _offer(offer: Offer) -> rx.Component:
    return rx.el.article(
        rx.el.h3(offer.title),
        rx.el.p(offer.text, class_name="mt-3 mb-6 text-muted"),
        rx.el.div(tags(offer.tags), class_name="mt-auto"),
        class_name="flex flex-col p-[clamp(22px,2.6vw,36px)]",
    )


def _work() -> rx.Component:
    return section(
        heading(SOFTWARE.work_intro, "mb-12"),
        rx.el.div(
            *(_project(project) for project in works(SOFTWARE.slug)),
            class_name="grid gap-x-8 gap-y-10 lg:grid-cols-2",
        ),
        works_caption(works(SOFTWARE.slug)),
    )


def _project(project: PortfolioItem) -> rx.Component:
    return rx.el.article(
        work_picture(project, "rounded-card aspect-[4/3]"),
        rx.el.div(
            rx.el.p(project.category, class_name="text-small font-semibold text-brand"),
            rx.el.h3(card_link(project.title, project.href), class_name="mt-1"),
            rx.el.p(in_its_languages(project.story), class_name="mt-3 mb-5"),
            tags((project.platform, *project.languages)),
            class_name="self-center",
        ),
        class_name="relative grid gap-6 sm:grid-cols-[1.15fr_1fr] border-t border-line pt-8",
    )


def _process() -> rx.Component:
    return section(
        rx.el.div(
            heading(SOFTWARE.steps_intro, "lg:sticky lg:top-28 self-start"),
            rx.el.ol(*(_step(step) for step in SOFTWARE.steps), class_name="list-none p-0 grid"),
            class_name="grid gap-10 lg:grid-cols-[.8fr_1.2fr]",
        ),
        class_name="on-dark bg-lake text-paper",
    )


def _step(step: Step) -> rx.Component:
    return rx.el.li(
        rx.el.span(
            step.number, class_name="display text-marigold text-[clamp(3rem,6vw,5.5rem)] leading-[.9]"
        ),
        rx.el.div(rx.el.h3(step.title), rx.el.p(step.text, class_name="mt-2 max-w-[30.8em]")),
        class_name="grid grid-cols-[clamp(56px,9vw,120px)_1fr] gap-4 border-t border-paper/30 py-8",
    )


def _stack() -> rx.Component:
    return section(
        heading(SOFTWARE.stack_intro, "mb-10"),
        rx.el.ul(*(_tool(tool) for tool in SOFTWARE.stack), class_name="stack list-none p-0"),
    )


def _tool(tool: Technology) -> rx.Component:
    return rx.el.li(
        rx.el.span(tool.name, class_name="display text-subheading"),
        rx.el.span(tool.used_for, class_name="text-small"),
        class_name="flex flex-col justify-between gap-6 p-5 min-h-[124px]",
    )
