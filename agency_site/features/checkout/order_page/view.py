"""Components of the private order page."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

import reflex as rx

from agency_site.clock import format_date, format_moment, in_nairobi
from agency_site.features.checkout.buying.order_status import OrderView, Stage, choose_heading, choose_tone
from agency_site.features.checkout.payment_page.state import NUMBER
from agency_site.features.checkout.payment_page.view import company_fields
from agency_site.features.checkout.payments.documents import describe_paybill
from agency_site.features.checkout.payments.messages import describe_second_payment
from agency_site.money import kes
from agency_site.places import UNKNOWN_ORDER
from agency_site.site.layout.private_page import unknown_link
from agency_site.ui.blocks import fact
from agency_site.ui.elements import link_button, live_notice, notice
from agency_site.ui.form_guard import honeypot
from agency_site.ui.forms import button_form, prefixed_field

_ORDERED = (Stage.WAITING, Stage.REVIEW, Stage.ENROLLED)
"""Stages in which another order for the course must name this one."""

UNKNOWN = unknown_link(UNKNOWN_ORDER, link_button("Our courses", "/academy"), "the whole link")


@dataclass(frozen=True)
class Refusal:
    """The reasons why a form of the page was rejected, with the input."""

    text: str = ""
    reason: str = ""
    errors: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    """Error messages by field name."""
    typed: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))


_NOTHING_REFUSED = Refusal()


def is_undecided(view: OrderView) -> bool:
    """Return whether the payment may still change without an action of the buyer."""
    return view.stage in (Stage.WAITING, Stage.REVIEW)


def order_content(view: OrderView, token: str, refusal: Refusal = _NOTHING_REFUSED) -> rx.Component:
    """Return the content of the page: the order, its downloads and forms, and the errors of a rejected form."""
    link, surplus = f"/order/{token}", view.surplus
    extra = notice(rx.el.p(describe_second_payment(surplus)), tone="info", role="group")
    return rx.fragment(
        rx.el.p("Order ", view.reference, class_name="font-semibold text-muted"),
        rx.el.h1(choose_heading(view), class_name="mt-2"),
        rx.el.div(
            notice(rx.el.p(view.detail), tone=choose_tone(view), role="group"),
            role="status",
            class_name="mt-7",
        ),
        rx.el.div(
            _refusal_notice(refusal), extra if surplus else rx.fragment(), class_name="mt-4 pb-4 grid gap-4"
        ),
        rx.el.dl(*_list_order_facts(view), class_name="panel grid gap-y-3 mt-6"),
        rx.el.div(*_list_order_links(view, token), class_name="flex flex-wrap gap-3 mt-6 mb-3"),
        *_list_order_forms(view, link, refusal),
    )


def _refusal_notice(refusal: Refusal) -> rx.Component:
    text = rx.el.p(refusal.text, role="alert", class_name="font-semibold") if refusal.text else rx.fragment()
    reason = rx.el.p(refusal.reason, role="status")
    return live_notice(text, reason, tone="error", is_shown=refusal.text != "")


def _is_free(view: OrderView) -> bool:
    return view.free or view.stage is Stage.UNCONFIRMED


def _list_order_facts(view: OrderView) -> list[rx.Component]:
    net = view.received - view.refunded
    is_part = net > 0 and (view.due > 0 or view.stage is Stage.STOPPED)
    run = view.run if view.stage is not Stage.STOPPED else None
    facts = {
        "Course": view.course_name,
        "Course run": view.run.reference if view.run else "",
        "Starts": f"{format_moment(run.starts_at)}, Nairobi time" if run else "",
        "Places": str(view.quantity),
        "Coupon": f"{kes(view.discount)} off with {view.coupon}" if view.discount else "",
        "Amount": "Free" if _is_free(view) else kes(view.amount),
        "Paid so far": kes(net) if is_part else "",
        "To pay": kes(view.due) if is_part and view.due else "",
        "Invoiced to": view.company,
        "KRA PIN": view.company_pin if view.company else "",
        "M-Pesa number": view.payer,
        view.receipt_label: view.receipt,
        "Paid on": f"{format_date(in_nairobi(view.paid_at))}, {in_nairobi(view.paid_at):%H:%M}, Nairobi time"
        if view.paid_at
        else "",
        "Refunded": kes(view.refunded) if view.refunded else "",
    }
    return [fact(label, value) for label, value in facts.items() if value]


def _list_order_links(view: OrderView, token: str) -> list[rx.Component]:
    link, files, links = f"/order/{token}", f"/api/orders/{token}", []
    if view.paid and view.stage is not Stage.REFUNDED:
        links.append(link_button("Download the receipt", f"{files}/receipt.pdf"))
    if view.company:
        links.append(link_button("Download the invoice", f"{files}/invoice.pdf", "ink"))
    for number in range(1, view.credit_notes + 1):
        label = f"Download credit note {number}" if view.credit_notes > 1 else "Download the credit note"
        links.append(link_button(label, f"{files}/credit-notes/{number}.pdf", "ink"))
    if view.stage is Stage.ENROLLED and view.quantity > 1:
        links.append(link_button("Name the learners", f"{link}/learners"))
    if is_undecided(view):
        links.append(link_button("Check again", link, "ink"))
    if view.stage is Stage.ENROLLED and view.quantity == 1:
        links.append(link_button("Give the place to another person", f"{link}/learners", "ghost"))
    if view.stage in _ORDERED:
        again = f"/payment?course={view.course_slug}&after={view.reference}"
        links.append(link_button("Order this course again", again, "ghost"))
    return links


def _list_order_forms(view: OrderView, link: str, refusal: Refusal) -> list[rx.Component]:
    forms = []
    if view.stage is Stage.UNCONFIRMED:
        forms.append(
            button_form("Confirm my place", f"{link}/confirm", id="confirm-place", class_name="mt-6")
        )
    if view.stage is Stage.PAYABLE:
        forms.append(_retry_form(view, link, refusal))
    # Not on a page that refreshes itself: it would lose the input.
    if view.takes_company and not is_undecided(view):
        forms.append(_company_form(link, refusal))
    return forms


def _company_form(link: str, refusal: Refusal) -> rx.Component:
    typed, errors = refusal.typed, refusal.errors
    return rx.el.form(
        company_fields(
            "A company pays: get an invoice",
            "invoice",
            (typed.get("companyName", ""), typed.get("companyPin", "")),
            (errors.get("companyName", ""), errors.get("companyPin", "")),
            rx.el.button("Save", type="submit", class_name="button"),
        ),
        honeypot(),
        action=f"{link}/company",
        method="post",
        custom_attrs={"noValidate": True},
        aria_label="A company pays",
        class_name="panel mt-6",
    )


def _retry_form(view: OrderView, link: str, refusal: Refusal) -> rx.Component:
    return rx.el.section(
        rx.el.h2("Try again" if view.payer else "Pay with M-Pesa", class_name="text-subheading mb-4"),
        rx.el.form(
            prefixed_field(
                "+254", "M-Pesa number", NUMBER, form="retry", type="tel", max_length=32,
                hint="Leave it empty to use the phone of this order.", error=refusal.errors.get(NUMBER, ""),
                default_value=refusal.typed.get(NUMBER, ""),
            ),
            rx.el.button(f"Pay {kes(view.due)}", type="submit", class_name="button"),
            action=f"{link}/retry",
            method="post",
            custom_attrs={"noValidate": True},
        ),
        rx.el.p(
            f"You can also pay by hand, all at once or in parts: {describe_paybill(view.reference)}.",
            class_name="mt-4 text-small text-muted",
        ),
        class_name="panel mt-6",
    )  # fmt: skip
