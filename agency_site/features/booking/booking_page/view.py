"""Components of the booking page, and the calendar that it shares with moving a booking."""

from collections.abc import Callable
from functools import partial
from typing import Any

import reflex as rx

from agency_site.features.booking.booking_page.state import CONFIRMED, BookingForm, SlotChoice
from agency_site.features.booking.bookings.rules import SERVICE_NAMES
from agency_site.ui.behaviours import FocusWhen, ResetAfter, WhenConnected
from agency_site.ui.calendar import month_of_buttons
from agency_site.ui.choices import text_reminder_tick
from agency_site.ui.elements import button, notice, served_link, skeleton
from agency_site.ui.form_guard import SubmitButton, guard, waiting_line
from agency_site.ui.forms import Option, field, field_error, select_field, small_print, text_area
from agency_site.ui.local_time import LocalTime
from agency_site.ui.page_region import PageRegion
from agency_site.ui.values import as_text, cond, count, entry_of, foreach

State = BookingForm | type[BookingForm]


def _times_of(state: State) -> Any:
    """The days and times, or their var."""
    return state.times


STEP = "show"
"""The name of the buttons that choose a day or a month. Their values are queries."""

_FORM = "booking"

_FORM_ID = "booking-form"

_CHOICES = ["way", "person", "date", "time"]
"""Fields that decide what the page shows."""

_SELECT_TIME = "Select Time to Book"

_WAIT = "booking-wait"


def booking_panels() -> rx.Component:
    """One form with the details on the left, calendar and slots on the right. On phones the button follows the slots."""
    # Everything is inside the form, because text browsers ignore the `form` attribute of controls outside it.
    return rx.el.form(
        rx.el.div(
            rx.el.h2("Your details", class_name="text-subheading mb-5"),
            PageRegion.create(booking_fields(), name="booking"),
            class_name="panel booking-details",
        ),
        rx.el.div(
            rx.el.h2("Choose a time", class_name="sr-only", id="times"),
            PageRegion.create(meeting_times(), name="times"),
            class_name="panel booking-times",
        ),
        rx.el.div(
            PageRegion.create(submit_buttons(), name="submit"),
            waiting_line(_WAIT),
            small_print("By booking you accept our"),
            PageRegion.create(booking_outcome(), name="outcome"),
            class_name="panel booking-submit",
        ),
        WhenConnected.create(form=_FORM_ID, names=_CHOICES, on_connect=BookingForm.begin),
        id=_FORM_ID,
        action="/book",
        method="post",
        on_submit=BookingForm.submit,
        custom_attrs={"noValidate": True},
        aria_label="Book a consultation",
        class_name="booking-grid",
    )


def booking_fields(state: State = BookingForm) -> rx.Component:
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


def meeting_times(state: State = BookingForm) -> rx.Component:
    """Way, person, days and times."""
    error = entry_of(state.errors, "time")
    return rx.fragment(_meeting_choices(state), slot_picker(state, "/book?", _SELECT_TIME, error))


def _meeting_choices(state: State) -> rx.Component:
    """The choices of a way and a person, which decide the times that are free."""
    error = partial(entry_of, state.errors)
    with_whom = select_field(
        "With", "person", [foreach(state.persons, _draw_option)], form=_FORM, error=error("person"),
        value=state.person, on_change=BookingForm.choose_person,
    )  # fmt: skip
    note = rx.el.p(state.person_note, class_name="mb-4 font-semibold", role="status")
    return rx.el.div(
        cond(state.person_note != "", note),
        select_field(
            "How", "way", [foreach(state.ways, _draw_option)], form=_FORM, error=error("way"),
            value=state.way, on_change=BookingForm.choose_way,
        ),
        cond(count(state.persons) > 0, with_whom, rx.fragment()),
        class_name="grid gap-x-4 sm:grid-cols-2 mb-2",
    )  # fmt: skip


def _draw_option(option: Option) -> rx.Component:
    return rx.el.option(option.text, value=option.value, key=option.value)


def submit_buttons(state: State = BookingForm) -> rx.Component:
    """The button for the chosen time, and a disabled one in its place until a time is chosen.

    The stylesheet shows the one or the other (`chosen-time`), so that neither needs scripts.
    """
    return rx.fragment(
        rx.el.button(_SELECT_TIME, type="submit", disabled=True, class_name="button w-full until-chosen"),
        SubmitButton.create(
            rx.el.span(
                "Book",
                rx.el.span(foreach(_times_of(state).slots, _chosen_time), class_name="chosen-time"),
            ),
            busy="Booking...",
            class_name="button w-full once-chosen",
        ),
    )


def booking_outcome(state: State = BookingForm) -> rx.Component:
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


def _confirmation(state: State) -> rx.Component:
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


def _chosen_time(slot: SlotChoice) -> rx.Component:
    return rx.el.span(" at ", slot.time, key=slot.moment)


def slot_picker(state: State, address: str, label: str, error: Any = "") -> rx.Component:
    """The calendar and the times of the chosen day, inside the form that the button `label` submits.

    The buttons of days and months submit that form too, to `address` with a query, so that no entered text is lost. The hidden
    `date` is the day whose times are listed, so that a time is always booked on the day beside which the visitor saw it.
    """

    def step(query: Any, handler: Any) -> dict[str, Any]:
        # Text browsers ignore the address of a button (`formaction`), but they send its value.
        return {
            "type": "submit", "name": STEP, "value": query, "form_action": address + query + "#times",
            "form_no_validate": True, "on_click": handler.prevent_default,
        }  # fmt: skip

    return rx.fragment(
        _default_button(label, disabled=count(_times_of(state).slots) == 0),
        month_of_buttons(
            _times_of(state).month,
            chosen=state.date,
            choose_day=lambda day: step("date=" + day, BookingForm.choose_date(day)),  # type: ignore[misc]
            choose_month=lambda month: step(
                "date=" + state.date + "&month=" + month,
                BookingForm.choose_month(month),  # type: ignore[misc]
            ),
        ),
        rx.el.h3(
            cond(state.date_spoken != "", state.date_spoken + ", Nairobi time", "Times"),
            class_name="mt-4 mb-3",
        ),
        _times(state, step),
        field_error(error, "booking-time-error"),
        rx.el.input(type="hidden", name="date", value=state.date),
        rx.el.p(
            cond(state.chosen_moment != "", LocalTime.create(moment=state.chosen_moment), rx.fragment()),
            class_name="[&>time]:mt-3",
            role="status",
        ),
    )


def _default_button(label: str, *, disabled: Any) -> rx.Component:
    # Enter in a field uses the first submit button of the form, which would otherwise be the button of a month.
    return rx.el.button(
        label, type="submit", disabled=disabled, tab_index=-1, aria_hidden="true", class_name="sr-only"
    )


def _times(state: State, step: Callable[[Any, Any], dict[str, Any]]) -> rx.Component:
    placeholder = rx.el.div(
        *(skeleton("h-[52px]") for _ in range(3)),
        class_name="slots",
        custom_attrs={"data-testid": "slots-loading"},
    )
    free = rx.el.div(
        foreach(_times_of(state).slots, lambda slot: _slot(state, slot)),
        role="radiogroup",
        aria_label="Available times",
        class_name="slots",
    )
    return rx.el.div(
        cond(
            state.loading,
            placeholder,
            cond(count(_times_of(state).slots) > 0, free, _next_free(state, step)),
        ),
        rx.el.p(_announcement(state), class_name="sr-only", role="status"),
        class_name="min-h-[64px]",
    )


def _slot(state: State, slot: SlotChoice) -> rx.Component:
    return rx.el.label(
        rx.el.input(
            type="radio",
            name="time",
            value=slot.time,
            required=True,
            default_checked=slot.time == state.time,
            aria_invalid=cond(entry_of(state.errors, "time"), "true", "false"),
            aria_describedby="booking-time-error",
            on_change=BookingForm.choose_time,
            # If the plain page comes back, a time is chosen again on its own day only (`site/layout/plain_page.js`).
            custom_attrs={"id": slot.moment},
        ),
        slot.time,
        LocalTime.create(moment=slot.moment),
        # A radio button of another day is another one.
        key=slot.moment,
        class_name="slot",
    )


def _next_free(state: State, step: Callable[[Any, Any], dict[str, Any]]) -> rx.Component:
    times = _times_of(state)
    query = "date=" + times.next_date + "&time=" + times.next_time
    later = button(
        "Next free time: ", times.next_spoken, id="next-free", **step(query, BookingForm.choose_next_free)
    )
    return rx.el.div(
        rx.el.p("No available times", class_name="font-semibold py-3"),
        cond(times.next_date != "", later, rx.fragment()),
    )


def _announcement(state: State) -> Any:
    number = count(_times_of(state).slots)
    available = cond(number == 1, "1 time available", as_text(number) + " times available")
    free = cond(number > 0, available, "no times free")
    return cond(state.loading, "Loading times", state.date_spoken + ": " + free)
