"""Components of the public page of a certificate."""

import reflex as rx

from agency_site.content.brand import BRAND
from agency_site.features.academy.certificate_page.state import CertificatePage
from agency_site.features.academy.certificates import UNKNOWN
from agency_site.site.layout.private_link import private_link_page, unknown_link
from agency_site.ui.blocks import fact
from agency_site.ui.elements import link_button, notice
from agency_site.ui.values import choose

State = CertificatePage | type[CertificatePage]

UNKNOWN_CERTIFICATE = unknown_link(
    f"{UNKNOWN} It is not valid.", link_button("Our courses", "/academy"), check="the whole number"
)


def certificate_panel() -> rx.Component:
    """The certificate, or that there is none."""
    return private_link_page(CertificatePage, certificate(), UNKNOWN_CERTIFICATE)


def certificate(state: State = CertificatePage) -> rx.Component:
    """What a certificate says while it is valid."""
    return rx.fragment(
        rx.el.p("Certificate ", state.serial, class_name="font-semibold text-muted"),
        choose(state.is_valid, _valid(state), _revoked()),
    )


def _valid(state: State) -> rx.Component:
    return rx.fragment(
        rx.el.h1("This certificate is valid", class_name="mt-2"),
        rx.el.dl(
            fact("Name", choose(state.fullname != "", state.fullname, "Not shown, as the learner prefers")),
            fact("Course", state.course),
            fact("Attended", rx.fragment(state.hours, " hours of live sessions")),
            fact("Issued", state.issued),
            fact("By", BRAND.name),
            class_name="panel grid gap-y-3 mt-6",
        ),
    )


def _revoked() -> rx.Component:
    return rx.fragment(
        rx.el.h1("This certificate is not valid", class_name="mt-2"),
        notice(rx.el.p(f"{BRAND.name} has revoked it."), tone="error", class_name="mt-6"),
    )
