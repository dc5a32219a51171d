"""Components of the public page of a certificate."""

import reflex as rx

from agency_site.content.brand import BRAND
from agency_site.features.academy.certificate_page.state import CertificatePage
from agency_site.features.academy.certificates import UNKNOWN
from agency_site.site.layout.private_link import private_link_page, unknown_link
from agency_site.ui.blocks import fact
from agency_site.ui.elements import link_button, notice, pattern_edge
from agency_site.ui.values import choose

State = CertificatePage | type[CertificatePage]

UNKNOWN_CERTIFICATE = unknown_link(
    f"{UNKNOWN} It is not valid.", link_button("Our courses", "/academy"), check="the whole number"
)


def certificate_panel() -> rx.Component:
    """The certificate, or that there is none."""
    return private_link_page(CertificatePage, certificate(), UNKNOWN_CERTIFICATE, width="")


def certificate(state: State = CertificatePage) -> rx.Component:
    """What a certificate says while it is valid."""
    return rx.fragment(
        rx.el.p("Certificate ", state.serial, class_name="font-semibold text-muted"),
        choose(state.is_valid, _valid(state), _revoked()),
    )


def _valid(state: State) -> rx.Component:
    return rx.el.div(
        rx.el.div(
            rx.el.h1("This certificate is valid", class_name="mt-2"),
            rx.el.p(
                f"{BRAND.name} has issued it to somebody who attended the live sessions of the course. "
                "The PDF with this number says the same as this page.",
                class_name="text-lead mt-5",
            ),
        ),
        rx.el.div(
            pattern_edge("academy"),
            rx.el.dl(
                fact(
                    "Name", choose(state.fullname != "", state.fullname, "Not shown, as the learner prefers")
                ),
                fact("Course", state.course),
                fact("Attended", rx.fragment(state.hours, " hours of live sessions")),
                fact("Issued", state.issued),
                fact("By", BRAND.name),
                class_name="grid gap-y-3 p-[clamp(22px,3vw,36px)]",
            ),
            class_name="panel p-0 overflow-hidden",
        ),
        link_button("Our courses", "/academy", "ghost", class_name="justify-self-start"),
        class_name="grid grid-cols-1 items-start gap-8 lg:gap-14 lg:grid-cols-[.9fr_1.1fr]",
    )


def _revoked() -> rx.Component:
    return rx.fragment(
        rx.el.h1("This certificate is not valid", class_name="mt-2"),
        notice(rx.el.p(f"{BRAND.name} has revoked it."), tone="error", class_name="mt-6"),
    )
