"""The detail page of an order: heading, payments on the left, contact, e-mails and history on the right."""

import reflex as rx

from agency_site.auth.rules import Permission
from agency_site.backoffice.clients import client_fact
from agency_site.backoffice.detail_page import detail_page, detail_screen, edit_card, history_card, note_card
from agency_site.backoffice.elements import (
    button_row,
    card,
    fact,
    fact_list,
    small_button,
    small_note,
    spread,
)
from agency_site.backoffice.state import has_permission
from agency_site.backoffice.texts.dialog import link_button, message_button, message_dialogs
from agency_site.features.checkout.admin.labels import CONTACT
from agency_site.features.checkout.admin.orders.description import LearnerItem, MessageItem
from agency_site.features.checkout.admin.orders.detail import OrderDetailState
from agency_site.features.checkout.admin.orders.list import ORDERS
from agency_site.features.checkout.admin.orders.messages import OrderMessages
from agency_site.features.checkout.admin.orders.payments_view import dialogs, one_name_tick, payments
from agency_site.features.checkout.orders.request import COMPANY_LENGTH, NAME_LENGTH
from agency_site.features.checkout.orders.staff_request import NOTE_LENGTH
from agency_site.form_input import EMAIL_LENGTH, PHONE_LENGTH
from agency_site.ui.elements import mail_link, notice, text_link
from agency_site.ui.forms import field
from agency_site.ui.icon import icon
from agency_site.web.reflex_internals.components import PlainAnchor

NOTE_FORM = "order-note"


def _order_page() -> rx.Component:
    return detail_page(
        OrderDetailState,
        _order_heading(),
        rx.el.div(
            rx.el.div(payments(), _learners_card(), _mails_card()),
            rx.el.div(
                rx.cond(OrderDetailState.panel == "contact", _contact_form(), _contact_card()),
                note_card(
                    NOTE_FORM, OrderDetailState.reference, OrderDetailState.errors["note"],
                    longest=NOTE_LENGTH, permission=Permission.WORK_PAYMENTS, keep=OrderDetailState.add_note,
                ),
                history_card(OrderDetailState.lines, "Notes and history"),
            ),
            class_name="office-columns money-columns",
        ),
        dialogs(),
        message_dialogs(OrderMessages, "order-text"),
        empty=("No order selected. Choose one from the list, or search for its reference above.", "All orders", ORDERS),
        class_name="",
    )  # fmt: skip


def _order_heading() -> rx.Component:
    facts = OrderDetailState.facts
    return rx.el.section(
        rx.el.div(
            rx.el.p(
                rx.el.strong(OrderDetailState.reference),
                rx.el.span(facts["state"], class_name="office-tone office-tone-" + facts["tone"]),
                class_name="money-reference",
            ),
            rx.el.h2(facts["name"]),
            rx.el.p(facts["course"], ", ", facts["places"]),
            rx.cond(facts["run"] != "", _course_run()),
            small_note(_order_dates()),
        ),
        rx.el.div(
            rx.el.p(
                facts["amount"],
                rx.cond(facts["calculation"] != "", rx.el.small(facts["calculation"])),
                rx.cond(facts["balance"] != "", rx.el.small(facts["balance"])),
                class_name="money-amount",
            ),
            rx.cond(facts["surplus"] != "", notice(facts["surplus"], tone="error")),
            rx.cond(facts["obstacle"] != "", notice(facts["obstacle"])),
            _order_actions(),
            class_name="money-side",
        ),
        class_name="office-card money-head",
        aria_label="Order",
    )


def _course_run() -> rx.Component:
    """The run of the learners; before they are enrolled, the chosen run."""
    facts = OrderDetailState.facts
    linked = text_link(facts["run"], "/admin/run?ref=" + facts["run"])
    return rx.el.p(
        "Course run ",
        rx.cond(has_permission(Permission.SEE_ENROLMENTS), linked, facts["run"]),
        rx.cond(
            facts["run_starts"] != "",
            rx.el.span(", starts ", facts["run_starts"]),
            rx.el.span(", chosen"),
        ),
    )


def _order_dates() -> rx.Component:
    facts = OrderDetailState.facts
    return rx.fragment(
        "Placed ",
        facts["placed"],
        rx.cond(facts["enrolled"] != "", rx.el.span(". Enrolled ", facts["enrolled"])),
        rx.cond(facts["ended"] != "", rx.el.span(". Enrolment ended ", facts["ended"])),
        ".",
    )


def _order_actions() -> rx.Component:
    return button_row(
        rx.cond(
            OrderDetailState.actions.contains("prompt") & has_permission(Permission.WORK_PAYMENTS),
            rx.fragment(
                small_button(
                    icon("phone", size=18), "Send new prompt", tone="ghost",
                    on_click=OrderDetailState.open_prompt,
                ),
                small_button(
                    icon("mail", size=18), "Send payment link", tone="ghost",
                    on_click=OrderDetailState.ask_to_send_link,
                ),
            ),
        ),
        rx.cond(
            OrderDetailState.actions.contains("record") & has_permission(Permission.WORK_PAYMENTS),
            small_button(
                icon("wallet", size=18), "Record payment", tone="ghost",
                on_click=OrderDetailState.open_payment_form,
            ),
        ),
        rx.cond(
            OrderDetailState.actions.contains("receipt") & has_permission(Permission.EXPORT),
            PlainAnchor.create(
                icon("download", size=18),
                "Receipt as PDF",
                href="/admin/export/orders/" + OrderDetailState.reference + "/receipt.pdf",
                download=True,
                class_name="office-quiet",
            ),
        ),
        rx.cond(
            (OrderDetailState.facts["company"] != "") & has_permission(Permission.EXPORT),
            PlainAnchor.create(
                icon("download", size=18),
                "Invoice as PDF",
                href="/admin/export/orders/" + OrderDetailState.reference + "/invoice.pdf",
                download=True,
                class_name="office-quiet",
            ),
        ),
        rx.cond(has_permission(Permission.EXPORT), rx.foreach(OrderDetailState.credit_notes, _credit_note_link)),
        rx.cond(
            OrderDetailState.actions.contains("resend") & has_permission(Permission.WORK_MAIL),
            small_button(
                icon("mail", size=18), "Resend receipt", tone="ghost",
                on_click=OrderDetailState.open_resend,
            ),
        ),
        message_button(OrderMessages, OrderDetailState.reference),
        link_button(OrderMessages, OrderDetailState.reference),
    )  # fmt: skip


def _credit_note_link(number: rx.Var[str]) -> rx.Component:
    return PlainAnchor.create(
        icon("download", size=18),
        "Credit note " + number + " as PDF",
        href="/admin/export/orders/" + OrderDetailState.reference + "/credit-notes/" + number + ".pdf",
        download=True,
        class_name="office-quiet",
        key=number,
    )


def _contact_card() -> rx.Component:
    facts = OrderDetailState.facts
    return rx.el.section(
        spread(
            rx.el.h2("Contact"),
            rx.cond(
                OrderDetailState.actions.contains("contact") & has_permission(Permission.WORK_PAYMENTS),
                small_button("Edit", tone="ghost", on_click=OrderDetailState.open_contact),
            ),
        ),
        rx.cond(
            facts["email"] != "",
            fact_list(
                fact("Name", facts["name"]),
                fact("E-mail", mail_link(facts["email"])),
                fact("Phone", text_link(facts["phone_label"], "tel:" + facts["phone"])),
                fact("Company", facts["company"], is_shown=facts["company"] != ""),
                fact("KRA PIN", facts["company_pin"], is_shown=facts["company_pin"] != ""),
                fact("Came from", facts["origin"], is_shown=facts["origin"] != ""),
                client_fact("orders", OrderDetailState.reference),
            ),
            small_note("The personal data of this order has been erased on request."),
        ),
        class_name="office-card money-contact",
    )


def _contact_form() -> rx.Component:
    draft, errors, form = OrderDetailState.draft, OrderDetailState.errors, "contact"
    lengths = {
        "email": EMAIL_LENGTH, "phone": PHONE_LENGTH, "company_name": COMPANY_LENGTH, "company_pin": PHONE_LENGTH,
    }  # fmt: skip
    optional = dict.fromkeys(("company_name", "company_pin"), "optional")
    kinds = {"email": "email", "phone": "tel"}
    return edit_card(
        OrderDetailState,
        form,
        "Edit contact",
        *(
            field(
                label, name, form=form, error=errors[name], type=kinds.get(name, "text"),
                max_length=lengths.get(name, NAME_LENGTH), default_value=draft[name], auto_complete="off",
                optional=optional.get(name, ""),
            )
            for name, label in CONTACT.items()
        ),
        one_name_tick(is_ticked=draft["last_name"] == ""),
        rx.cond(
            OrderDetailState.facts["own_place"] != "",
            rx.el.label(
                rx.el.input(type="checkbox", name="place", default_checked=True),
                "Also correct the name and address of the buyer's own place. Attendance is kept, and a new address gets the link",
                class_name="office-tick",
            ),
        ),
        small_note("This does not change the paying phone, which is shown with each payment."),
        on_submit=OrderDetailState.save_contact,
        focus="contact-first_name",
    )  # fmt: skip


def _learners_card() -> rx.Component:
    return rx.cond(
        OrderDetailState.learners,
        card("Learners", rx.el.ul(rx.foreach(OrderDetailState.learners, _learner), class_name="office-log")),
    )


def _learner(learner: LearnerItem) -> rx.Component:
    return rx.el.li(
        spread(
            text_link(learner.name, "/admin/learner?ref=" + learner.reference),
            rx.el.span(learner.state, class_name="office-tone office-tone-" + learner.tone),
        ),
        rx.el.small(learner.reference),
        key=learner.reference,
    )


def _mails_card() -> rx.Component:
    return rx.cond(
        has_permission(Permission.SEE_MAIL),
        card(
            "E-mails",
            rx.cond(
                OrderDetailState.mails,
                rx.el.ul(rx.foreach(OrderDetailState.mails, _mail), class_name="office-log"),
                small_note("None yet."),
            ),
        ),
    )


def _mail(mail: MessageItem) -> rx.Component:
    return rx.el.li(
        spread(
            text_link(mail.subject, "/admin/message?id=" + mail.id.to_string()),
            rx.el.span(mail.state, class_name="office-tone office-tone-" + mail.tone),
        ),
        rx.el.small(mail.at, rx.cond(mail.recipient != "", ", to " + mail.recipient, "")),
        key=mail.id.to_string(),
    )


ORDER_DETAIL = detail_screen(OrderDetailState, "/admin/order", "Order", _order_page, under=ORDERS)
