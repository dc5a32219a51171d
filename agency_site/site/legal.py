"""Privacy notice and terms."""

from functools import partial

import reflex as rx

from agency_site.content.legal import PRIVACY, TERMS, LegalText, with_periods
from agency_site.settings import settings
from agency_site.site.layout.route import Route
from agency_site.ui.article import contents_list, text_body
from agency_site.ui.blocks import figures
from agency_site.ui.elements import breadcrumb, page_head
from agency_site.ui.icon import icon
from agency_site.web.reflex_internals.configuration import is_production_build


def legal_page(text: LegalText, other: LegalText) -> rx.Component:
    """Head, the gist in large type, contents beside the text."""
    return rx.fragment(
        page_head(
            text.heading,
            text.lead,
            rx.el.p(text.changed_line, class_name="mt-6 text-small text-muted"),
            band=text.slug,
            crumbs=breadcrumb(("Home", "/"), here=text.title),
        ),
        _gist(text),
        rx.el.div(
            rx.el.aside(*_contents(text), _other(other), class_name="article-rail legal-rail"),
            rx.el.article(
                text_body(_html(text)), aria_label=text.title, class_name="legal-text max-w-[43.6em] min-w-0"
            ),
            class_name="wrap article-grid",
        ),
    )


def _gist(text: LegalText) -> rx.Component:
    return rx.el.section(
        rx.el.h2("In short", class_name="sr-only"),
        rx.el.div(
            figures([(fact.figure, fact.label) for fact in text.figures]),
            class_name="wrap py-[clamp(36px,5vw,64px)]",
        ),
        class_name="on-dark bg-lake text-paper",
    )


def _contents(text: LegalText) -> tuple[rx.Component, rx.Component]:
    """The list of sections: folded on phones, beside the text on wide screens."""
    listed = partial(contents_list, [(heading.id, heading.text) for heading in text.headings], linked=True)
    summary = rx.el.summary(rx.el.h2("On this page"), icon("chevron-down", size=20))
    return (
        rx.el.details(
            summary,
            listed(),
            class_name="disclosure contents-panel lg:hidden",
            custom_attrs={"data-menu": ""},
        ),
        rx.el.nav(
            rx.el.h2("On this page", class_name="mb-3"),
            listed(),
            aria_label="On this page",
            class_name="contents-panel hidden lg:block",
        ),
    )


def _other(other: LegalText) -> rx.Component:
    return rx.el.p(
        "See also: ", rx.el.a(other.title, href=f"/{other.slug}", class_name="link"), class_name="legal-other"
    )


def _html(text: LegalText) -> str:
    # A build has no settings: publishing fills in the periods. The development server does not publish.
    if is_production_build():
        return text.html
    return with_periods(text.html.encode(), settings()).decode()


def _route(text: LegalText, other: LegalText) -> Route:
    return Route(
        path=f"/{text.slug}",
        title=text.title,
        description=text.description,
        body=lambda: legal_page(text, other),
        share_image=text.slug,
        revised=text.changed,
    )


ROUTES: tuple[Route, ...] = (_route(PRIVACY, TERMS), _route(TERMS, PRIVACY))
