"""The calendar of course runs: a month, which narrow screens show as a list of its days with sessions."""

from typing import Any

import reflex as rx

from agency_site.auth.rules import Permission
from agency_site.backoffice.calendar_view import calendar_heading, list_and_calendar, weekday_heads
from agency_site.backoffice.lists.view import new_record_button
from agency_site.backoffice.screens import REFRESH_MS, Screen
from agency_site.backoffice.state import has_permission
from agency_site.features.academy.admin.labels import RUN_CALENDAR_PATH, RUN_PATH, RUNS_PATH
from agency_site.features.academy.admin.runs.calendar import CalendarDay, RunCalendar, SessionCard
from agency_site.ui.address_bar import KeepScrollPosition
from agency_site.ui.behaviours import Interval
from agency_site.ui.elements import skeleton


def run_toolbar(here: str) -> rx.Component:
    """Build the toolbar of list and calendar. `here` is the path of the current screen."""
    may_plan = has_permission(Permission.WORK_ENROLMENTS)
    new = rx.cond(may_plan, new_record_button("New course run", RUN_PATH))
    return list_and_calendar(RUNS_PATH, RUN_CALENDAR_PATH, here, new)


def _calendar_page() -> rx.Component:
    links: Any = RunCalendar.links
    return rx.fragment(
        Interval.create(every=REFRESH_MS, active=True, on_tick=RunCalendar.refresh),
        KeepScrollPosition.create(),
        run_toolbar(RUN_CALENDAR_PATH),
        rx.cond(
            RunCalendar.days,
            rx.el.div(
                rx.el.div(
                    calendar_heading(
                        RunCalendar.title,
                        RunCalendar.summary,
                        previous=links.previous,
                        following=links.following,
                        today=links.today,
                    ),
                    class_name="cal-bar",
                ),
                rx.el.div(
                    weekday_heads(),
                    rx.el.ol(rx.foreach(RunCalendar.days, _day_square)),
                    class_name="cal-month cal-agenda",
                ),
                class_name="cal",
            ),
            skeleton("office-bone cal-bone"),
        ),
    )


def _day_square(day: CalendarDay) -> rx.Component:
    return rx.el.li(
        rx.el.h3(
            rx.el.strong(day.number, aria_hidden="true"),
            rx.el.span(day.label, rx.cond(day.is_today, ", today", "")),
            class_name="cal-number",
        ),
        rx.foreach(day.cards, _session_card),
        key=day.date,
        custom_attrs={"data-today": day.is_today, "data-beyond": day.is_beyond},
        class_name="cal-square",
    )


def _session_card(card: SessionCard) -> rx.Component:
    return rx.el.article(
        rx.el.a(
            rx.el.span(card.time, class_name="cal-when"),
            rx.el.strong(card.course),
            rx.el.span(card.detail, class_name="cal-word"),
            href=card.href,
        ),
        key=card.key,
        class_name="cal-card cal-card-" + card.tone,
    )


RUN_CALENDAR = Screen(
    path=RUN_CALENDAR_PATH,
    title="Calendar of course runs",
    permission=Permission.SEE_LEARNERS,
    body=_calendar_page,
    on_load=(RunCalendar.open_calendar,),
    under=RUNS_PATH,
)
