"""The webinars page."""

from collections.abc import Callable
from functools import partial
from urllib.parse import quote

import reflex as rx

from agency_site.content.entries import Kind
from agency_site.content.webinars import Webinar, WebinarCategory, WebinarStatus
from agency_site.site.layout.route import Route
from agency_site.site.webinar_board import (
    LIST,
    PATH,
    QUERY_LENGTH,
    SHOW_ALL,
    BoardView,
    WebinarBoard,
    category_id,
    count_pages,
    list_webinars,
    tab_id,
)
from agency_site.ui.address_bar import KeepScrollPosition, QueryInput
from agency_site.ui.behaviours import TabList
from agency_site.ui.blocks import filter_link, hero_split
from agency_site.ui.elements import button, link_button, outside_link, picture, spaced
from agency_site.ui.icon import icon
from agency_site.ui.page_region import PageRegion
from agency_site.ui.server_html import new_state
from agency_site.ui.values import cond, contains, negate

Box = Callable[[str], rx.Component]
Board = WebinarBoard | type[WebinarBoard]
_FIRST_VIEW = BoardView()
_TABS = ((WebinarStatus.UPCOMING, "Upcoming Webinars"), (WebinarStatus.PAST, "Past Recordings"))


def webinar_page(newsletter_box: Box) -> rx.Component:
    """Hero, controls and list, newsletter box."""
    return rx.fragment(
        hero_split(
            "An hour after work, worth the data",
            "Live from our studio in Karen, with somebody who does the work. Small enough that your question gets its "
            "turn, and recorded for the evening the lights go out.",
            art="/art/covers/webinar.svg",
            background="lake",
        ),
        KeepScrollPosition.create(),
        rx.el.div(
            PageRegion.create(board_controls(), name="board"),
            rx.el.div(
                PageRegion.create(webinar_list(), name="webinars"),
                _aside(newsletter_box),
                class_name="board-grid",
            ),
            class_name="wrap py-[clamp(40px,5vw,72px)]",
        ),
    )


def board_controls(state: Board = WebinarBoard) -> rx.Component:
    """Tabs, search and categories: links and a form, which work with and without scripts."""
    return rx.fragment(
        rx.el.div(_tabs(state), _search(state), class_name="board-head"),
        _categories(state),
    )


def _tabs(state: Board) -> rx.Component:
    return TabList.create(
        *spaced(
            *(
                rx.el.a(
                    label,
                    href=state.links[tab_id(status)],
                    role="tab",
                    id=tab_id(status),
                    aria_selected=cond(state.tab == status.value, "true", "false"),
                    aria_controls=LIST,
                    class_name="tab board-tab",
                )
                for status, label in _TABS
            )
        ),
        class_name="tabs",
        custom_attrs={"aria-label": "Webinars"},
    )


def _search(state: Board) -> rx.Component:
    return rx.el.form(
        cond(
            state.tab != WebinarStatus.UPCOMING.value, rx.el.input(type="hidden", name="tab", value=state.tab)
        ),
        cond(state.category != "", rx.el.input(type="hidden", name="category", value=state.category)),
        rx.el.label("Search webinars", html_for="webinar-search", class_name="sr-only"),
        icon("search", size=20, class_name="board-search-sign"),
        QueryInput.create(
            name="q",
            type="search",
            id="webinar-search",
            placeholder="Title, topic or speaker",
            max_length=QUERY_LENGTH,
            auto_complete="off",
            class_name="input",
            on_change=WebinarBoard.search.debounce(200),  # type: ignore[attr-defined]
        ),
        button("Search", type="submit", tone="ink", class_name="board-search-button"),
        on_submit=WebinarBoard.submit_search,
        action=f"{PATH}#{LIST}",
        role="search",
        class_name="board-search",
    )


def _categories(state: Board) -> rx.Component:
    def link(label: str, category: WebinarCategory | None, chosen: object) -> rx.Component:
        place = category_id(category)
        return filter_link(label, state.links[place], chosen=chosen, place=place)

    return rx.el.div(
        *spaced(
            link("All", None, state.category == ""),
            *(
                link(category.value, category, state.category == category.value)
                for category in WebinarCategory
            ),
        ),
        role="group",
        aria_label="Category",
        class_name="tabs board-categories",
    )


def webinar_list(state: Board = WebinarBoard) -> rx.Component:
    """The matching webinars, page by page."""
    (upcoming, first), (past, second) = _TABS
    is_first = state.tab == upcoming.value
    return rx.el.div(
        rx.el.h2(cond(is_first, first, second), class_name="sr-only"),
        rx.el.p(state.summary, role="status", class_name="text-muted font-semibold mb-5"),
        *(_card(webinar, state) for webinar in list_webinars()),
        _empty_state(state),
        _pagination(state),
        id=LIST,
        role="tabpanel",
        aria_labelledby=cond(is_first, tab_id(upcoming), tab_id(past)),
        tab_index=0,
        class_name="min-w-0",
    )


def _card(webinar: Webinar, state: Board) -> rx.Component:
    return rx.el.article(
        rx.el.div(
            picture(
                webinar.image,
                "",
                640,
                360,
                loading="eager" if webinar in _FIRST_VIEW.page_webinars else "lazy",
            ),
            rx.el.p(
                rx.el.span(str(webinar.date.day), class_name="display webinar-day"),
                rx.el.span(f"{webinar.date:%b %Y}", class_name="font-semibold"),
                class_name="webinar-date",
                aria_hidden="true",
            ),
            class_name="webinar-art",
        ),
        rx.el.div(
            rx.el.div(
                rx.el.p(webinar.category.value, class_name="text-small font-semibold text-brand"),
                rx.el.h3(
                    rx.el.a(webinar.title, href=webinar.href, class_name="webinar-title"), class_name="mt-2"
                ),
                rx.el.p(webinar.description, class_name="mt-3 text-muted"),
            ),
            rx.el.div(_particulars(webinar), _action(webinar), class_name="grid gap-5 content-between"),
            class_name="webinar-copy",
        ),
        hidden=negate(contains(state.page_ids, webinar.id)),
        class_name="webinar card",
    )


def _particulars(webinar: Webinar) -> rx.Component:
    return rx.el.ul(
        rx.el.li(icon("calendar", size=20), webinar.day),
        rx.el.li(icon("clock", size=20), f"{webinar.clock_time}, {webinar.duration}"),
        rx.el.li(icon("user", size=20), f"{webinar.speaker}, {webinar.speaker_title}"),
        class_name="list-none p-0 grid gap-2 [&>li]:flex [&>li]:gap-3 [&>li]:items-start [&_svg]:mt-[3px]",
    )


def _action(webinar: Webinar) -> rx.Component:
    if webinar.cancelled:
        return rx.el.p("Cancelled", class_name="font-semibold")
    if webinar.status is WebinarStatus.UPCOMING:
        return link_button("Reserve a seat", webinar.href)
    if not webinar.recording:
        return rx.el.p("There is no recording yet.", class_name="text-muted")
    return outside_link(
        "Watch the recording",
        icon("external", size=18),
        href=webinar.recording,
        class_name="button button-ink",
    )


def _empty_state(state: Board) -> rx.Component:
    return rx.el.div(
        rx.el.div(class_name="board-nothing-art", aria_hidden="true"),
        rx.el.div(
            rx.el.p("No webinars found", class_name="display text-subheading"),
            rx.el.p("Try another word or category, or look at the other tab.", class_name="mt-2 mb-5"),
            link_button("Show all", state.links[SHOW_ALL], tone="ink", class_name="button-small"),
            class_name="p-[clamp(22px,3vw,36px)]",
        ),
        hidden=state.pages > 0,
        class_name="card",
    )


def _pagination(state: Board) -> rx.Component:
    return rx.el.nav(
        *spaced(
            *(
                rx.el.a(
                    str(number),
                    href=state.links[str(number)],
                    hidden=state.pages < number,
                    aria_label=f"Page {number}",
                    custom_attrs={"aria-current": cond(state.page == number, "page", "false")},
                    class_name="board-page",
                )
                for number in range(1, count_pages() + 1)
            )
        ),
        aria_label="Pages of webinars",
        hidden=state.pages < 2,
        class_name="flex gap-2 mt-8",
    )


def _aside(newsletter_box: Box) -> rx.Component:
    return rx.el.aside(
        newsletter_box("webinar"),
        rx.el.div(
            rx.el.h2("Something you would like explained?", class_name="text-subheading"),
            rx.el.p("Half of our webinars began as a reader's question.", class_name="mt-3 mb-5 text-muted"),
            link_button(
                "Suggest a topic", f"/contact?subject={quote('A webinar about ...')}", tone="ghost", class_name="button-small"
            ),
            class_name="bg-sand rounded-panel p-[clamp(22px,3vw,36px)] mt-6",
        ),
        aria_label="Newsletter and suggestions",
        class_name="min-w-0",
    )  # fmt: skip


def webinars(newsletter_box: Box) -> Route:
    """The page around the subscription box, which its feature provides."""
    return Route(
        path=PATH,
        title="Webinars",
        description="Live webinars on marketing in Kenya and recordings of past ones, by topic, speaker or category.",
        body=partial(webinar_page, newsletter_box),
        on_load=(WebinarBoard.open_board,),
        share_image="webinar",
        kind="CollectionPage",
        shows=frozenset({Kind.WEBINAR}),
        regions={
            "board": lambda: board_controls(new_state(WebinarBoard)),
            "webinars": lambda: webinar_list(new_state(WebinarBoard)),
        },
    )
