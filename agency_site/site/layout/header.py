"""The sticky header: navigation for wide screens, a folding menu for phones.

Both are details elements, which work without scripts; `menus.js` closes them and opens the wide one on hover.
"""

import reflex as rx

from agency_site.content.brand import BRAND
from agency_site.content.navigation import HEADER, RESOURCES
from agency_site.content.schema import Link
from agency_site.ui.elements import link_button, outside_link, picture, spaced
from agency_site.ui.icon import icon


def site_header(path: str) -> rx.Component:
    """The header of the page at `path`."""
    return rx.el.header(
        rx.el.div(brand_mark(), _desktop(path), _mobile(path), class_name="wrap site-header-row"),
        class_name="site-header",
    )


def brand_mark() -> rx.Component:
    """Logo and name, leading home."""
    return rx.el.a(
        picture("/logo.svg", "", 38, 38, loading="eager"), BRAND.name, href="/", class_name="brand-mark"
    )


def social_links(size: int = 22) -> rx.Component:
    """The five profiles, each in a new tab."""
    return rx.el.ul(
        *(
            rx.el.li(
                outside_link(
                    icon(link.icon, size=size),
                    rx.el.span(link.name, class_name="sr-only"),
                    href=str(link.url),
                    class_name="grid place-items-center w-11 h-11 rounded-pill hover:bg-brand hover:text-white",
                )
            )
            for link in BRAND.social
        ),
        class_name="flex flex-wrap gap-1 -ml-2.5 list-none p-0",
    )


def _current(link: Link, path: str) -> dict[str, str]:
    inside = link.href != "/" and path.startswith(f"{link.href}/")
    return {"aria_current": "page"} if link.href == path or inside else {}


def _target(link: Link, **props: str) -> rx.Component:
    if link.href.startswith("/"):
        return rx.el.a(link.label, href=link.href, **props)
    return outside_link(link.label, icon("external", size=16), href=link.href, **props)


def _desktop(path: str) -> rx.Component:
    links = [
        _dropdown()
        if link.href == "/resources"
        else rx.el.a(link.label, href=link.href, class_name="nav-link", **_current(link, path))
        for link in HEADER
    ]
    return rx.fragment(
        rx.el.nav(*spaced(*links), aria_label="Main", class_name="nav"),
        " ",
        link_button("Book a Consultation", "/book", class_name="header-cta button-small"),
        " ",
    )


def _dropdown() -> rx.Component:
    return rx.el.details(
        rx.el.summary("Resources", icon("chevron-down", size=16), class_name="nav-link"),
        rx.el.ul(
            rx.el.li(rx.el.a("All resources", href="/resources")),
            *(rx.el.li(_target(link)) for link in RESOURCES),
            id="resources-menu",
            class_name="dropdown-list",
        ),
        class_name="dropdown",
        custom_attrs={"data-menu": "hover"},
    )


def _mobile(path: str) -> rx.Component:
    return rx.el.details(
        rx.el.summary(icon("menu"), icon("close"), rx.el.span("Menu", class_name="sr-only")),
        rx.el.nav(
            *spaced(
                *(_mobile_item(link, path) for link in HEADER),
                link_button("Book a Session", "/book", class_name="w-full mt-6"),
                rx.el.div(social_links(), class_name="mt-6"),
            ),
            aria_label="Menu",
            class_name="menu-panel",
        ),
        class_name="menu",
        custom_attrs={"data-menu": ""},
    )


def _mobile_item(link: Link, path: str) -> rx.Component:
    if link.href != "/resources":
        return rx.el.a(link.label, href=link.href, class_name="menu-link", **_current(link, path))
    return rx.el.details(
        rx.el.summary(
            rx.el.span(link.label), icon("chevron-down", size=20), class_name="menu-link justify-between"
        ),
        " ",
        *spaced(
            rx.el.a("All resources", href="/resources", class_name="menu-link pl-5"),
            *(_target(inner, class_name="menu-link pl-5 gap-2") for inner in RESOURCES),
        ),
        class_name="disclosure",
    )
