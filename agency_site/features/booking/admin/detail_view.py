"""A booking's detail page: actions on top, details and notes left, history right, dialogs over it."""

from typing import Any

import reflex as rx

from agency_site.auth.rules import Permission
from agency_site.backoffice.behaviours import Print
from agency_site.backoffice.detail_page import fact, history_card, note_card, nothing_chosen
from agency_site.backoffice.dialogs import dialog
from agency_site.backoffice.drafts import DISCARDS, keep_draft
from agency_site.backoffice.edit_conflicts import conflict_panel
from agency_site.backoffice.screens import REFRESH_MS, Screen
from agency_site.backoffice.state import has_permission
from agency_site.features.booking.admin.detail import BookingDetail
from agency_site.features.booking.admin.labels import DETAIL_LABELS
from agency_site.features.booking.admin.printout import consultation_sheet
from agency_site.features.booking.admin.slot_finder import slot_finder
from agency_site.features.booking.admin.toolbar import ADD, LIST
from agency_site.features.booking.request import MESSAGE_LENGTH
from agency_site.features.booking.staff_request import CANCELLATION_REASON_LENGTH, NOTE_LENGTH
from agency_site.form_input import EMAIL_LENGTH, PHONE_LENGTH
from agency_site.ui.behaviours import FocusWhen, Interval
from agency_site.ui.elements import Tone, button, notice, text_link
from agency_site.ui.forms import field, text_area
from agency_site.ui.icon import icon

NOTE_FORM = "booking-note"


def _page() -> rx.Component:
    return rx.el.div(
        Interval.create(
            every=REFRESH_MS, active=BookingDetail.reference != "", on_tick=BookingDetail.refresh
        ),
        rx.cond(BookingDetail.reference != "", _booking(), _no_booking()),
        class_name="desk-file",
    )


def _no_booking() -> rx.Component:
    return nothing_chosen(
        "No booking selected. Choose one in the list, or search for its reference above.",
        "All bookings",
        LIST,
    )


def _booking() -> rx.Component:
    return rx.fragment(
        _head(),
        rx.cond(BookingDetail.panel == "move", _move_form(), rx.fragment()),
        rx.el.div(
            rx.el.div(rx.cond(BookingDetail.panel == "edit", _edit_form(), _details()), _notes()),
            history_card(BookingDetail.history, "Notes and history"),
            class_name="office-columns",
        ),
        _cancel_dialog(),
        _reinstate_dialog(),
        consultation_sheet(),
    )


def _head() -> rx.Component:
    summary = BookingDetail.summary
    return rx.el.section(
        rx.el.div(
            rx.el.p(
                rx.el.strong(BookingDetail.reference),
                rx.el.span(summary["state"], class_name="office-tone office-tone-" + summary["tone"]),
                class_name="desk-reference",
            ),
            rx.el.h2(summary["fullname"]),
            rx.el.p(summary["when"], class_name="desk-when"),
        ),
        _actions(),
        rx.cond(
            BookingDetail.misplaced,
            notice(
                "This time is no longer offered. The booking is still confirmed: move it or call the client.",
                class_name="desk-misplaced",
            ),
            rx.fragment(),
        ),
        class_name="office-card desk-head",
        aria_label="Booking",
    )


def _actions() -> rx.Component:
    copy_url = f"{ADD}?from=" + BookingDetail.reference
    return rx.el.div(
        rx.cond(
            has_permission(Permission.WORK_BOOKINGS),
            rx.fragment(
                _action("complete", "Complete", "ink", BookingDetail.complete),
                _action("no_show", "No-show", "ghost", BookingDetail.mark_no_show),
                _action("reinstate", "Reinstate booking", "ink", BookingDetail.open_panel("reinstate")),
                _action("move", "Move", "ink", BookingDetail.open_panel("move")),
                _action("cancel", "Cancel booking", "ghost", BookingDetail.open_panel("cancel")),
                rx.cond(
                    BookingDetail.actions.contains("edit"),
                    rx.el.a("Book again", href=copy_url, class_name="office-quiet"),
                    rx.fragment(),
                ),
            ),
            rx.fragment(),
        ),
        Print.create(icon("download", size=18), label="Print", class_name="office-quiet"),
        class_name="office-row",
    )


def _action(name: str, label: str, tone: Tone, on_click: Any) -> rx.Component:
    return rx.cond(
        BookingDetail.actions.contains(name),
        button(label, tone=tone, class_name="button-small", on_click=on_click),
        rx.fragment(),
    )


def _move_form() -> rx.Component:
    return rx.el.section(
        rx.el.h2("Move to another time", id="move-heading"),
        rx.el.form(
            slot_finder(BookingDetail, legend="Free times"),
            _notify_checkbox("Send the new time to the client by e-mail"),
            rx.el.div(
                button("Move booking", type="submit"),
                button("Cancel", tone="ghost", on_click=BookingDetail.close_panel, custom_attrs=DISCARDS),
                class_name="office-row",
            ),
            keep_draft("move", BookingDetail.reference),
            on_submit=BookingDetail.move,
            class_name="desk-form-wide",
        ),
        FocusWhen.create(when=BookingDetail.panel == "move", target="move-heading"),
        class_name="office-card",
        aria_labelledby="move-heading",
    )


def _details() -> rx.Component:
    summary = BookingDetail.summary
    return rx.el.section(
        rx.el.div(
            rx.el.h2("Details"),
            rx.cond(
                has_permission(Permission.WORK_BOOKINGS) & BookingDetail.actions.contains("edit"),
                button("Edit", tone="ghost", class_name="button-small", on_click=BookingDetail.open_panel("edit")),
                rx.fragment(),
            ),
            class_name="office-spread",
        ),
        rx.el.dl(
            fact("Name", summary["fullname"]),
            fact("Phone", text_link(summary["phone_label"], "tel:" + summary["phone"]), shown=summary["phone"] != ""),
            fact("E-mail", text_link(summary["email"], "mailto:" + summary["email"]), shown=summary["email"] != ""),
            fact("E-mail", "None; the client gets no e-mails.", shown=summary["email"] == ""),
            fact("Booked on", summary["booked"]),
            fact("Changed", summary["changed"], shown=summary["changed"] != ""),
            class_name="office-facts",
        ),
        rx.el.h3("Topic"),
        rx.el.p(
            rx.cond(summary["message"] != "", summary["message"], "No message."), class_name="office-said-text"
        ),
        class_name="office-card desk-details",
    )  # fmt: skip


def _edit_form() -> rx.Component:
    draft, errors, form = BookingDetail.draft, BookingDetail.errors, "details"
    differences: Any = BookingDetail.found
    return rx.fragment(
        conflict_panel(differences, keep=BookingDetail.keep_theirs, overwrite=BookingDetail.save_mine),
        rx.el.section(
            rx.el.h2("Edit details", id="details-heading"),
            rx.el.form(
                field(DETAIL_LABELS["fullname"], "fullname", form=form, error=errors["fullname"], max_length=120,
                      default_value=draft["fullname"], auto_complete="off"),
                field(DETAIL_LABELS["phonenumber"], "phonenumber", form=form, error=errors["phonenumber"], type="tel",
                      max_length=PHONE_LENGTH, default_value=draft["phonenumber"], auto_complete="off"),
                field(DETAIL_LABELS["emailaddress"], "emailaddress", form=form, error=errors["emailaddress"],
                      type="email", optional="optional", max_length=EMAIL_LENGTH, default_value=draft["emailaddress"],
                      auto_complete="off"),
                text_area(DETAIL_LABELS["message"], "message", form=form, error=errors["message"], optional="optional",
                          rows="5", max_length=MESSAGE_LENGTH, default_value=draft["message"]),
                rx.el.div(
                    button("Save", type="submit"),
                    button("Cancel", tone="ghost", on_click=BookingDetail.close_panel, custom_attrs=DISCARDS),
                    class_name="office-row",
                ),
                keep_draft("details", BookingDetail.reference),
                on_submit=BookingDetail.save_details,
                custom_attrs={"noValidate": True},
                class_name="office-form",
            ),
            FocusWhen.create(when=BookingDetail.panel == "edit", target="details-fullname"),
            class_name="office-card",
            aria_labelledby="details-heading",
        ),
    )  # fmt: skip


def _notes() -> rx.Component:
    return note_card(
        NOTE_FORM, BookingDetail.reference, BookingDetail.errors["note"],
        longest=NOTE_LENGTH, permission=Permission.WORK_BOOKINGS, keep=BookingDetail.add_note,
    )  # fmt: skip


def _cancel_dialog() -> rx.Component:
    return dialog(
        "cancel-heading",
        "Cancel this booking?",
        rx.el.p(BookingDetail.summary["when"], ". The time becomes free again."),
        rx.el.form(
            field("Reason", "reason", form="cancel", error=BookingDetail.errors["reason"], optional="for staff only",
                  max_length=CANCELLATION_REASON_LENGTH, auto_complete="off"),
            _notify_checkbox("Notify the client by e-mail"),
            _problem(),
            rx.el.div(
                button("Yes, cancel booking", type="submit"),
                button("Keep booking", tone="ghost", on_click=BookingDetail.close_panel, custom_attrs=DISCARDS),
                class_name="office-row",
            ),
            keep_draft("cancel", BookingDetail.reference),
            on_submit=BookingDetail.cancel,
        ),
        is_open=BookingDetail.panel == "cancel",
        on_cancel=BookingDetail.close_panel,
    )  # fmt: skip


def _reinstate_dialog() -> rx.Component:
    return dialog(
        "confirm-heading",
        "Reinstate this booking?",
        rx.el.p("It gets its time again, ", BookingDetail.summary["when"], ", if that is still free."),
        rx.el.form(
            _notify_checkbox("Notify the client by e-mail"),
            _problem(),
            rx.el.div(
                button("Yes, reinstate booking", type="submit"),
                button(
                    "Keep cancelled", tone="ghost", on_click=BookingDetail.close_panel, custom_attrs=DISCARDS
                ),
                class_name="office-row",
            ),
            keep_draft("confirm", BookingDetail.reference),
            on_submit=BookingDetail.reinstate,
        ),
        is_open=BookingDetail.panel == "reinstate",
        on_cancel=BookingDetail.close_panel,
    )


def _notify_checkbox(label: str) -> rx.Component:
    """Whether the client gets an e-mail; without an address, the number to call."""
    summary = BookingDetail.summary
    return rx.cond(
        summary["email"] != "",
        rx.el.label(
            rx.el.input(type="checkbox", name="tell", default_checked=True), label, class_name="office-tick"
        ),
        rx.el.p("No e-mail address. Please call ", summary["phone_label"], ".", class_name="office-note"),
    )


def _problem() -> rx.Component:
    return rx.cond(BookingDetail.problem != "", notice(BookingDetail.problem, tone="error"), rx.fragment())


BOOKING_DETAIL = Screen(
    path="/admin/booking",
    title="Booking",
    permission=Permission.SEE_BOOKINGS,
    body=_page,
    on_load=(BookingDetail.open_booking,),
    under=LIST,
)
