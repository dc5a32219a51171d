"""Components of the booking page, and the calendar that it shares with moving a booking."""

from collections.abc import Callable
from functools import partial
from typing import Any

import reflex as rx

from agency_site.features.booking.booking_page.state import CONFIRMED, BookingForm, DayTimes, SlotPicker
from agency_site.features.booking.bookings.rules import SERVICE_NAMES
from agency_site.ui.behaviours import FocusWhen, ResetAfter
from agency_site.ui.calendar import DayGrid, month_of_buttons
from agency_site.ui.choices import text_reminder_tick
from agency_site.ui.elements import button, notice, served_link, skeleton
from agency_site.ui.form_guard import SubmitButton, guard, waiting_line
from agency_site.ui.forms import Option, field, field_error, select_field, small_print, text_area
from agency_site.ui.local_time import LocalTime
from agency_site.ui.page_region import PageRegion
from agency_site.ui.values import cond, count, entry_of

STEP = "show"
"""The name of the buttons that choose a day or a month. Their values are queries."""

_FORM = "booking"

_FORM_ID = "booking-form"

_SELECT_TIME = "Select Time to Book"

_WAIT = "booking-wait"


def booking_panels() -> rx.Component:
    """One form with the details on the left, calendar and slots on the right. On phones the button follows the slots."""
    # Everything is inside the form, because text browsers ignore the `form` attribute of controls outside it.
    is_ready = (BookingForm.days.length() > 0) & ~BookingForm.loading
    return rx.el.form(
        rx.el.div(
            rx.el.h2("Your details", class_name="text-subheading mb-5"),
            PageRegion.create(booking_fields(), name="booking"),
            class_name="panel booking-details",
        ),
        rx.el.div(
            rx.el.h2("Choose a time", class_name="sr-only", id="times"),
            PageRegion.create(
                meeting_choices(),
                slot_picker(BookingForm),
                _chosen_slot_fields(),
                name="times",
                ready=is_ready,
            ),
            class_name="panel booking-times",
        ),
        rx.el.div(
            PageRegion.create(_submit_button(), name="submit", ready=is_ready),
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
    """The fields of the client and the topic. Day and time are chosen beside them."""
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
        text_reminder_tick("smsreminders"),
        select_field(
            "Service", "service",
            [
                rx.el.option("Not sure yet", value=""),
                *(rx.el.option(name, value=slug) for slug, name in SERVICE_NAMES.items()),
            ],
            form=_FORM, error=error("service"), optional="optional", default_value="",
        ),
        text_area(
            "Message", "message", form=_FORM, error=error("message"), optional="optional", rows="4", max_length=2000
        ),
        guard(state, _WAIT),
    )  # fmt: skip


def meeting_choices(state: BookingForm | type[BookingForm] = BookingForm) -> rx.Component:
    """The choices of a way and a person, which decide the times that are free."""
    error = partial(entry_of, state.errors)
    with_whom = select_field(
        "With", "person", _draw_options(state.persons), form=_FORM, error=error("person"),
        value=state.person, on_change=BookingForm.choose_person,
    )  # fmt: skip
    note = rx.el.p(state.person_note, class_name="mb-4 font-semibold", role="status")
    return rx.el.div(
        cond(state.person_note != "", note),
        select_field(
            "How", "way", _draw_options(state.ways), form=_FORM, error=error("way"),
            value=state.way, on_change=BookingForm.choose_way,
        ),
        cond(count(state.persons) > 0, with_whom, rx.fragment()),
        class_name="grid gap-x-4 sm:grid-cols-2 mb-2",
    )  # fmt: skip


def _draw_options(options: Any) -> list[rx.Component]:
    def draw(option: Option) -> rx.Component:
        return rx.el.option(option.text, value=option.value, key=option.value)

    return (
        [rx.foreach(options, draw)] if isinstance(options, rx.Var) else [draw(option) for option in options]
    )


def _chosen_slot_fields() -> rx.Component:
    # The socket event books the day and time of the state. These fields only make two submits differ from each other.
    return rx.fragment(
        rx.el.input(type="hidden", name="date", value=BookingForm.date),
        rx.el.input(type="hidden", name="time", value=BookingForm.time),
    )


def _submit_button() -> rx.Component:
    return SubmitButton.create(
        rx.cond(BookingForm.time != "", "Book at " + BookingForm.time, _SELECT_TIME),
        busy="Booking...",
        disabled=BookingForm.time == "",
        class_name="button w-full",
    )


def served_times(state: BookingForm, month: str) -> rx.Component:
    """The days and times of the booking page, drawn by the server."""
    error = entry_of(state.errors, "time")
    return rx.fragment(
        meeting_choices(state), served_slot_picker(state, "/book?", month, _SELECT_TIME, error)
    )


def served_submit(state: BookingForm) -> rx.Component:
    """The button of a page without scripts, which cannot change its text with the chosen time."""
    label = f"Book at {state.time}" if state.time else _SELECT_TIME
    return button(label, type="submit", disabled=not state.slots, class_name="w-full")


def booking_outcome(state: BookingForm | type[BookingForm] = BookingForm) -> rx.Component:
    """The error of the last submit, or the confirmation."""
    return rx.el.div(
        cond(
            state.failure != "",
            notice(
                rx.el.p(state.failure, class_name="font-semibold"),
                tone="error",
                id="booking-failed",
            ),
        ),
        cond(state.reference != "", _confirmation(state)),
        FocusWhen.create(when=state.reference, target="booking-done"),
        ResetAfter.create(when=state.round, target=_FORM_ID),
        id="outcome",
        class_name="mt-5 empty:hidden",
    )


def _confirmation(state: BookingForm | type[BookingForm]) -> rx.Component:
    return notice(
        rx.el.p(CONFIRMED, class_name="font-semibold"),
        rx.el.p(
            state.booked_for, ", Nairobi time",
            cond(state.booked_with != "", rx.fragment(", with ", state.booked_with)),
            ". Your reference is ", rx.el.strong(state.reference),
            ". An invitation for your calendar is on its way by e-mail.",
            LocalTime.create(moment=state.booked_moment),
            class_name="mt-2",
        ),
        rx.el.p(served_link("Move or cancel this booking", href=state.manage_link, class_name="link"), class_name="mt-2"),
        tone="success",
        id="booking-done",
    )  # fmt: skip


def slot_picker(state: type[SlotPicker]) -> rx.Component:
    """The calendar and the slots beside the form, or below it on phones."""
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


def served_slot_picker(
    state: SlotPicker | DayTimes, address: str, month: str, label: str, error: str = ""
) -> rx.Component:
    """The slot picker drawn by the server, inside the form that the button `label` submits.

    The buttons of days and months submit that form too, to `address` with a query, so that no entered text is lost.
    """
    # Everything comes from `state`, which one reading of the calendar filled: a second reading could find that a listed
    # time was taken meanwhile. The hidden `date` is the day whose times are listed, so that a time is always booked on
    # the day beside which the visitor saw it.

    def step(query: str) -> dict[str, Any]:
        # Text browsers ignore the address of a button (`formaction`), but they send its value.
        return {
            "type": "submit", "name": STEP, "value": query, "form_action": f"{address}{query}#times",
            "form_no_validate": True,
        }  # fmt: skip

    return rx.fragment(
        _default_button(label, disabled=not state.slots),
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
        _served_slots(state) if state.slots else _served_next_free(state, step),
        field_error(error, "booking-time-error"),
        rx.el.input(type="hidden", name="date", value=state.date),
    )


def _default_button(label: str, *, disabled: bool) -> rx.Component:
    # Enter in a field uses the first submit button of the form, which would otherwise be the button of a month.
    return rx.el.button(
        label, type="submit", disabled=disabled, tab_index=-1, aria_hidden="true", class_name="sr-only"
    )


def _served_slots(state: SlotPicker | DayTimes) -> rx.Component:
    return rx.el.div(
        *(
            rx.el.label(
                rx.el.input(
                    type="radio", name="time", value=slot.time, required=True, default_checked=slot.time == state.time
                ),
                slot.time,
                LocalTime.create(moment=slot.moment, place="your time", brief=True),
                class_name="slot",
            )
            for slot in state.slots
        ),
        role="radiogroup",
        aria_label="Available times",
        class_name="slots min-h-[64px]",
    )  # fmt: skip


def _served_next_free(state: SlotPicker | DayTimes, step: Callable[[str], dict[str, Any]]) -> rx.Component:
    if not state.next_date:
        return _no_available_times(rx.fragment())
    query = f"date={state.next_date}&time={state.next_time}"
    return _no_available_times(button(f"Next free time: {state.next_spoken}", id="next-free", **step(query)))


def _no_available_times(alternative: rx.Component) -> rx.Component:
    return rx.el.div(
        rx.el.p("No available times", class_name="font-semibold py-3"), alternative, class_name="min-h-[64px]"
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
                            LocalTime.create(moment=slot.moment, place="your time", brief=True),
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
                _no_available_times(_next_free(state)),
            ),
        ),
        rx.el.p(_announcement(state), class_name="sr-only", role="status"),
        class_name="min-h-[64px]",
    )


def _announcement(state: type[SlotPicker]) -> rx.Var[str]:
    count = state.slots.length()
    available = rx.cond(count == 1, "1 time available", count.to_string() + " times available")
    free = rx.cond(state.slots, available, "no times free")
    return rx.cond(state.loading, "Loading times", state.date_spoken + ": " + free)
