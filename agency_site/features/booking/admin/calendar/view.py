"""The screen of the bookings calendar: its bar, a month, week or day, and the dialog that moves a booking."""

from typing import Any

import reflex as rx

from agency_site.auth.rules import Permission
from agency_site.backoffice.calendar_view import calendar_heading
from agency_site.backoffice.dialogs import form_dialog, notify_checkbox
from agency_site.backoffice.elements import small_button, small_note
from agency_site.backoffice.screens import REFRESH_MS, Screen
from agency_site.backoffice.state import has_permission
from agency_site.features.booking.admin.calendar.days import day_list, month_grid, week_grid
from agency_site.features.booking.admin.calendar.move import TimeOption
from agency_site.features.booking.admin.calendar.state import BookingCalendar
from agency_site.features.booking.admin.toolbar import CALENDAR as PATH
from agency_site.features.booking.admin.toolbar import booking_toolbar
from agency_site.ui.address_bar import KeepScrollPosition
from agency_site.ui.behaviours import FocusWhen, Interval
from agency_site.ui.elements import Text, skeleton
from agency_site.ui.forms import state_options

_LIBRARY = "$/agency_site/features/booking/admin/calendar/calendar.jsx"


def _move_spec(
    reference: rx.Var[str], version: rx.Var[int], target: rx.Var[str]
) -> tuple[rx.Var[str], rx.Var[int], rx.Var[str]]:
    return reference, version, target


_TEXTS = {
    "moving": "Moving {name}",
    "slots": "Free slots: {count}.",
    "aimed": "{label}. {number} of {count} free.",
    "last": "No more free slots in that direction. Page Up and Page Down turn the page.",
    "unmoved": "No booking was moved.",
    "help": "Choose a free slot with the arrow keys and Enter, or click one. Escape cancels.",
    "move": "Move here",
    "cancel": "Cancel",
}


class _MoveArea(rx.Component):
    """The region in which bookings are dragged, or picked up and dropped with keys and clicks.

    It finds `data-booking` elements (with `data-version`, `data-name`, `data-at`; `data-movable` ones can be moved, and a
    click on their `data-grip` picks them up), `data-slot` elements to drop them on (with `data-label`; free ones have
    `data-free`), and `data-turn` links (`before`, `after`) to other pages.
    """

    library = _LIBRARY
    tag = "MoveArea"
    active: rx.Var[bool]
    on_move: rx.EventHandler[_move_spec]  # type: ignore[type-arg, valid-type]
    texts: rx.Var[dict[str, str]] = rx.Var.create(_TEXTS)


class _DayOnPhones(rx.Component):
    """A redirect of narrow screens to `to`, unless a view was `chosen`."""

    library = _LIBRARY
    tag = "DayOnPhones"
    chosen: rx.Var[bool]
    to: rx.Var[str]


def _calendar_page() -> rx.Component:
    layout: Any = BookingCalendar.layout
    return rx.fragment(
        Interval.create(every=REFRESH_MS, active=True, on_tick=BookingCalendar.refresh),
        KeepScrollPosition.create(),
        booking_toolbar(PATH),
        _DayOnPhones.create(chosen=layout.is_view_chosen, to=layout.links.day),
        rx.cond(
            layout.view == "",
            skeleton("office-bone cal-bone"),
            _MoveArea.create(
                _calendar_bar(),
                rx.match(
                    layout.view,
                    ("month", month_grid()),
                    ("day", day_list()),
                    week_grid(),
                ),
                _calendar_foot(),
                active=has_permission(Permission.WORK_BOOKINGS),
                on_move=BookingCalendar.open_dialog,
                class_name=rx.cond(layout.is_view_chosen, "cal", "cal cal-unchosen"),
            ),
        ),
        _move_dialog(),
        FocusWhen.create(when=BookingCalendar.moves, target=BookingCalendar.focus_id),
    )


def _calendar_bar() -> rx.Component:
    layout: Any = BookingCalendar.layout
    return rx.el.div(
        calendar_heading(
            layout.title,
            layout.summary,
            previous=layout.links.previous,
            following=layout.links.next,
            today=layout.links.today,
        ),
        rx.cond(layout.persons, _person_form()),
        rx.el.nav(
            _view_link("Day", "day", layout.links.day),
            _view_link("Week", "week", layout.links.week),
            _view_link("Month", "month", layout.links.month),
            aria_label="View",
            class_name="cal-views",
        ),
        class_name="cal-bar",
    )


def _calendar_foot() -> rx.Component:
    layout: Any = BookingCalendar.layout
    return rx.el.div(
        _day_form(),
        rx.el.a(
            rx.cond(layout.cancelled, "Hide cancelled bookings", "Show cancelled bookings"),
            href=layout.links.toggle_cancelled,
            class_name="office-quiet",
        ),
        rx.cond(
            has_permission(Permission.WORK_BOOKINGS),
            small_note(
                "Drag a booking to a free time, or select Move (",
                rx.el.kbd("M"),
                " on the keyboard) and choose one.",
            ),
        ),
        class_name="cal-foot",
    )


def _view_link(label: str, view: str, href: Text) -> rx.Component:
    current = BookingCalendar.layout.view == view
    return rx.el.a(label, href=href, aria_current=rx.cond(current, "true", "false"))


def _day_form() -> rx.Component:
    day = BookingCalendar.layout.day
    return rx.el.form(
        rx.el.label("Go to day", html_for="calendar-day"),
        rx.el.input(
            id="calendar-day", name="day", type="date", default_value=day, key=day, required=True, class_name="input"
        ),
        small_button("Go", type="submit", tone="ghost"),
        on_submit=BookingCalendar.go_to_day,
        class_name="cal-go",
    )  # fmt: skip


def _person_form() -> rx.Component:
    layout: Any = BookingCalendar.layout
    return rx.el.form(
        rx.el.label("Consultant", html_for="calendar-person"),
        rx.el.select(
            rx.el.option("All", value=""),
            state_options(layout.persons, layout.person),
            id="calendar-person",
            name="person",
            key=layout.person,
            class_name="input",
        ),
        small_button("Show", type="submit", tone="ghost"),
        on_submit=BookingCalendar.choose_person,
        class_name="cal-go",
    )


def _move_dialog() -> rx.Component:
    move: Any = BookingCalendar.dialog
    return form_dialog(
        "calendar-question",
        move.text,
        rx.cond(move.times, _time_select()),
        notify_checkbox("Notify the client"),
        rx.cond(move.has_email, rx.fragment(), small_note("No e-mail address: the client gets an SMS.")),
        text=small_note("Current time: ", rx.el.strong(move.current_time)),
        is_open=move.reference != "",
        submit=("Move booking", BookingCalendar.move),
        cancel=("Cancel", BookingCalendar.close_dialog),
        key=move.reference,
    )


def _time_select() -> rx.Component:
    def option(time: rx.Var[TimeOption]) -> rx.Component:
        return rx.el.option(time.label, value=time.key, key=time.key)

    return rx.el.div(
        rx.el.label("Time", html_for="calendar-time", class_name="field-label"),
        rx.el.select(
            rx.foreach(BookingCalendar.dialog.times, option),
            id="calendar-time",
            name="time",
            default_value=BookingCalendar.dialog.target,
            on_change=BookingCalendar.choose_time,
            class_name="input",
        ),
    )


CALENDAR = Screen(
    path=PATH,
    title="Calendar",
    permission=Permission.SEE_BOOKINGS,
    body=_calendar_page,
    on_load=(BookingCalendar.open_calendar,),
    icon="calendar",
)
