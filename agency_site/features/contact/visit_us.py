"""Where and when one finds us: the parts of the contact page around its form."""

from urllib.parse import urlsplit

import reflex as rx

from agency_site import clock
from agency_site.content.brand import BRAND
from agency_site.content.hours import BUSINESS_HOURS
from agency_site.ui.behaviours import CurrentYear, FrameOnDemand
from agency_site.ui.elements import outside_link, picture
from agency_site.ui.icon import icon

_LATITUDE, _LONGITUDE = BRAND.latitude, BRAND.longitude
_HALF_HEIGHT, _HALF_WIDTH = 0.0145, 0.0215
"""Of the map, in degrees."""
_CORNERS = (
    f"{_LONGITUDE - _HALF_WIDTH:.4f}%2C{_LATITUDE - _HALF_HEIGHT:.4f}%2C"
    f"{_LONGITUDE + _HALF_WIDTH:.4f}%2C{_LATITUDE + _HALF_HEIGHT:.4f}"
)
_OPEN_STREET_MAP = "https://www.openstreetmap.org"
MAP_FRAME = (
    f"{_OPEN_STREET_MAP}/export/embed.html?bbox={_CORNERS}&layer=mapnik&marker={_LATITUDE}%2C{_LONGITUDE}"
)
MAP_PAGE = f"{_OPEN_STREET_MAP}/?mlat={_LATITUDE}&mlon={_LONGITUDE}#map=15/{_LATITUDE}/{_LONGITUDE}"


def ways_to_reach_us() -> rx.Component:
    """Address, phone, email, hours and profiles."""
    return rx.el.div(
        rx.el.div(
            _way("pin", "Address", rx.el.span(f"{BRAND.address}, {BRAND.city}")),
            _way(
                "phone",
                "Phone",
                rx.el.a(BRAND.phone, href=f"tel:{BRAND.phone_e164}", class_name="link tall-link"),
            ),
            _way(
                "mail",
                "Email",
                rx.el.a(BRAND.email, href=f"mailto:{BRAND.email}", class_name="link tall-link"),
            ),
            class_name="grid gap-6",
        ),
        _hours(),
        _profiles(),
        class_name="grid gap-9",
    )


def _way(sign: str, label: str, value: rx.Component) -> rx.Component:
    return rx.el.div(
        rx.el.span(icon(sign, size=22), class_name="contact-sign"),
        rx.el.div(
            rx.el.h3(label, class_name="text-small font-body tracking-normal text-muted"),
            rx.el.address(value, class_name="not-italic text-lead font-semibold [overflow-wrap:anywhere]"),
        ),
        class_name="flex items-center gap-4",
    )


def _hours() -> rx.Component:
    # A site built in December must not show the old year in January: the component corrects it.
    return rx.el.section(
        rx.el.h2(
            "Business hours ", CurrentYear.create(built=str(clock.today().year)), class_name="text-subheading mb-3"
        ),
        rx.el.dl(
            *(
                rx.el.div(
                    rx.el.dt(days),
                    rx.el.dd(hours, class_name="font-semibold text-right"),
                    class_name="flex justify-between gap-6 border-t border-line py-3",
                )
                for days, hours in BUSINESS_HOURS
            ),
        ),
        rx.el.p("All times are Nairobi time.", class_name="text-small text-muted border-t border-line pt-3"),
        aria_label="Business hours",
    )  # fmt: skip


def _profiles() -> rx.Component:
    return rx.el.section(
        rx.el.h2("Follow the work", class_name="text-subheading mb-3"),
        rx.el.ul(
            *(
                rx.el.li(
                    outside_link(
                        icon(link.icon, size=22),
                        rx.el.span(link.name, class_name="sr-only"),
                        href=str(link.url),
                        class_name="contact-profile",
                    )
                )
                for link in BRAND.social
            ),
            class_name="flex flex-wrap gap-3 list-none p-0",
        ),
        aria_label="Social media",
    )


def map_band() -> rx.Component:
    """The drawn map; the real one comes from OpenStreetMap only after a press."""
    return rx.el.section(
        rx.el.div(
            FrameOnDemand.create(
                picture(
                    "/images/map.svg", f"Drawn map: {BRAND.name} on Karen Road, south of the Karen roundabout.", 960, 540
                ),
                src=MAP_FRAME,
                # Without it the page's security policy shows no frame of another site.
                custom_attrs={"data-frame-origin": "{0.scheme}://{0.netloc}".format(urlsplit(MAP_FRAME))},
                title="Map of Karen, Nairobi, by OpenStreetMap",
                label="Show the live map",
                class_name="map-frame",
            ),
            _directions(),
            class_name="wrap map-grid",
        ),
        aria_label="Map",
        class_name="bg-lake",
    )  # fmt: skip


def _directions() -> rx.Component:
    return rx.el.div(
        rx.el.h2("Come by", class_name="text-subheading"),
        rx.el.p(
            "Two minutes from the Karen roundabout, behind the blue gate. Matatus 24 and 111 stop at the corner; "
            "there is parking for four, and the boda stage knows us by name.",
            class_name="mt-3",
        ),
        rx.el.p(
            "The live map comes from OpenStreetMap, which then sees your internet address. ",
            outside_link("Open it there instead", href=MAP_PAGE, class_name="link"),
            ".",
            class_name="mt-4 text-small text-muted",
        ),
        class_name="map-card panel",
    )
