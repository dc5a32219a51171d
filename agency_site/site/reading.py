"""Parts that blog articles and insights share: head, meta line, text column, share row."""

from datetime import date

import reflex as rx

from agency_site.clock import format_date
from agency_site.content.article_schema import Call, Publication
from agency_site.content.feeds import FEEDS
from agency_site.content.share_pictures import share_address
from agency_site.settings import PLACEHOLDER_ORIGIN
from agency_site.site.languages import in_its_languages
from agency_site.ui.article import Shared, share_row, text_body
from agency_site.ui.blocks import hero_split
from agency_site.ui.elements import breadcrumb, link_button
from agency_site.ui.icon import icon

_NETWORKS = ("x", "facebook", "pinterest", "linkedin")


def reading_head(
    publication: Publication, *more: rx.Component, above: tuple[str, str], label: rx.Component
) -> rx.Component:
    """Title, opening and meta line beside the cover; `above` is the breadcrumb's parent, `more` ends the meta line."""
    crumbs = breadcrumb(("Home", "/"), above, here=publication.title)
    return hero_split(
        publication.title,
        in_its_languages(publication.opening),
        meta_line(publication, *more),
        art=publication.image,
        background=publication.ground,
        crumbs=rx.fragment(crumbs, rx.el.div(label, class_name="mb-5")),
    )


def meta_line(publication: Publication, *more: rx.Component) -> rx.Component:
    """Date, read time, author, and further facts."""
    return rx.el.ul(
        _fact("calendar", rx.el.time(publication.date_line, date_time=publication.published.isoformat())),
        _fact("clock", publication.read_time),
        _fact("user", publication.author),
        *([_revision(publication.revised)] if publication.revised else []),
        *more,
        class_name="meta-line",
    )


def _revision(day: date) -> rx.Component:
    return _fact("calendar", rx.el.time(f"Revised {format_date(day)}", date_time=day.isoformat()))


def _fact(name: str, content: rx.Component | str) -> rx.Component:
    return rx.el.li(icon(name, size=18), content)


def text_column(publication: Publication, *after: rx.Component) -> rx.Component:
    """The text and the elements `after` it, in the reading width."""
    return rx.el.article(
        text_body(publication.html), *after, aria_label=publication.title, class_name="max-w-[43.6em] min-w-0"
    )


def call_box(call: Call) -> rx.Component:
    """An invitation inside the text column."""
    return rx.el.aside(
        rx.el.h2(call.title, class_name="text-card"),
        rx.el.p(call.text, class_name="mt-4 mb-6 text-lead"),
        link_button(call.label, call.href, tone="ink"),
        class_name="on-dark call-box",
    )


def sharing(publication: Publication, path: str, share_image: str, *, windows: bool) -> rx.Component:
    """The share row. Without `windows` its links open a new tab."""
    plan = publication.share
    shared = Shared(
        url=f"{PLACEHOLDER_ORIGIN}{path}",
        title=publication.title,
        image=PLACEHOLDER_ORIGIN + share_address(share_image),
        description=plan.pin_description,
        hashtags=plan.hashtags,
    )
    sizes = dict.fromkeys(_NETWORKS, plan.popup) | {str(k): v for k, v in plan.popups.items()}
    # On paper links cannot be followed, so the address is printed.
    return rx.fragment(
        share_row(shared, sizes if windows else {}),
        rx.el.p(f"Read it at {PLACEHOLDER_ORIGIN}{path}", class_name="hidden print:block mt-6"),
    )


def feed_line() -> rx.Component:
    """Links to the feeds, with which readers can follow blog and insights without giving an address."""
    *others, last = (
        # A full load, because they are files, not pages.
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
