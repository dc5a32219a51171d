"""Components of a booking's private page."""

from collections.abc import Mapping

import reflex as rx

from agency_site.clock import now
from agency_site.features.booking.booking_page.state import CONFIRMED, BookingForm
from agency_site.features.booking.booking_page.view import slot_picker
from agency_site.features.booking.bookings.calendar_invite import describe_place
from agency_site.features.booking.bookings.rules import BookingState, service_name
from agency_site.features.booking.bookings.tables import Booking
from agency_site.features.booking.bookings.usecases import wish_of_move
from agency_site.features.booking.schedule.persons import Wish
from agency_site.features.booking.schedule.rules import format_slot_time
from agency_site.members import names
from agency_site.site.layout.private_page import change_result, unknown_link
from agency_site.ui.blocks import fact
from agency_site.ui.elements import button, link_button, outside_link
from agency_site.ui.forms import sent_mark
from agency_site.ui.local_time import LocalTime

UNKNOWN_BOOKING = unknown_link(
    "There is no booking at this link.", link_button("Book a Consultation", "/book")
)
ANY_PERSON = "any"
"""The value by which a visitor agrees to another person."""
_CANCELLED = "Your consultation is cancelled. The time is free for other clients."
_STATE_LABELS = names(
    {
        BookingState.CONFIRMED: "Confirmed",
        BookingState.CANCELLED: "Cancelled",
        BookingState.COMPLETED: "Completed",
        BookingState.NO_SHOW: "Missed",
    }
)


def describe_result(booking: Booking, query: Mapping[str, str]) -> str:
    """Describe the result of the posted form that `query` names, if it is still true."""
    if not _is_changeable(booking):
        is_cancelled = booking.state is BookingState.CANCELLED
        return _CANCELLED if "cancelled" in query and is_cancelled else ""
    whom = f", with {booking.person}" if booking.person else ""
    moved = f"Your consultation is now at {format_slot_time(booking.starts_at)}{whom}."
    results = {"booked": CONFIRMED, "moved": moved}
    return next((text for name, text in results.items() if name in query), "")


def own_booking(
    booking: Booking, link: str, form: rx.Component | None = None, *, failure: str = "", done: str = ""
) -> rx.Component:
    """The booking at the path `link`, with the open `form` if it can still be changed."""
    new_booking = link_button("Book a new time", "/book", class_name="mt-6")
    changes = rx.fragment(_change_links(link), form or rx.fragment())
    return rx.fragment(
        rx.el.h1("Your consultation"),
        change_result(failure, done),
        _booking_facts(booking),
        changes if _is_changeable(booking) else new_booking,
    )


def _is_changeable(booking: Booking) -> bool:
    return booking.state is BookingState.CONFIRMED and booking.starts_at > now()


def _booking_facts(booking: Booking) -> rx.Component:
    when = rx.fragment(
        f"{format_slot_time(booking.starts_at)}, Nairobi time",
        LocalTime.create(moment=booking.starts_at.isoformat()),
    )
    return rx.el.dl(
        fact("When", when),
        fact("Where", _place(booking)),
        *((fact("With", booking.person),) if booking.person else ()),
        *((fact("About", service_name(booking.service)),) if booking.service else ()),
        fact("Reference", booking.reference),
        fact("Name", booking.fullname),
        fact("Status", _STATE_LABELS[booking.state]),
        class_name="panel grid gap-y-3",
    )


def _place(booking: Booking) -> rx.Component | str:
    place = describe_place(booking)
    if place.startswith("https://"):
        return outside_link("Join by video", href=place, class_name="link")
    return place


def _change_links(link: str) -> rx.Component:
    return rx.el.div(
        link_button("Move to another time", f"{link}?move#move-heading"),
        link_button("Cancel the booking", f"{link}?cancel#cancel-heading", "ghost"),
        class_name="flex flex-wrap gap-3 mt-6",
    )


def move_form(booking: Booking, link: str, form: BookingForm, wish: Wish) -> rx.Component:
    """The form with the days and times of `form` to which the booking can be moved, for the choices of `wish`."""
    label = f"Move to {form.time or 'the chosen time'}"
    return rx.el.form(
        rx.el.h2("Choose the new time", class_name="text-subheading mb-5", id="move-heading"),
        _with_whom(booking, f"{link}?move&date={form.date}", wish),
        slot_picker(form, f"{link}/move?", label),
        rx.el.div(
            button(label, type="submit", disabled=not form.times.slots),
            link_button("Keep the old time", link, tone="ghost"),
            class_name="flex flex-wrap gap-3 mt-6",
        ),
        action=f"{link}/move",
        method="post",
        class_name="panel mt-6",
        aria_labelledby="move-heading",
    )


def _with_whom(booking: Booking, link: str, wish: Wish) -> rx.Component:
    """The person who takes the consultation at the new time, and the other choice."""
    if not booking.person:
        return rx.fragment()
    if wish.person:
        return rx.el.p(
            f"These are the times of {booking.person}. ",
            rx.el.a("Show the times of all consultants", href=f"{link}&person={ANY_PERSON}#move-heading", class_name="link"),
            class_name="mb-5",
        )  # fmt: skip
    agreed = rx.el.input(type="hidden", name="person", value=ANY_PERSON)
    if not wish_of_move(booking).person:
        return rx.el.p(
            f"{booking.person} can no longer take it. Another person will.", agreed, class_name="mb-5"
        )
    return rx.el.p(
        f"At these times, another person than {booking.person} may take your consultation. ",
        rx.el.a(f"Show the times of {booking.person} alone", href=f"{link}#move-heading", class_name="link"),
        agreed,
        class_name="mb-5",
    )


def cancellation_form(booking: Booking, link: str) -> rx.Component:
    when = f"{format_slot_time(booking.starts_at)}, Nairobi time. Other clients can then book this time."
    return rx.el.form(
        rx.el.h2("Cancel this booking?", class_name="text-subheading", id="cancel-heading"),
        rx.el.p(when, class_name="mt-3 mb-6"),
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
