"""Insights: the index with one featured piece and five smaller cards, and one page per piece (readings, 11)."""

from collections.abc import Callable

import reflex as rx

from agency_site.content.article_schema import Insight
from agency_site.content.entries import Kind
from agency_site.content.insights import INSIGHTS, insights
from agency_site.site.languages import in_its_languages
from agency_site.site.layout.route import Route
from agency_site.site.reading import feed_line, meta_line, reading_head, sharing, text_column
from agency_site.ui.blocks import arrow_link, closing_band, cover
from agency_site.ui.elements import link_button, page_head

_BUILT = frozenset(insight.href for insight in INSIGHTS)
"""Paths of the pages that the build has."""
WIDTHS = ("lg:col-span-7", "lg:col-span-5", "lg:col-span-5", "lg:col-span-7", "lg:col-span-12 insight-wide")
"""Widths of the smaller cards in twelve columns, which repeat for more cards."""


def insights_page() -> rx.Component:
    """Head, featured piece, smaller cards, call to action."""
    featured, *others = insights()
    return rx.fragment(
        page_head(
            "Insights",
            "Notes from the desk and the field: short, dated, and each about one thing that you can try this week.",
            band="insights",
        ),
        _featured(featured),
        _cards(others),
        closing_band(
            "Seen something that does not add up?",
            "Send us the report, the advert or the checkout that puzzles you. The best questions become the next note.",
            "Contact us",
            "/contact",
        ),
    )


def insight_page(insight: Insight) -> rx.Component:
    """One insight in reading order."""
    others = insights()
    following = others[(others.index(insight) + 1) % len(others)]
    return rx.fragment(
        reading_head(insight, above=("Insights", "/insights"), label=_category(insight)),
        rx.el.div(
            rx.el.aside(
                rx.el.p("Next insight", class_name="text-small text-muted"),
                rx.el.p(arrow_link(following.title, following.href), class_name="mt-1"),
                arrow_link("All insights", "/insights"),
                class_name="article-rail insight-rail",
            ),
            text_column(insight, sharing(insight, insight.href, insight.share_image, windows=False)),
            class_name="wrap article-grid",
        ),
        closing_band(insight.call.title, insight.call.text, insight.call.label, insight.call.href),
    )


def _category(insight: Insight) -> rx.Component:
    return rx.el.span(insight.category, class_name="category-chip")


def _featured(insight: Insight) -> rx.Component:
    return rx.el.section(
        _card(insight, "insight-lead", rx.el.span("Featured", class_name="eyebrow"), heading=rx.el.h2),
        class_name="wrap py-[clamp(40px,6vw,88px)]",
        aria_label="Featured insight",
    )


def _cards(insights: list[Insight]) -> rx.Component:
    return rx.el.section(
        rx.el.div(
            rx.el.h2("More insights", class_name="mb-9"),
            rx.el.ul(
                *(
                    rx.el.li(_card(insight), class_name=WIDTHS[place % len(WIDTHS)])
                    for place, insight in enumerate(insights)
                ),
                class_name="list-none p-0 grid gap-6 lg:grid-cols-12",
            ),
            feed_line(),
            class_name="wrap pb-[clamp(64px,8vw,112px)]",
        ),
    )


def _card(
    insight: Insight, look: str = "", *labels: rx.Component, heading: Callable[..., rx.Component] = rx.el.h3
) -> rx.Component:
    read = {"custom_attrs": {"aria-label": f"Read: {insight.title}"}, "class_name": "button-small"}
    return rx.el.article(
        rx.el.div(cover(insight.image), class_name="insight-cover"),
        rx.el.div(
            rx.el.div(*labels, _category(insight), class_name="flex flex-wrap items-center gap-4"),
            heading(insight.title, class_name="mt-4"),
            rx.el.p(in_its_languages(insight.excerpt), class_name="mt-3"),
            meta_line(insight),
            rx.el.div(link_button("Read", insight.href, tone="ghost", **read), class_name="mt-auto pt-6"),
            class_name="insight-copy",
        ),
        class_name=f"card insight-card {look}",
    )


def _insight_route(insight: Insight) -> Route:
    return Route(
        path=insight.href,
        title=insight.head_title or insight.title,
        label=insight.title,
        description=insight.description,
        body=lambda: insight_page(insight),
        share_image=insight.share_image,
        above=(("Insights", "/insights"),),
        publication=insight,
        revised=insight.changed,
        shows=frozenset({Kind.INSIGHT}),
        former_paths=insight.former_paths,
        made_like="" if insight.href in _BUILT else INSIGHTS[0].href,
    )


def insight_routes() -> tuple[Route, ...]:
    """Return the index, and a page for each insight."""
    index = Route(
        path="/insights",
        title="Insights from the desk and the field",
        description="Short notes on payments, search, reports, logos, regional campaigns and bad days online, from a "
        "digital agency in Nairobi.",
        body=insights_page,
        share_image="insights",
        kind="CollectionPage",
        shows=frozenset({Kind.INSIGHT}),
    )
    return (index, *map(_insight_route, insights()))
