"""What a booking's page asks before a booking is cancelled or confirmed again, and whether the client is told."""

import reflex as rx

from agency_site.backoffice.dialogs import question
from agency_site.backoffice.drafts import DISCARDS, keep_draft
from agency_site.features.booking.admin.detail import BookingFile
from agency_site.features.booking.staff_transitions import REASON_LENGTH
from agency_site.ui.elements import button, notice
from agency_site.ui.forms import field


def cancelling() -> rx.Component:
    """The question before it is cancelled."""
    return question(
        "cancel-heading",
        "Cancel this booking?",
        rx.el.p(BookingFile.facts["when"], ". The time becomes free for somebody else."),
        rx.el.form(
            field("Reason", "reason", form="cancel", error=BookingFile.errors["reason"], optional="for staff only",
                  max_length=REASON_LENGTH, auto_complete="off"),
            tell_box("Tell the client by e-mail"),
            _refused(),
            rx.el.div(
                button("Yes, cancel it", type="submit"),
                button("Keep it", tone="ghost", on_click=BookingFile.stop, custom_attrs=DISCARDS),
                class_name="office-row",
            ),
            keep_draft("cancel", BookingFile.reference),
            on_submit=BookingFile.cancel,
        ),
        opens=BookingFile.panel == "cancel",
        leave=BookingFile.stop,
    )  # fmt: skip


def confirming() -> rx.Component:
    """The question before it is confirmed again."""
    return question(
        "confirm-heading",
        "Confirm this booking again?",
        rx.el.p("It gets back its time, ", BookingFile.facts["when"], ", if that is still free."),
        rx.el.form(
            tell_box("Tell the client by e-mail"),
            _refused(),
            rx.el.div(
                button("Yes, confirm it", type="submit"),
                button("Leave it cancelled", tone="ghost", on_click=BookingFile.stop, custom_attrs=DISCARDS),
                class_name="office-row",
            ),
            keep_draft("confirm", BookingFile.reference),
            on_submit=BookingFile.confirm,
        ),
        opens=BookingFile.panel == "confirm",
        leave=BookingFile.stop,
    )


def tell_box(label: str) -> rx.Component:
    """The box that decides whether the client gets a mail; without an address, the number to call."""
    facts = BookingFile.facts
    return rx.cond(
        facts["email"] != "",
        rx.el.label(
            rx.el.input(type="checkbox", name="tell", default_checked=True), label, class_name="office-tick"
        ),
        rx.el.p("There is no e-mail address. Please call ", facts["dialled"], ".", class_name="office-note"),
    )


def _refused() -> rx.Component:
    return rx.cond(BookingFile.problem != "", notice(BookingFile.problem, tone="error"), rx.fragment())
