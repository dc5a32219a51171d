"""The detail page of a booking: actions at the top, details and notes on the left, history on the right."""

from typing import Any

import reflex as rx

from agency_site.auth.rules import Permission
from agency_site.backoffice.behaviours import Print
from agency_site.backoffice.clients import client_fact
from agency_site.backoffice.detail_page import (
    detail_page,
    detail_screen,
    edit_card,
    history_card,
    note_card,
    panel_form,
    record_head,
)
from agency_site.backoffice.dialogs import notify_checkbox
from agency_site.backoffice.drafts import keep_draft
from agency_site.backoffice.elements import (
    button_row,
    card,
    columns,
    fact,
    fact_list,
    small_button,
    small_note,
    spread,
)
from agency_site.backoffice.state import has_permission
from agency_site.backoffice.texts.dialog import link_button, message_button, message_dialogs
from agency_site.features.booking.admin.bookings.client_form import client_fields
from agency_site.features.booking.admin.bookings.detail import BookingPage
from agency_site.features.booking.admin.bookings.messages import BookingMessages
from agency_site.features.booking.admin.bookings.printout import consultation_sheet
from agency_site.features.booking.admin.bookings.slot_finder import slot_finder
from agency_site.features.booking.admin.labels import DETAIL_LABELS
from agency_site.features.booking.admin.toolbar import ADD, LIST
from agency_site.features.booking.bookings.staff_request import CANCELLATION_REASON_LENGTH, NOTE_LENGTH
from agency_site.ui.behaviours import FocusWhen
from agency_site.ui.elements import Tone, button, mail_link, notice, outside_link, text_link
from agency_site.ui.forms import field, select_field, state_options
from agency_site.ui.icon import icon

NOTE_FORM = "booking-note"


def _booking_page() -> rx.Component:
    facts = BookingPage.facts
    return detail_page(
        BookingPage,
        record_head(
            BookingPage.reference, facts["state"], facts["tone"], facts["fullname"], facts["when"],
            _action_buttons(),
            message_button(BookingMessages, BookingPage.reference), link_button(BookingMessages, BookingPage.reference),
            _print_button(), label="Booking",
        ),
        rx.cond(
            BookingPage.misplaced,
            notice(
                "This time is no longer offered, or the consultant does not work then. The booking is still confirmed: please "
                "move it, change the consultant, or call the client."
            ),
        ),
        rx.cond(BookingPage.panel == "move", _move_form()),
        columns(
            rx.el.div(rx.cond(BookingPage.panel == "edit", _edit_form(), _details()), _notes()),
            history_card(BookingPage.lines, "Notes and history"),
        ),
        _assign_dialog(),
        _cancel_dialog(),
        _reinstate_dialog(),
        message_dialogs(BookingMessages, "booking-text"),
        consultation_sheet(),
        empty=(
            "No booking selected. Choose one in the list, or search for its reference above.",
            "All bookings",
            LIST,
        ),
        class_name="bookings-file",
    )  # fmt: skip


def _action_buttons() -> rx.Component:
    copy_url = f"{ADD}?from=" + BookingPage.reference
    return rx.cond(
        has_permission(Permission.WORK_BOOKINGS),
        rx.fragment(
            _action_button("complete", "Complete", "ink", BookingPage.complete),
            _action_button("no_show", "No-show", "ghost", BookingPage.mark_no_show),
            _action_button("reinstate", "Reinstate booking", "ink", BookingPage.open_panel("reinstate")),
            _action_button("move", "Move", "ink", BookingPage.open_panel("move")),
            _action_button("assign", "Change consultant", "ghost", BookingPage.open_panel("assign")),
            _action_button("cancel", "Cancel booking", "ghost", BookingPage.open_panel("cancel")),
            rx.cond(
                BookingPage.actions.contains("edit"),
                rx.el.a("Book again", href=copy_url, class_name="office-quiet"),
            ),
        ),
    )


def _print_button() -> rx.Component:
    return Print.create(icon("download", size=18), label="Print", class_name="office-quiet")


def _action_button(name: str, label: str, tone: Tone, on_click: Any) -> rx.Component:
    return rx.cond(
        BookingPage.actions.contains(name),
        small_button(label, tone=tone, on_click=on_click),
    )


def _move_form() -> rx.Component:
    return card(
        "Move to another time",
        rx.el.form(
            slot_finder(BookingPage, legend="Free times"),
            _notify_client("Send the new time to the client"),
            button_row(
                button("Move booking", type="submit"),
                button("Cancel", tone="ghost", on_click=BookingPage.close_panel, type="reset"),
            ),
            keep_draft("move", BookingPage.reference),
            on_submit=BookingPage.move,
            class_name="bookings-form-wide",
        ),
        FocusWhen.create(when=BookingPage.panel == "move", target="move-heading"),
        identity="move-heading",
    )


def _details() -> rx.Component:
    facts = BookingPage.facts
    return rx.el.section(
        spread(
            rx.el.h2("Details"),
            rx.cond(
                has_permission(Permission.WORK_BOOKINGS) & BookingPage.actions.contains("edit"),
                small_button("Edit", tone="ghost", on_click=BookingPage.open_panel("edit")),
            ),
        ),
        fact_list(
            *(_detail_fact(name) for name in DETAIL_LABELS if name != "message"),
            fact("Consultant", facts["person"], is_shown=facts["person"] != ""),
            fact("Meeting link", outside_link(facts["video_link"], href=facts["video_link"], class_name="link"),
                 is_shown=facts["video_link"] != ""),
            client_fact("bookings", BookingPage.reference, is_shown=facts["fullname"] != ""),
            fact("Booked on", facts["booked"]),
            fact("Came from", facts["origin"], is_shown=facts["origin"] != ""),
            fact("Changed", facts["changed"], is_shown=facts["changed"] != ""),
        ),
        rx.el.h3(DETAIL_LABELS["message"]),
        rx.el.p(rx.cond(facts["message"] != "", facts["message"], "No message."), class_name="office-said-text"),
        class_name="office-card bookings-details",
    )  # fmt: skip


def _detail_fact(name: str) -> rx.Component:
    facts, label = BookingPage.facts, DETAIL_LABELS[name]
    value = facts[name]
    match name:
        case "phonenumber":
            return fact(label, text_link(facts["phone_label"], "tel:" + value), is_shown=value != "")
        case "emailaddress":
            link = mail_link(value)
            return fact(label, rx.cond(value != "", link, "None; the client gets no e-mails."))
        case _:
            return fact(label, value, is_shown=value != "")


def _edit_form() -> rx.Component:
    return edit_card(
        BookingPage,
        "details",
        "Edit details",
        *client_fields("details", BookingPage.draft, BookingPage.errors, rows="5"),
        small_note("The client is notified if an upcoming consultation takes place in another way."),
        on_submit=BookingPage.save_details,
        focus="details-fullname",
    )


def _notes() -> rx.Component:
    return note_card(
        NOTE_FORM, BookingPage.reference, BookingPage.errors["note"],
        longest=NOTE_LENGTH, permission=Permission.WORK_BOOKINGS, keep=BookingPage.add_note,
    )  # fmt: skip


def _assign_dialog() -> rx.Component:
    return panel_form(
        BookingPage,
        "assign",
        "Change the consultant?",
        rx.cond(
            BookingPage.assignable,
            select_field("Consultant", "person", [state_options(BookingPage.assignable)], form="assign",
                         error=BookingPage.errors["person"], hint="Those who are free then."),
            notice("No other consultant is free then. Please move the booking, or change the hours of a consultant."),
        ),
        _notify_client("Notify the client by e-mail"),
        text=rx.el.p(BookingPage.facts["when"], ". The time stays the same."),
        submit=("Change consultant", BookingPage.assign),
        draft="assign",
    )  # fmt: skip


def _cancel_dialog() -> rx.Component:
    return panel_form(
        BookingPage,
        "cancel",
        "Cancel this booking?",
        field("Reason", "reason", form="cancel", error=BookingPage.errors["reason"], optional="for staff only",
              max_length=CANCELLATION_REASON_LENGTH, auto_complete="off"),
        _notify_client("Notify the client"),
        text=rx.el.p(BookingPage.facts["when"], ". The time becomes free again."),
        submit=("Yes, cancel booking", BookingPage.cancel),
        cancel="Keep booking",
        draft="cancel",
    )  # fmt: skip


def _reinstate_dialog() -> rx.Component:
    return panel_form(
        BookingPage,
        "reinstate",
        "Reinstate this booking?",
        _notify_client("Notify the client"),
        text=rx.el.p(
            "The booking returns to its time, ", BookingPage.facts["when"], ", if that is still free."
        ),
        submit=("Yes, reinstate booking", BookingPage.reinstate),
        cancel="Keep cancelled",
        draft="confirm",
    )


def _notify_client(label: str) -> rx.Component:
    """The checkbox that notifies the client, with the phone number of a client without an e-mail address."""
    facts = BookingPage.facts
    return rx.fragment(
        notify_checkbox(label),
        rx.cond(
            facts["emailaddress"] == "",
            small_note(
                "No e-mail address: an SMS goes to ", facts["phone_label"], ", if it is a Kenyan mobile."
            ),
        ),
    )


BOOKING_DETAIL = detail_screen(BookingPage, "/admin/booking", "Booking", _booking_page, under=LIST)
