"""Components of the public page of a certificate."""

import reflex as rx

from agency_site.clock import format_date, in_nairobi
from agency_site.content.brand import BRAND
from agency_site.features.academy.certificates.usecases import UNKNOWN
from agency_site.features.academy.learners.records import CertificateRecord
from agency_site.site.layout.private_page import unknown_link
from agency_site.ui.blocks import fact
from agency_site.ui.elements import link_button, notice, pattern_edge

UNKNOWN_CERTIFICATE = unknown_link(
    f"{UNKNOWN} It is not valid.", link_button("Our courses", "/academy"), check="the whole number"
)


def certificate(record: CertificateRecord) -> rx.Component:
    """Show the content of a valid certificate, or that it was revoked."""
    return rx.fragment(
        rx.el.p("Certificate ", record.short_serial, class_name="font-semibold text-muted"),
        _valid_certificate(record) if record.is_valid else _revoked_notice(),
    )


def _valid_certificate(record: CertificateRecord) -> rx.Component:
    name = record.fullname if record.is_name_shown else ""
    return rx.el.div(
        rx.el.div(
            rx.el.h1("This certificate is valid", class_name="mt-2"),
            rx.el.p(
                f"{BRAND.name} has issued it to a person who attended the live sessions of the course. "
                "The PDF with this number says the same as this page.",
                class_name="text-lead mt-5",
            ),
        ),
        rx.el.div(
            pattern_edge("academy"),
            rx.el.dl(
                fact("Name", name or "Not shown, at the learner's request"),
                fact("Course", record.course_name),
                fact("Attended", f"{record.hours} hours of live sessions"),
                fact("Issued", format_date(in_nairobi(record.issued_at))),
                fact("By", BRAND.name),
                class_name="grid gap-y-3 p-[clamp(22px,3vw,36px)]",
            ),
            class_name="panel p-0 overflow-hidden",
        ),
        link_button("Our courses", "/academy", "ghost", class_name="justify-self-start"),
        class_name="grid grid-cols-1 items-start gap-8 lg:gap-14 lg:grid-cols-[.9fr_1.1fr]",
    )


def _revoked_notice() -> rx.Component:
    return rx.fragment(
        rx.el.h1("This certificate is not valid", class_name="mt-2"),
        notice(rx.el.p(f"{BRAND.name} has revoked it."), tone="error", class_name="mt-6"),
    )
