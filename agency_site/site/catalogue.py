"""The home page's course catalogue: cards, a filter in the address, a closing call (specification, section 2)."""

from collections.abc import Mapping

import reflex as rx

from agency_site.content.course_schema import CatalogueCard, Course, CourseCategory
from agency_site.content.courses import catalogue
from agency_site.site.academy.open_runs import NO_DATE, next_run
from agency_site.site.home_address import ALL, COURSES, address_with
from agency_site.ui.blocks import filter_link
from agency_site.ui.elements import backdrop, eyebrow, link_button, picture, section, spaced
from agency_site.ui.icon import icon
from agency_site.ui.page_region import PageRegion
from agency_site.ui.values import contains, negate

_FILTERS: dict[str, str] = {ALL: "All"} | {
    category.value: category.value.title() for category in CourseCategory
}
"""Value in the address and label of each filter button, in order."""


def _list_cards() -> list[tuple[Course, CatalogueCard]]:
    return [(course, course.catalogue) for course in catalogue() if course.catalogue]


def _links(query: Mapping[str, str]) -> dict[str, str]:
    """Return the address of each filter by its value; it ends in the id of the filter's own link."""
    return {value: f"{address_with(query, COURSES, value)}#{_place(value)}" for value in _FILTERS}


def _place(value: str) -> str:
    return f"courses-{value}"


class CourseFilter(rx.State):
    """The category that the catalogue shows."""

    chosen: rx.Field[str] = rx.field(COURSES.values[0])
    links: rx.Field[dict[str, str]] = rx.field(default_factory=lambda: _links({}))

    @rx.var
    def announcement(self) -> str:
        """The number of courses shown, for screen readers."""
        count = sum(self.chosen in (ALL, card.category) for _, card in _list_cards())
        return f"{count} course{'' if count == 1 else 's'} shown"

    @rx.event
    def read_address(self) -> None:
        """Show the category of the address; anything unknown shows all."""
        self._show(self.router.url.query_parameters)

    def _show(self, query: Mapping[str, str]) -> None:
        self.chosen, self.links = COURSES.read(query), _links(query)


Filter = CourseFilter | type[CourseFilter]


def course_catalogue() -> rx.Component:
    """Heading and filter, the cards, the closing call."""
    return section(
        PageRegion.create(courses(), name="courses"),
        _closing(),
        id="courses",
        aria_labelledby="courses-heading",
    )


def courses(state: Filter = CourseFilter) -> rx.Component:
    """Heading, filter and the cards that match it."""
    return rx.fragment(
        _head(state),
        rx.el.ul(
            *(_filtered_card(course, card, state) for course, card in _list_cards()),
            class_name="list-none p-0 mt-8 grid gap-5 lg:gap-6 min-[31.25rem]:grid-cols-2 lg:grid-cols-3",
        ),
    )


def _head(state: Filter) -> rx.Component:
    return rx.el.div(
        rx.el.div(eyebrow("OUR COURSES"), rx.el.h2("View Our Courses", id="courses-heading")),
        rx.el.div(
            rx.el.div(
                *spaced(
                    *(
                        filter_link(
                            label,
                            state.links[value],  # type: ignore[call-overload]
                            chosen=state.chosen == value,
                            place=_place(value),
                        )
                        for value, label in _FILTERS.items()
                    )
                ),
                role="group",
                aria_label="Filter courses",
                class_name="tabs",
            ),
            rx.el.p(
                state.announcement,
                role="status",
                class_name="mt-3 text-small text-muted sm:text-right",
            ),
        ),
        class_name="flex flex-wrap items-end justify-between gap-x-10 gap-y-6",
    )


def _filtered_card(course: Course, card: CatalogueCard, state: Filter) -> rx.Component:
    return rx.el.li(_card(course, card), hidden=negate(contains([ALL, card.category.value], state.chosen)))


def _card(course: Course, card: CatalogueCard) -> rx.Component:
    return rx.el.article(
        rx.el.div(
            picture(course.cover, "", 720, 480),
            rx.el.span(card.duration, class_name="catalogue-badge"),
            rx.el.span(icon(course.icon, size=28), class_name="catalogue-icon look-ground"),
            class_name="catalogue-art",
        ),
        rx.el.div(
            rx.el.h3(card.title, class_name="pr-[calc(88px-1.5rem)]"),
            rx.el.p(
                rx.el.span(
                    icon("star", size=18, class_name="text-marigold"),
                    rx.el.span("Rating ", class_name="sr-only"),
                    rx.el.span(f"{card.rating:g}"),
                    class_name="inline-flex items-center gap-1.5 font-semibold",
                ),
                " ",
                rx.el.span(card.level, class_name="text-muted"),
                class_name="flex flex-wrap gap-x-4",
            ),
            rx.el.p(card.description, class_name="text-muted"),
            rx.el.div(
                rx.el.span(
                    rx.el.strong(course.shown_price, class_name="block"),
                    " ",
                    next_run(course, f"Starts: Very soon. {NO_DATE}."),
                ),
                " ",
                rx.el.a(
                    "Learn More",
                    rx.el.span(f" about {card.title}", class_name="sr-only"),
                    href=course.path,
                    class_name="link inline-flex items-center min-h-11",
                ),
                class_name="mt-auto pt-3 border-t border-line flex flex-wrap items-center justify-between gap-x-4",
            ),
            class_name="flex flex-col grow gap-3 p-6 pb-4",
        ),
        class_name=f"card catalogue-card look-{course.look}",
    )


def _closing() -> rx.Component:
    return rx.el.div(
        rx.el.div(
            rx.el.h3(
                "It's time to redefine success for your leadership and business",
                class_name="text-heading max-w-[12em]",
            ),
            link_button("Explore All Courses", "/academy", class_name="mt-8"),
            class_name="p-[clamp(28px,5vw,72px)] self-center",
        ),
        backdrop(
            picture("/art/heads/digital-marketing-masterclass.svg", "", 600, 600),
            "min-h-[140px] order-first md:order-last",
        ),
        class_name="on-dark bg-ink text-paper rounded-panel overflow-hidden grid md:grid-cols-[1.5fr_1fr] mt-10",
    )
