"""Components of the booking page and of a booking's private page."""

from collections.abc import Callable
from functools import partial
from typing import Any

import reflex as rx

from agency_site.features.booking.state import CONFIRMED, BookingForm, ManagedBooking, SlotPicker
from agency_site.site.layout.private_link import change_result, private_link_page, unknown_link
from agency_site.ui.behaviours import FocusWhen, ModalDialog, ResetAfter
from agency_site.ui.blocks import fact
from agency_site.ui.calendar import DayGrid, month_of_buttons
from agency_site.ui.elements import Tone, button, link_button, notice, skeleton
from agency_site.ui.form_guard import SubmitButton, guard, waiting_line
from agency_site.ui.forms import field, field_error, sent_mark, small_print, text_area
from agency_site.ui.local_time import LocalTime
from agency_site.ui.page_region import PageRegion
from agency_site.ui.values import choose, entry_of

STEP = "show"
"""Name of the buttons that choose a day or a month; their values are queries."""
_FORM = "booking"
_FORM_ID = "booking-form"
_BOOK_THIS_TIME = "Book this time"
_WAIT = "booking-wait"


def booking_panels() -> rx.Component:
    """One form: details left, calendar and slots right; on phones the button follows the slots, where the choice ends.

    Text browsers know only what lies inside of a form.
    """
    shown = (BookingForm.days.length() > 0) & ~BookingForm.loading
    return rx.el.form(
        rx.el.div(
            rx.el.h2("Your details", class_name="text-subheading mb-5"),
            PageRegion.create(booking_fields(), name="booking"),
            class_name="panel booking-details",
        ),
        rx.el.div(
            rx.el.h2("Choose a time", class_name="sr-only", id="times"),
            PageRegion.create(slot_picker(BookingForm), _chosen_slot(), name="times", ready=shown),
            class_name="panel booking-times",
        ),
        rx.el.div(
            PageRegion.create(_submit(), name="submit", ready=shown),
            waiting_line(_WAIT),
            small_print("By booking you accept our"),
            PageRegion.create(booking_outcome(), name="outcome"),
            class_name="panel booking-submit",
        ),
        id=_FORM_ID,
        action="/book#outcome",
        method="post",
        on_mount=BookingForm.begin,
        on_submit=BookingForm.submit,
        custom_attrs={"noValidate": True},
        aria_label="Book a consultation",
        class_name="booking-grid",
    )


def booking_fields(state: BookingForm | type[BookingForm] = BookingForm) -> rx.Component:
    """Who books, and what about. Day and time are chosen beside it."""
    error = partial(entry_of, state.errors)
    return rx.fragment(
        field("Full Name", "fullname", form=_FORM, error=error("fullname"), auto_complete="name", max_length=120),
        field(
            "Email Address", "emailaddress", form=_FORM, error=error("emailaddress"),
            type="email", auto_complete="email", max_length=254,
        ),
        field(
            "Phone Number", "phonenumber", form=_FORM, error=error("phonenumber"), type="tel", auto_complete="tel",
            max_length=32, placeholder="0712 345 678",
        ),
        text_area(
            "Message", "message", form=_FORM, error=error("message"), optional="optional", rows="4", max_length=2000
        ),
        guard(state, _WAIT),
    )  # fmt: skip


def _chosen_slot() -> rx.Component:
    # What is sent over the socket is the day and the time of the state; here they distinguish one submit from another.
    return rx.fragment(
        rx.el.input(type="hidden", name="date", value=BookingForm.date),
        rx.el.input(type="hidden", name="time", value=BookingForm.time),
    )


def _submit() -> rx.Component:
    return SubmitButton.create(
        rx.cond(BookingForm.time != "", "Book at " + BookingForm.time, "Select Time to Book"),
        busy="Booking...",
        disabled=BookingForm.time == "",
        class_name="button w-full",
    )


def served_times(state: BookingForm, month: str) -> rx.Component:
    """Days and times of the booking page as the server draws them."""
    error = entry_of(state.errors, "time")
    return _served_slot_picker(state, "/book?", month, _BOOK_THIS_TIME, error)


def served_submit(state: BookingForm) -> rx.Component:
    """The button of a page without scripts, which cannot follow the choice."""
    label = _BOOK_THIS_TIME if state.slots else "Choose another day to book"
    return button(label, type="submit", disabled=not state.slots, class_name="w-full")


def booking_outcome(state: BookingForm | type[BookingForm] = BookingForm) -> rx.Component:
    """Why the last submit was refused, or what was booked."""
    return rx.el.div(
        choose(
            state.failure != "",
            notice(
                rx.el.p(state.failure, class_name="font-semibold"),
                tone="error",
                id="booking-failed",
            ),
        ),
        choose(state.reference != "", _confirmed(state)),
        FocusWhen.create(when=state.reference, target="booking-done"),
        ResetAfter.create(when=state.round, target=_FORM_ID),
        id="outcome",
        class_name="mt-5 empty:hidden",
    )


def _confirmed(state: BookingForm | type[BookingForm]) -> rx.Component:
    return notice(
        rx.el.p(CONFIRMED, class_name="font-semibold"),
        rx.el.p(
            state.booked_for, ", Nairobi time. Your reference is ", rx.el.strong(state.reference),
            ". An invitation for your calendar is on its way by e-mail.",
            LocalTime.create(moment=state.booked_moment),
            class_name="mt-2",
        ),
        rx.el.p(rx.el.a("Move or cancel this booking", href=state.manage_link, class_name="link"), class_name="mt-2"),
        tone="success",
        id="booking-done",
    )  # fmt: skip


def managed_booking() -> rx.Component:
    return private_link_page(ManagedBooking, _booking(), UNKNOWN_BOOKING, on_mount=ManagedBooking.begin)


def _booking() -> rx.Component:
    state = ManagedBooking
    return rx.fragment(
        _facts(state),
        rx.cond(state.changeable, _actions(), _BOOK_ANEW),
        rx.cond(state.moving, _move_panel()),
        _cancel_dialog(),
    )


def served_booking(state: ManagedBooking, *, link: str, asks: str = "", month: str = "") -> rx.Component:
    """The private page as the server draws it: `asks` names the open question, "move", "cancel" or none.

    `link` is its address.
    """
    if not state.changeable:
        return rx.fragment(_facts(state), _BOOK_ANEW)
    panels = {"move": lambda: _served_move(state, link, month), "cancel": lambda: _served_cancel(state, link)}
    return rx.fragment(_facts(state), _served_actions(link), panels.get(asks, rx.fragment)())


UNKNOWN_BOOKING = unknown_link(
    "We know no booking under this link.", link_button("Book a Consultation", "/book")
)
_BOOK_ANEW = link_button("Book a new time", "/book", class_name="mt-6")
_MOVE, _CANCEL = "Move to another time", "Cancel the booking"


def _facts(state: ManagedBooking | type[ManagedBooking]) -> rx.Component:
    return rx.fragment(
        rx.el.h1("Your consultation"),
        change_result(state.failure, state.done),
        rx.el.dl(
            fact("When", rx.fragment(state.when + ", Nairobi time", LocalTime.create(moment=state.moment))),
            fact("Reference", state.reference),
            fact("Name", state.fullname),
            fact("Status", state.state),
            class_name="panel grid gap-y-3",
        ),
    )


def _actions() -> rx.Component:
    return rx.el.div(
        button(_MOVE, id="move-booking", on_click=ManagedBooking.start_moving),
        button(_CANCEL, id="cancel-booking", tone="ghost", on_click=ManagedBooking.ask_to_cancel),
        class_name="flex flex-wrap gap-3 mt-6",
    )


def _served_actions(link: str) -> rx.Component:
    return rx.el.div(
        _later_button(_MOVE, f"{link}?move#move-heading", "#move-booking"),
        _later_button(_CANCEL, f"{link}?cancel#cancel-heading", "#cancel-booking", tone="ghost"),
        class_name="flex flex-wrap gap-3 mt-6",
    )


def _later_button(label: str, href: str, again: str, tone: Tone = "brand") -> rx.Component:
    """A link of the served page that becomes a button, found by `again`, once the page is hydrated."""
    return link_button(label, href, tone, custom_attrs={"data-again": again})


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


def _served_move(state: ManagedBooking, link: str, month: str) -> rx.Component:
    label = f"Move to {state.time or 'the chosen time'}"
    return rx.el.form(
        rx.el.h2("Choose the new time", class_name="text-subheading mb-5", id="move-heading"),
        _served_slot_picker(state, f"{link}/move?", month, label),
        rx.el.div(
            button(label, type="submit", disabled=not state.slots),
            link_button("Keep the old time", link, tone="ghost"),
            class_name="flex flex-wrap gap-3 mt-6",
        ),
        action=f"{link}/move",
        method="post",
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


def _served_cancel(state: ManagedBooking, link: str) -> rx.Component:
    return rx.el.form(
        rx.el.h2("Cancel this booking?", class_name="text-subheading", id="cancel-heading"),
        rx.el.p(f"{state.when}, Nairobi time. The time goes back to the calendar.", class_name="mt-3 mb-6"),
        rx.el.div(
            button("Yes, cancel it", type="submit"),
            sent_mark(),
            link_button("Keep it", link, tone="ghost"),
            class_name="flex flex-wrap gap-3",
        ),
        action=f"{link}/cancel",
        method="post",
        class_name="panel mt-6",
        aria_labelledby="cancel-heading",
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
        rx.el.p(LocalTime.create(moment=state.chosen_moment), class_name="mt-3 empty:hidden", role="status"),
    )


def _served_slot_picker(
    state: SlotPicker, address: str, month: str, label: str, error: str = ""
) -> rx.Component:
    """The same as the server draws it, inside the form that the button `label` submits.

    Days submit that form too, to `address` with the query that names them, so that nothing typed is lost.
    """

    def step(query: str) -> dict[str, Any]:
        # Text browsers know no address of a button: they send its value.
        return {
            "type": "submit", "name": STEP, "value": query, "form_action": f"{address}{query}#times",
            "form_no_validate": True,
        }  # fmt: skip

    return rx.fragment(
        _default_submit(label, disabled=not state.slots),
        rx.el.div(
            month_of_buttons(
                state.days,
                selected=state.date,
                month=month,
                choose_day=lambda day: step(f"date={day}"),
                choose_month=lambda other: step(f"date={state.date}&month={other}"),
            ),
            class_name="calendar",
        ),
        rx.el.h3(f"{state.date_spoken}, Nairobi time", class_name="mt-4 mb-3"),
        _served_slots(state) if state.slots else _served_next(state, step),
        field_error(error, "booking-time-error"),
        rx.el.input(type="hidden", name="date", value=state.date),
    )


def _default_submit(label: str, *, disabled: bool) -> rx.Component:
    # Enter in a field uses the first submit button of the form, which would be a month's.
    return rx.el.button(
        label, type="submit", disabled=disabled, tab_index=-1, aria_hidden="true", class_name="sr-only"
    )


def _served_slots(state: SlotPicker) -> rx.Component:
    return rx.el.div(
        *(
            rx.el.label(
                rx.el.input(
                    type="radio", name="time", value=slot.time, required=True, default_checked=slot.time == state.time
                ),
                slot.time,
                class_name="slot",
            )
            for slot in state.slots
        ),
        role="radiogroup",
        aria_label="Available times",
        class_name="slots min-h-[64px]",
    )  # fmt: skip


def _served_next(state: SlotPicker, step: Callable[[str], dict[str, Any]]) -> rx.Component:
    if not state.next_date:
        return _no_times(rx.fragment())
    query = f"date={state.next_date}&time={state.next_time}"
    again = {"data-again": "#next-free"}
    return _no_times(button(f"Next free time: {state.next_spoken}", custom_attrs=again, **step(query)))


def _no_times(elsewhere: rx.Component) -> rx.Component:
    return rx.el.div(
        rx.el.p("No available times", class_name="font-semibold py-3"), elsewhere, class_name="min-h-[64px]"
    )


def _next_free(state: type[SlotPicker]) -> rx.Component:
    return rx.cond(
        state.next_date != "",
        button("Next free time: " + state.next_spoken, id="next-free", on_click=state.choose_next_free),
    )


def _calendar_placeholder() -> rx.Component:
    return rx.el.div(skeleton("h-11 w-52 max-w-full mb-4"), skeleton("h-[400px]"))


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
                            name="time",
                            value=slot.time,
                            on_click=state.choose_time(slot.time),
                            aria_pressed=rx.cond(state.time == slot.time, "true", "false"),
                            class_name="slot",
                        ),
                    ),
                    role="group",
                    aria_label="Available times",
                    class_name="slots",
                ),
                _no_times(_next_free(state)),
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
