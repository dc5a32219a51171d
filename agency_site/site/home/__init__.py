"""The home page: eight sections and the academy's banner (specification, section 2)."""

import reflex as rx

from agency_site.content.brand import BRAND
from agency_site.content.entries import Kind
from agency_site.site.catalogue import CourseFilter, course_catalogue
from agency_site.site.home.academy import academy_banner
from agency_site.site.home.blogs import blogs
from agency_site.site.home.brand_call import brand_call
from agency_site.site.home.clients import clients
from agency_site.site.home.hero import Hero, hero
from agency_site.site.home.impact import impact
from agency_site.site.home.trust import trust
from agency_site.site.home.work import Work, work
from agency_site.site.layout.organisation import full_organisation
from agency_site.site.layout.route import Route
from agency_site.ui.address_bar import KeepScrollPosition


def home() -> rx.Component:
    """The home page's sections in reading order."""
    return rx.fragment(
        rx.el.h1(f"{BRAND.name}: digital agency and academy in {BRAND.city}", class_name="sr-only"),
        KeepScrollPosition.create(),
        hero(),
        trust(),
        brand_call(),
        work(),
        blogs(),
        impact(),
        course_catalogue(),
        clients(),
        academy_banner(),
    )


def home_route() -> Route:
    """The page with the present content. Its regions need not be drawn anew: only their static parts change."""
    return Route(
        path="/",
        title=f"{BRAND.name}: digital agency and academy in {BRAND.city}",
        description=BRAND.description,
        body=home,
        label="Home",
        organisation=full_organisation,
        on_load=(Work.read_address, CourseFilter.read_address, Hero.read_address),
        shows=frozenset(
            {Kind.ARTICLE, Kind.COURSE, Kind.PROJECT, Kind.TESTIMONIAL, Kind.PARTNER, Kind.HOURS}
        ),
    )
