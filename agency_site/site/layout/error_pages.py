"""Replacements of a page: not found, an error while rendering, a lost connection."""

import reflex as rx

from agency_site.content.brand import BRAND
from agency_site.site.layout.route import Route
from agency_site.ui.behaviours import WhileUnreachable
from agency_site.ui.elements import link_button, pattern_edge, spaced
from agency_site.ui.icon import icon
from agency_site.web.reflex_internals.components import ErrorBoundary, has_too_many_connection_errors

_HEADING = "Unexpected Application Error!"
"""The text of React Router's default error screen (specification, section 8)."""


def _not_found_body() -> rx.Component:
    """The page for a path that does not exist (readings, 5)."""
    return rx.el.div(
        rx.el.div(
            rx.el.p("404 Not Found", class_name="font-semibold text-deep text-lead"),
            rx.el.h1(_HEADING, class_name="mt-3"),
            rx.el.p("This page is not here.", class_name="display text-title text-brand"),
            rx.el.p(
                "It may have moved, or the address has a slip in it. Nothing is broken on your side.",
                class_name="text-lead mt-5 max-w-[30.8em]",
            ),
            rx.el.div(
                *spaced(
                    link_button("Back to the home page", "/"),
                    link_button("Our services", "/services", tone="ghost"),
                    link_button("The academy", "/academy", tone="ghost"),
                ),
                class_name="flex flex-wrap gap-3 mt-9",
            ),
            class_name="wrap py-[clamp(64px,9vw,128px)]",
        ),
        pattern_edge("not-found"),
        class_name="bg-sand",
    )


def _not_found(path: str) -> Route:
    return Route(
        path=path,
        title="Page not found",
        description="The page you asked for is not here.",
        body=_not_found_body,
        private=True,
    )


NOT_FOUND: tuple[Route, ...] = (_not_found("/404"), _not_found("/not-found"))
"""Two routes of one page: Reflex shows `/404` after navigation inside the site, the edge serves the prerendered
`/not-found` as the response to an unknown path."""


def error_boundary(_stateful: bool) -> rx.Component:  # noqa: FBT001 - the signature is Reflex's
    """Shows no stack trace in the moment before the plain page is put back (`plain_page.js`)."""
    line = rx.el.p("This page could not be shown.")
    return ErrorBoundary.create(fallback_render=rx.Var.create(line))  # type: ignore[no-any-return]


def connection_line(_stateful: bool) -> rx.Component:  # noqa: FBT001 - the signature is Reflex's
    """A line that explains what works while the server cannot be reached. If only the socket is missing, forms are posted."""
    line = WhileUnreachable.create(
        rx.el.div(
            icon("alert", size=20),
            rx.el.p(
                "No connection to our desk just now. You can go on reading; booking, paying and sending wait until it "
                "is back. What you typed stays. Or call us: ",
                # Without a network the contact page may not load, but a call works.
                rx.el.a(
                    BRAND.phone, href=f"tel:{BRAND.phone_e164}", class_name="underline whitespace-nowrap"
                ),
                ".",
            ),
            role="status",
            class_name="calm-line on-dark",
        ),
        lost=has_too_many_connection_errors,
    )
    # A fragment, because Reflex makes the whole app a child of the element that it gets here.
    return rx.fragment(line)
