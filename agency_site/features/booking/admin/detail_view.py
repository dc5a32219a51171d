"""How a booking's page looks: what it is on top, what can be done, details left, notes and history right."""

from typing import Any

import reflex as rx

from agency_site.auth.rules import Right
from agency_site.backoffice.behaviours import Print
from agency_site.backoffice.detail_page import fact, history_card, note_card, nothing_chosen
from agency_site.backoffice.drafts import DISCARDS, keep_draft
from agency_site.backoffice.edit_conflicts import conflict_panel
from agency_site.backoffice.intervals import LOOK_MS
from agency_site.backoffice.screens import Screen
from agency_site.backoffice.state import may
from agency_site.features.booking.admin.detail import BookingFile
from agency_site.features.booking.admin.detail_dialogs import cancelling, confirming, tell_box
from agency_site.features.booking.admin.labels import DETAIL_LABELS
from agency_site.features.booking.admin.printout import consultation_sheet
from agency_site.features.booking.admin.slot_finder import slot_finder
from agency_site.features.booking.admin.toolbar import ADD, LIST
from agency_site.features.booking.request import MESSAGE_LENGTH
from agency_site.features.booking.staff_usecases import NOTE_LENGTH
from agency_site.form_input import EMAIL_LENGTH, PHONE_LENGTH
from agency_site.ui.behaviours import FocusWhen, Interval
from agency_site.ui.elements import Tone, button, notice, text_link
from agency_site.ui.forms import field, text_area
from agency_site.ui.icon import icon

NOTE_FORM = "booking-note"


def _page() -> rx.Component:
    return rx.el.div(
        Interval.create(every=LOOK_MS, active=BookingFile.reference != "", on_tick=BookingFile.look_again),
        rx.cond(BookingFile.reference != "", _booking(), _nothing()),
        class_name="desk-file",
    )


def _nothing() -> rx.Component:
    return nothing_chosen(
        "This page shows one booking. Choose it in the list, or search for its reference above.",
        "All bookings",
        LIST,
    )


def _booking() -> rx.Component:
    return rx.fragment(
        _head(),
        rx.cond(BookingFile.panel == "move", _moving(), rx.fragment()),
        rx.el.div(
            rx.el.div(rx.cond(BookingFile.panel == "details", _correcting(), _details()), _notes()),
            history_card(BookingFile.lines, "Notes and history"),
            class_name="office-columns",
        ),
        cancelling(),
        confirming(),
        consultation_sheet(),
    )


def _head() -> rx.Component:
    facts = BookingFile.facts
    return rx.el.section(
        rx.el.div(
            rx.el.p(
                rx.el.strong(BookingFile.reference),
                rx.el.span(facts["standing"], class_name="office-tone office-tone-" + facts["tone"]),
                class_name="desk-reference",
            ),
            rx.el.h2(facts["fullname"]),
            rx.el.p(facts["when"], class_name="desk-when"),
        ),
        _steps(),
        rx.cond(
            BookingFile.misplaced,
            notice(
                "No consultations are offered at this time any more. The booking stands; move it or call the client.",
                class_name="desk-misplaced",
            ),
            rx.fragment(),
        ),
        class_name="office-card desk-head",
        aria_label="Booking",
    )


def _steps() -> rx.Component:
    again = f"{ADD}?from=" + BookingFile.reference
    return rx.el.div(
        rx.cond(
            may(Right.WORK_BOOKINGS),
            rx.fragment(
                _step("complete", "Complete", "ink", BookingFile.complete),
                _step("no_show", "No-show", "ghost", BookingFile.no_show),
                _step("confirm", "Confirm again", "ink", BookingFile.start("confirm")),
                _step("move", "Move", "ink", BookingFile.start("move")),
                _step("cancel", "Cancel the booking", "ghost", BookingFile.start("cancel")),
                rx.cond(
                    BookingFile.steps.contains("correct"),
                    rx.el.a("Book again", href=again, class_name="office-quiet"),
                    rx.fragment(),
                ),
            ),
            rx.fragment(),
        ),
        Print.create(icon("download", size=18), label="Print the sheet", class_name="office-quiet"),
        class_name="office-row",
    )


def _step(name: str, label: str, tone: Tone, press: Any) -> rx.Component:
    return rx.cond(
        BookingFile.steps.contains(name),
        button(label, tone=tone, class_name="button-small", on_click=press),
        rx.fragment(),
    )


def _moving() -> rx.Component:
    return rx.el.section(
        rx.el.h2("Move to another time", id="move-heading"),
        rx.el.form(
            slot_finder(BookingFile, legend="Free times"),
            tell_box("Tell the client the new time by e-mail"),
            rx.el.div(
                button("Move the booking", type="submit"),
                button("Leave it", tone="ghost", on_click=BookingFile.stop, custom_attrs=DISCARDS),
                class_name="office-row",
            ),
            keep_draft("move", BookingFile.reference),
            on_submit=BookingFile.move,
            class_name="desk-form-wide",
        ),
        FocusWhen.create(when=BookingFile.panel == "move", target="move-heading"),
        class_name="office-card",
        aria_labelledby="move-heading",
    )


def _details() -> rx.Component:
    facts = BookingFile.facts
    return rx.el.section(
        rx.el.div(
            rx.el.h2("Details"),
            rx.cond(
                may(Right.WORK_BOOKINGS) & BookingFile.steps.contains("correct"),
                button("Correct", tone="ghost", class_name="button-small", on_click=BookingFile.start("details")),
                rx.fragment(),
            ),
            class_name="office-spread",
        ),
        rx.el.dl(
            fact("Name", facts["fullname"]),
            fact("Phone", text_link(facts["dialled"], "tel:" + facts["phone"]), shown=facts["phone"] != ""),
            fact("E-mail", text_link(facts["email"], "mailto:" + facts["email"]), shown=facts["email"] != ""),
            fact("E-mail", "None: the client gets no mail.", shown=facts["email"] == ""),
            fact("Booked on", facts["booked"]),
            fact("Changed", facts["changed"], shown=facts["changed"] != ""),
            class_name="office-facts",
        ),
        rx.el.h3("What it is about"),
        rx.el.p(
            rx.cond(facts["message"] != "", facts["message"], "The client did not say."), class_name="office-said-text"
        ),
        class_name="office-card desk-details",
    )  # fmt: skip


def _correcting() -> rx.Component:
    draft, errors, form = BookingFile.draft, BookingFile.errors, "details"
    found: Any = BookingFile.found
    return rx.fragment(
        conflict_panel(found, keep=BookingFile.keep_theirs, overwrite=BookingFile.save_mine),
        rx.el.section(
            rx.el.h2("Correct the details", id="details-heading"),
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
                    button("Leave it", tone="ghost", on_click=BookingFile.stop, custom_attrs=DISCARDS),
                    class_name="office-row",
                ),
                keep_draft("details", BookingFile.reference),
                on_submit=BookingFile.correct,
                custom_attrs={"noValidate": True},
                class_name="office-form",
            ),
            FocusWhen.create(when=BookingFile.panel == "details", target="details-fullname"),
            class_name="office-card",
            aria_labelledby="details-heading",
        ),
    )  # fmt: skip


def _notes() -> rx.Component:
    return note_card(
        NOTE_FORM, BookingFile.reference, BookingFile.errors["note"],
        longest=NOTE_LENGTH, right=Right.WORK_BOOKINGS, keep=BookingFile.add_note,
    )  # fmt: skip


BOOKING_FILE = Screen(
    path="/admin/booking",
    title="Booking",
    right=Right.SEE_BOOKINGS,
    body=_page,
    on_load=(BookingFile.open_booking,),
    under=LIST,
)
