"""The server replaces the parts of a built page that content has changed, and leaves the rest as it was built."""

import re
from collections.abc import Callable

import pytest
import reflex as rx

from agency_site.content.entries import Kind
from agency_site.content.portfolio import PROJECTS, projects
from agency_site.content.published import Records, previewed
from agency_site.site.layout.route import Route
from agency_site.ui.page_region import PageRegion
from agency_site.web.publishing.redrawn_pages import StructureChanged, make_page, redraw_page
from tests.built_pages import build_page


class Counter(rx.State):
    """A state, so that an element with its event is no static part."""

    @rx.event
    def count(self) -> None:
        """Count."""


def live(text: str) -> rx.Component:
    return rx.el.button(text, on_click=Counter.count)


def newsletter() -> rx.Component:
    return rx.el.p("Newsletter")


def listed() -> rx.Component:
    """A list whose items have events: its number of static parts depends on the content."""
    return rx.el.ul(*(rx.el.li(rx.el.p(project.title), live("Like")) for project in projects()))


def listed_without_scripts() -> rx.Component:
    return rx.el.ul(*(rx.el.li(rx.el.p(project.title)) for project in projects()))


def body() -> rx.Component:
    return rx.fragment(
        rx.el.section(*(rx.el.p(project.story) for project in projects()), class_name="stories"),
        live("Press"),
        PageRegion.create(listed(), name="list"),
        rx.el.section(rx.el.p("The end")),
    )


def page_of(title: str = "Work", draw: Callable[[], rx.Component] = body) -> Route:
    return Route(
        path="/work", title=title, description=f"About {title}.", body=draw,
        shows=frozenset({Kind.PROJECT}), regions={"list": listed_without_scripts},
    )  # fmt: skip


def build(route: Route) -> str:
    return build_page(route, newsletter)


CHANGED = {
    Kind.PROJECT: (
        PROJECTS[0].model_copy(update={"title": "Renamed & new", "story": "A story <b>of</b> staff."}),
    )
}


def redraw(route: Route, records: Records) -> str:
    built = build(page_of())
    with previewed(records):
        return redraw_page(built, route, page_of(), newsletter)


def test_without_a_change_the_page_keeps_its_content_marks_and_scripts() -> None:
    built = build(page_of())
    same = redraw(page_of(), {})
    assert same.count("data-static") == built.count("data-static") > 3
    assert "<script>start()</script>" in same
    assert PROJECTS[3].story.split("'")[0] in same


def test_static_parts_and_regions_have_the_content_of_now_escaped() -> None:
    page = redraw(page_of(), CHANGED)
    assert "A story &lt;b&gt;of&lt;/b&gt; staff." in page
    assert PROJECTS[1].story.split("'")[0] not in page
    assert '<page-region name="list"><ul><li><p>Renamed &amp; new</p></li></ul></page-region>' in page
    assert "<script>start()</script>" not in page
    assert "The end" in page


def test_a_static_part_keeps_the_mark_of_the_build() -> None:
    before, region = build(page_of()).split('name="list"')
    marks = marks_of(before) + marks_of(region.partition("</page-region>")[2])
    assert marks_of(redraw(page_of(), CHANGED)) == marks


def marks_of(page: str) -> list[str]:
    return re.findall('data-static="([^"]*)"', page)


def test_title_description_and_structured_data_are_those_of_the_route() -> None:
    page = redraw(page_of("Other work"), CHANGED)
    assert page.count("<title>") == 1
    assert "<title>Other work | Mwanga Digital</title>" in page
    assert page.count('name="description"') == 1
    assert "About Other work." in page
    assert '"name":"Other work"' in page
    assert "About Work." not in page


def test_a_new_page_has_no_scripts_and_its_own_address() -> None:
    new = Route(
        path="/new",
        title="New",
        description="New.",
        body=body,
        regions={"list": listed_without_scripts},
        made_like="/work",
    )
    page = make_page(build(page_of()), new, newsletter)
    assert "start()" not in page
    assert 'href="https://origin.invalid/new"' in page
    assert "application/ld+json" in page


def test_a_page_whose_parts_do_not_match_is_not_drawn() -> None:
    def longer() -> rx.Component:
        return rx.fragment(body(), rx.el.section(rx.el.p("One more")))

    with pytest.raises(StructureChanged, match="/work"):
        redraw(page_of(draw=longer), CHANGED)
