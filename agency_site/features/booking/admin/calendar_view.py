"""How the calendar looks: the bar above, a month, week or day below, and the question before a booking moves."""

from typing import Any

import reflex as rx

from agency_site.auth.rules import Right
from agency_site.backoffice.dialogs import question
from agency_site.backoffice.intervals import LOOK_MS
from agency_site.backoffice.screens import Screen
from agency_site.backoffice.state import may
from agency_site.features.booking.admin.calendar import TITLE_ID, CalendarDesk
from agency_site.features.booking.admin.calendar_days import day_sheet, month_sheet, week_sheet
from agency_site.features.booking.admin.calendar_drag import DayOnPhones, Mover
from agency_site.features.booking.admin.calendar_move import Time
from agency_site.features.booking.admin.calendar_range import PATH
from agency_site.features.booking.admin.toolbar import desk_strip
from agency_site.ui.address_bar import KeepScrollPosition
from agency_site.ui.behaviours import FocusWhen, Interval
from agency_site.ui.elements import Text, button, skeleton
from agency_site.ui.icon import icon


def _page() -> rx.Component:
    shown: Any = CalendarDesk.sheet
    return rx.fragment(
        Interval.create(every=LOOK_MS, active=True, on_tick=CalendarDesk.look_again),
        KeepScrollPosition.create(),
        desk_strip(PATH),
        DayOnPhones.create(chosen=shown.chosen, to=shown.ways.day),
        rx.cond(
            shown.view == "",
            skeleton("office-bone cal-bone"),
            Mover.create(
                _bar(),
                rx.match(
                    shown.view,
                    ("month", month_sheet()),
                    ("day", day_sheet()),
                    week_sheet(),
                ),
                _foot(),
                active=may(Right.WORK_BOOKINGS),
                on_move=CalendarDesk.ask,
                class_name=rx.cond(shown.chosen, "cal", "cal cal-unchosen"),
            ),
        ),
        _question(),
        FocusWhen.create(when=CalendarDesk.moves, target=CalendarDesk.moved),
    )


def _bar() -> rx.Component:
    shown: Any = CalendarDesk.sheet
    return rx.el.div(
        rx.el.div(
            _turn("before", "chevron-left", shown.ways.before),
            _turn("after", "chevron-right", shown.ways.after),
            rx.el.a("Today", href=shown.ways.today, class_name="cal-today"),
            rx.el.div(
                rx.el.h2(shown.title, id=TITLE_ID, tab_index=-1),
                rx.el.p(shown.summary, role="status"),
                class_name="cal-title",
            ),
            class_name="cal-turning",
        ),
        rx.el.nav(
            _view("Day", "day", shown.ways.day),
            _view("Week", "week", shown.ways.week),
            _view("Month", "month", shown.ways.month),
            aria_label="View",
            class_name="cal-views",
        ),
        class_name="cal-bar",
    )


def _foot() -> rx.Component:
    shown: Any = CalendarDesk.sheet
    return rx.el.div(
        _go_to(),
        rx.el.a(
            rx.cond(shown.cancelled, "Hide cancelled bookings", "Show cancelled bookings"),
            href=shown.ways.other,
            class_name="office-quiet",
        ),
        rx.cond(
            may(Right.WORK_BOOKINGS),
            rx.el.p(
                "Drag a booking to a free time, or press Move (",
                rx.el.kbd("M"),
                " on the keyboard) and choose one.",
                class_name="office-note",
            ),
            rx.fragment(),
        ),
        class_name="cal-foot",
    )


def _turn(way: str, picture: str, href: Text) -> rx.Component:
    return rx.el.a(
        icon(picture, size=20),
        rx.el.span("Before" if way == "before" else "After", class_name="sr-only"),
        href=href,
        custom_attrs={"data-turn": way},
        class_name="cal-turn",
    )


def _view(label: str, view: str, href: Text) -> rx.Component:
    current = CalendarDesk.sheet.view == view
    return rx.el.a(label, href=href, aria_current=rx.cond(current, "true", "false"))


def _go_to() -> rx.Component:
    day = CalendarDesk.sheet.day
    return rx.el.form(
        rx.el.label("Go to day", html_for="calendar-day"),
        rx.el.input(
            id="calendar-day", name="day", type="date", default_value=day, key=day, required=True, class_name="input"
        ),
        button("Go", type="submit", tone="ghost", class_name="button-small"),
        on_submit=CalendarDesk.go_to,
        class_name="cal-go",
    )  # fmt: skip


def _question() -> rx.Component:
    asked: Any = CalendarDesk.asking
    return question(
        "calendar-question",
        asked.text,
        rx.el.p("Now: ", rx.el.strong(asked.was), class_name="office-note"),
        rx.el.form(
            rx.cond(asked.times, _other_times(), rx.fragment()),
            rx.cond(
                asked.tellable,
                rx.el.label(
                    rx.el.input(type="checkbox", name="tell", default_checked=True),
                    "Tell the client",
                    class_name="office-tick",
                ),
                rx.el.p("There is no e-mail address, so the client is not told.", class_name="office-note"),
            ),
            rx.el.div(
                button("Move it", type="submit"),
                button("Leave it", tone="ghost", on_click=CalendarDesk.leave),
                class_name="office-row",
            ),
            key=asked.reference,
            on_submit=CalendarDesk.move,
        ),
        opens=asked.reference != "",
        leave=CalendarDesk.leave,
    )


def _other_times() -> rx.Component:
    def option(time: rx.Var[Time]) -> rx.Component:
        return rx.el.option(time.label, value=time.key, key=time.key)

    return rx.el.div(
        rx.el.label("Time", html_for="calendar-time", class_name="field-label"),
        rx.el.select(
            rx.foreach(CalendarDesk.asking.times, option),
            id="calendar-time",
            name="time",
            default_value=CalendarDesk.asking.target,
            on_change=CalendarDesk.choose_time,
            class_name="input",
        ),
    )


CALENDAR = Screen(
    path=PATH,
    title="Calendar",
    right=Right.SEE_BOOKINGS,
    body=_page,
    on_load=(CalendarDesk.open_calendar,),
    icon="calendar",
)
