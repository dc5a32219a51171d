"""What blog articles and insights have in common: head, meta line, text column, share row."""

from datetime import date

import reflex as rx

from agency_site.content.article_schema import Call, Written
from agency_site.content.feeds import FEEDS
from agency_site.settings import PLACEHOLDER_ORIGIN
from agency_site.site.languages import in_its_languages
from agency_site.ui.article import Shared, share_row, text_body
from agency_site.ui.blocks import hero_split
from agency_site.ui.elements import breadcrumb, link_button
from agency_site.ui.icon import icon

_NETWORKS = ("x", "facebook", "pinterest", "linkedin")


def reading_head(
    piece: Written, *more: rx.Component, above: tuple[str, str], label: rx.Component
) -> rx.Component:
    """Title, opening and meta line beside the cover; `above` is the breadcrumb's parent, `more` ends the meta line."""
    crumbs = breadcrumb(("Home", "/"), above, here=piece.title)
    return hero_split(
        piece.title,
        in_its_languages(piece.opening),
        meta_line(piece, *more),
        art=piece.image,
        background=piece.ground,
        crumbs=rx.fragment(crumbs, rx.el.div(label, class_name="mb-5")),
    )


def meta_line(piece: Written, *more: rx.Component) -> rx.Component:
    """Date, read time, author, and what else belongs there."""
    return rx.el.ul(
        _fact("calendar", rx.el.time(piece.date_line, date_time=piece.published.isoformat())),
        _fact("clock", piece.read_time),
        _fact("user", piece.author),
        *([_revision(piece.revised)] if piece.revised else []),
        *more,
        class_name="meta-line",
    )


def _revision(day: date) -> rx.Component:
    text = f"Revised {day:%B} {day.day}, {day.year}"
    return _fact("calendar", rx.el.time(text, date_time=day.isoformat()))


def _fact(name: str, content: rx.Component | str) -> rx.Component:
    return rx.el.li(icon(name, size=18), content)


def text_column(piece: Written, *after: rx.Component) -> rx.Component:
    """The text, then what follows it, in the reading width."""
    return rx.el.article(
        text_body(piece.html), *after, aria_label=piece.title, class_name="max-w-[43.6em] min-w-0"
    )


def call_box(call: Call) -> rx.Component:
    """An invitation inside the text column."""
    return rx.el.aside(
        rx.el.h2(call.title, class_name="text-[clamp(1.6rem,1.3rem+1.2vw,2.2rem)]"),
        rx.el.p(call.text, class_name="mt-4 mb-6 text-lead"),
        link_button(call.label, call.href, tone="ink"),
        class_name="on-dark call-box",
    )


def sharing(piece: Written, path: str, share_image: str, *, windows: bool) -> rx.Component:
    """The share row. Without `windows` its links simply open a new tab."""
    plan = piece.share
    shared = Shared(
        url=f"{PLACEHOLDER_ORIGIN}{path}",
        title=piece.title,
        image=f"{PLACEHOLDER_ORIGIN}/share/{share_image}.png",
        description=plan.pin_description,
        hashtags=plan.hashtags,
    )
    sizes = dict.fromkeys(_NETWORKS, plan.popup) | {str(k): v for k, v in plan.popups.items()}
    # Links cannot be followed on paper: there the address is printed.
    return rx.fragment(
        share_row(shared, sizes if windows else {}),
        rx.el.p(f"Read it at {PLACEHOLDER_ORIGIN}{path}", class_name="hidden print:block mt-6"),
    )


def feed_line() -> rx.Component:
    """How to follow blog and insights without leaving an address."""
    *others, last = (
        # Files, not pages: the browser itself must fetch them.
        rx.el.a(
            feed.name,
            href=feed.href,
            custom_attrs={"type": feed.media_type},
            reload_document=True,
            class_name="link feed-link",
        )
        for feed in FEEDS
    )
    named = [part for link in others for part in (link, ", ")][:-1]
    return rx.el.p(
        icon("rss", size=20),
        rx.el.span("Follow blog and insights in your own reader: ", *named, " or ", last, "."),
        class_name="feed-line",
    )
