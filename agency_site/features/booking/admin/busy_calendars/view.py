"""The screen of busy calendars: bookings that collide, the calendars, and the form that adds one."""

import reflex as rx

from agency_site.auth.rules import Permission
from agency_site.backoffice.dialogs import confirm_dialog
from agency_site.backoffice.drafts import keep_draft
from agency_site.backoffice.elements import card, field_pair, small_button, small_note, unvalidated_form
from agency_site.backoffice.screens import REFRESH_MS, Screen
from agency_site.backoffice.scrolling_table import labelled_cell, row_button, scrolling_table
from agency_site.features.booking.admin.busy_calendars.labels import CalendarRow, CollisionRow
from agency_site.features.booking.admin.busy_calendars.state import BusyCalendars, count_attention
from agency_site.features.booking.busy_calendars.rules import MAX_ADDRESS
from agency_site.features.booking.busy_calendars.staff_request import NAME_LENGTH
from agency_site.ui.behaviours import Interval
from agency_site.ui.forms import field, select_field, state_options

PATH = "/admin/calendars"
_FORM = "calendar"


def _calendars_page() -> rx.Component:
    return rx.fragment(
        Interval.create(every=REFRESH_MS, active=True, on_tick=BusyCalendars.refresh),
        _collisions_card(),
        card(
            "Calendars",
            small_note(
                "Private calendars of staff. Times at which they are busy cannot be booked. They are read every five minutes; "
                "what the events are called is not stored.",
            ),
            rx.cond(
                BusyCalendars.calendars,
                scrolling_table(
                    "Busy calendars",
                    ("Name", "Closes", "Last read", "Busy times", "State", "Actions"),
                    rx.foreach(BusyCalendars.calendars, _calendar_item),
                ),
                rx.el.p("No calendars yet.", class_name="bookings-none"),
            ),
            _add_form(),
        ),
        confirm_dialog(
            "calendars-question",
            "Remove this calendar?",
            BusyCalendars.question,
            is_open=BusyCalendars.question != "",
            confirm=("Yes, remove", BusyCalendars.remove),
            cancel=("Cancel", BusyCalendars.dismiss),
        ),
    )


def _collisions_card() -> rx.Component:
    return rx.cond(
        BusyCalendars.collisions,
        rx.el.section(
            rx.el.h2("Bookings at busy times"),
            small_note(
                "A calendar says that their person is busy. They stay confirmed until they are moved or cancelled."
            ),
            rx.el.ul(rx.foreach(BusyCalendars.collisions, _collision_item), class_name="office-log"),
            class_name="office-card bookings-misfits",
        ),
    )


def _collision_item(collision: CollisionRow) -> rx.Component:
    return rx.el.li(
        rx.el.a(collision.reference, href=collision.href, class_name="link"),
        rx.el.span(collision.when, ", ", collision.who, ". ", collision.calendar),
        key=collision.key,
    )


def _calendar_item(calendar: CalendarRow) -> rx.Component:
    tone = rx.el.span(calendar.verdict, class_name="office-tone office-tone-" + calendar.tone)
    return rx.el.tr(
        labelled_cell("Name", rx.el.div(rx.el.strong(calendar.name), " ", rx.el.small(calendar.server))),
        labelled_cell("Closes", calendar.person),
        labelled_cell("Last read", calendar.read),
        labelled_cell("Busy times", calendar.times),
        labelled_cell(
            "State",
            rx.el.div(tone, rx.cond(calendar.problem != "", rx.fragment(" ", rx.el.small(calendar.problem)))),
        ),
        labelled_cell(
            "Actions",
            rx.el.div(
                row_button("Read now", BusyCalendars.read_now(calendar.key), calendar.name),
                row_button("Remove", BusyCalendars.ask_to_remove(calendar.key), calendar.name),
            ),
        ),
        key=calendar.key,
    )


def _add_form() -> rx.Component:
    errors = BusyCalendars.errors
    return unvalidated_form(
        rx.el.h3("Add a calendar"),
        field_pair(
            field("Name", "name", form=_FORM, error=errors["name"], hint="Such as Google calendar of Wanjiru.",
                  max_length=NAME_LENGTH, auto_complete="off"),
            select_field("Closes the times of", "person", [state_options(BusyCalendars.persons)], form=_FORM,
                         error=errors["person"]),
        ),
        field("Private address", "address", form=_FORM, error=errors["address"], max_length=MAX_ADDRESS, auto_complete="off",
              kind="address",
              hint="The secret iCalendar address, which begins with https:// or webcal://. It is stored encrypted."),
        small_button("Add calendar", type="submit", tone="ink"),
        keep_draft(_FORM),
        key=BusyCalendars.saves.to_string(),
        on_submit=BusyCalendars.add_calendar,
        class_name="bookings-form",
    )  # fmt: skip


CALENDARS_SCREEN = Screen(
    path=PATH,
    title="Busy calendars",
    permission=Permission.SET_HOURS,
    body=_calendars_page,
    on_load=(BusyCalendars.open_calendars,),
    icon="refresh",
    count_attention=count_attention,
    attention_href=PATH,
)
