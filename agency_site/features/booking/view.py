"""Components of the booking page and of a booking's private page."""

import reflex as rx

from agency_site.features.booking.state import BookingForm, ManagedBooking, SlotPicker
from agency_site.site.layout.private_link import change_result, private_link_page, unknown_link
from agency_site.ui.behaviours import FocusWhen, ModalDialog, ResetAfter
from agency_site.ui.blocks import fact
from agency_site.ui.calendar import DayGrid
from agency_site.ui.elements import button, link_button, notice, skeleton
from agency_site.ui.form_guard import SubmitButton, guard, waiting_line
from agency_site.ui.forms import field, small_print, text_area

_FORM = "booking"
_FORM_ID = "booking-form"
_WAIT = "booking-wait"


def booking_panels() -> rx.Component:
    """Form left, calendar and slots right; on phones the button follows the slots, where the choice ends."""
    return rx.el.div(
        rx.el.div(
            rx.el.h2("Your details", class_name="text-subheading mb-5"),
            _form(),
            class_name="panel booking-form",
        ),
        rx.el.div(
            rx.el.h2("Choose a time", class_name="sr-only"),
            slot_picker(BookingForm),
            class_name="panel booking-times",
        ),
        rx.el.div(
            _submit(),
            waiting_line(_WAIT),
            small_print("By booking you accept our"),
            _outcome(),
            class_name="panel booking-submit",
        ),
        class_name="booking-grid",
    )


def _form() -> rx.Component:
    errors = BookingForm.errors
    return rx.el.form(
        field("Full Name", "fullname", form=_FORM, error=errors["fullname"], auto_complete="name", max_length=120),
        field(
            "Email Address", "emailaddress", form=_FORM, error=errors["emailaddress"],
            type="email", auto_complete="email", max_length=254,
        ),
        field(
            "Phone Number", "phonenumber", form=_FORM, error=errors["phonenumber"], type="tel", auto_complete="tel",
            max_length=32, placeholder="0712 345 678",
        ),
        text_area(
            "Message", "message", form=_FORM, error=errors["message"], optional="optional", rows="4", max_length=2000
        ),
        # What is sent is the day and the time of the state; here they distinguish one submit from another.
        rx.el.input(type="hidden", name="date", value=BookingForm.date),
        rx.el.input(type="hidden", name="time", value=BookingForm.time),
        guard(_WAIT),
        id=_FORM_ID,
        on_mount=BookingForm.begin,
        on_submit=BookingForm.submit,
        custom_attrs={"noValidate": True},
        aria_label="Book a consultation",
    )  # fmt: skip


def _submit() -> rx.Component:
    return SubmitButton.create(
        rx.cond(BookingForm.time != "", "Book at " + BookingForm.time, "Select Time to Book"),
        busy="Booking...",
        answers=BookingForm.answers,
        disabled=BookingForm.time == "",
        form=_FORM_ID,
        class_name="button w-full",
    )


def _outcome() -> rx.Component:
    return rx.el.div(
        rx.cond(
            BookingForm.failure != "",
            notice(
                rx.el.p(BookingForm.failure, class_name="font-semibold"),
                tone="error",
                id="booking-failed",
            ),
        ),
        rx.cond(BookingForm.reference != "", _confirmed()),
        FocusWhen.create(when=BookingForm.reference, target="booking-done"),
        ResetAfter.create(when=BookingForm.round, target=_FORM_ID),
        class_name="mt-5 empty:hidden",
    )


def _confirmed() -> rx.Component:
    return notice(
        rx.el.p("Booking confirmed! We will get back to you shortly.", class_name="font-semibold"),
        rx.el.p(
            BookingForm.booked_for, ", Nairobi time. Your reference is ", rx.el.strong(BookingForm.reference),
            ". An invitation for your calendar is on its way by e-mail.",
            class_name="mt-2",
        ),
        rx.el.p(rx.el.a("Move or cancel this booking", href=BookingForm.manage_link, class_name="link"), class_name="mt-2"),
        tone="success",
        id="booking-done",
    )  # fmt: skip


def managed_booking() -> rx.Component:
    unknown = unknown_link("We know no booking under this link.", link_button("Book a Consultation", "/book"))
    return private_link_page(ManagedBooking, _booking(), unknown, on_mount=ManagedBooking.begin)


def _booking() -> rx.Component:
    state = ManagedBooking
    return rx.fragment(
        rx.el.h1("Your consultation"),
        change_result(state.failure, state.done),
        rx.el.dl(
            fact("When", state.when + ", Nairobi time"),
            fact("Reference", state.reference),
            fact("Name", state.fullname),
            fact("Status", state.state),
            class_name="panel grid gap-y-3",
        ),
        rx.cond(state.changeable, _actions(), link_button("Book a new time", "/book", class_name="mt-6")),
        rx.cond(state.moving, _move_panel()),
        _cancel_dialog(),
    )


def _actions() -> rx.Component:
    return rx.el.div(
        button("Move to another time", on_click=ManagedBooking.start_moving),
        button("Cancel the booking", tone="ghost", on_click=ManagedBooking.ask_to_cancel),
        class_name="flex flex-wrap gap-3 mt-6",
    )


def _move_panel() -> rx.Component:
    state = ManagedBooking
    return rx.el.section(
        rx.el.h2("Choose the new time", class_name="text-subheading mb-5", id="move-heading"),
        slot_picker(state),
        rx.el.div(
            button(
                rx.cond(state.time != "", "Move to " + state.time, "Select a time"),
                disabled=state.time == "",
                on_click=state.confirm_move,
            ),
            button("Keep the old time", tone="ghost", on_click=state.keep),
            class_name="flex flex-wrap gap-3 mt-6",
        ),
        FocusWhen.create(when=state.moving, target="move-heading"),
        class_name="panel mt-6",
        aria_labelledby="move-heading",
    )


def _cancel_dialog() -> rx.Component:
    state = ManagedBooking
    return ModalDialog.create(
        rx.el.div(
            rx.el.h2("Cancel this booking?", class_name="text-subheading", id="cancel-heading"),
            rx.el.p(
                state.when, ", Nairobi time. The time goes back to the calendar.", class_name="mt-3 mb-6"
            ),
            rx.el.div(
                button("Yes, cancel it", on_click=state.confirm_cancel),
                button("Keep it", tone="ghost", on_click=state.keep),
                class_name="flex flex-wrap gap-3",
            ),
            class_name="p-7",
        ),
        open=state.asking,
        on_dismiss=state.keep,
        class_name="dialog",
        custom_attrs={"aria-labelledby": "cancel-heading"},
    )


def slot_picker(state: type[SlotPicker]) -> rx.Component:
    """Calendar and slots side by side with the form; stacked on phones."""
    return rx.fragment(
        rx.el.div(
            rx.cond(state.days, rx.fragment(), _calendar_placeholder()),
            DayGrid.create(
                days=state.days, selected=state.date, today=state.today, on_choose=state.choose_date
            ),
            class_name="calendar",
        ),
        rx.el.h3(
            rx.cond(state.date_spoken != "", state.date_spoken + ", Nairobi time", "Times"),
            class_name="mt-4 mb-3",
        ),
        _slot_buttons(state),
    )


def _calendar_placeholder() -> rx.Component:
    return rx.el.div(
        rx.el.noscript(
            rx.el.p("The calendar needs scripts. Please call us and we will book for you.", class_name="mb-4")
        ),
        skeleton("h-11 w-52 max-w-full mb-4"),
        skeleton("h-[400px]"),
    )


def _slot_buttons(state: type[SlotPicker]) -> rx.Component:
    return rx.el.div(
        rx.cond(
            state.loading,
            rx.el.div(
                *(skeleton("h-[52px]") for _ in range(3)),
                class_name="slots",
                custom_attrs={"data-testid": "slots-loading"},
            ),
            rx.cond(
                state.slots,
                rx.el.div(
                    rx.foreach(
                        state.slots,
                        lambda slot: rx.el.button(
                            slot.time,
                            key=slot.time,
                            type="button",
                            on_click=state.choose_time(slot.time),
                            aria_pressed=rx.cond(state.time == slot.time, "true", "false"),
                            class_name="slot",
                        ),
                    ),
                    role="group",
                    aria_label="Available times",
                    class_name="slots",
                ),
                rx.el.p("No available times", class_name="font-semibold py-3"),
            ),
        ),
        rx.el.p(_announcement(state), class_name="sr-only", role="status"),
        class_name="min-h-[64px]",
    )


def _announcement(state: type[SlotPicker]) -> rx.Var[str]:
    count = state.slots.length()
    some = rx.cond(count == 1, "1 time available", count.to_string() + " times available")
    free = rx.cond(state.slots, some, "no times free")
    return rx.cond(state.loading, "Loading times", state.date_spoken + ": " + free)
