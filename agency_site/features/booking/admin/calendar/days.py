"""Components of the calendar's days: the squares of a month, the columns of a week, the list of a day.

Times are inside their days, so that a narrow screen can stack the days.
"""

from typing import Any

import reflex as rx

from agency_site.auth.rules import Permission
from agency_site.backoffice.calendar_view import weekday_heads
from agency_site.backoffice.state import has_permission
from agency_site.features.booking.admin.calendar.layout import BookingCard, DayBanner, DayLayout, SlotCell
from agency_site.features.booking.admin.calendar.state import BookingCalendar
from agency_site.ui.icon import icon


def week_grid() -> rx.Component:
    """The week with seven columns and a row for each time."""
    layout: Any = BookingCalendar.layout
    rows = "auto auto repeat(" + layout.times.length().to_string() + ", minmax(78px, auto))"
    return rx.el.div(
        rx.el.div(
            rx.foreach(layout.times, lambda at: rx.el.span(at, key=at)),
            aria_hidden="true",
            class_name="cal-times",
        ),
        rx.foreach(layout.days, lambda day: _day_column(day, heading=True)),
        custom_attrs={"style": rx.Var.create({"gridTemplateRows": rows})},
        class_name="cal-week",
    )  # fmt: skip


def day_list() -> rx.Component:
    return rx.el.div(
        rx.foreach(BookingCalendar.layout.days, lambda day: _day_column(day, heading=False)),
        class_name="cal-day",
    )


def month_grid() -> rx.Component:
    return rx.el.div(
        weekday_heads(),
        rx.el.ol(rx.foreach(BookingCalendar.layout.days, _month_square)),
        class_name="cal-month",
    )


def _day_column(day: rx.Var[DayLayout], *, heading: bool) -> rx.Component:
    day_heading = rx.el.h3(
        rx.el.a(
            rx.el.span(day.weekday, aria_hidden="true"),
            rx.el.strong(day.number, aria_hidden="true"),
            rx.el.span(day.label, rx.cond(day.today, ", today", ""), class_name="sr-only"),
            href=day.href,
        ),
        class_name="cal-head",
    )
    return rx.el.section(
        day_heading if heading else rx.fragment(),
        rx.el.div(rx.foreach(day.banners, _day_banner), class_name="cal-banners"),
        rx.cond(
            day.cells,
            rx.el.ol(rx.foreach(day.cells, _slot_cell), class_name="cal-cells"),
            rx.el.p("No slots and no bookings.", class_name="cal-nothing"),
        ),
        key=day.date,
        aria_label=day.label,
        custom_attrs={"data-today": day.today, "data-hatched": day.hatched},
        class_name="cal-column",
    )


def _day_banner(banner: rx.Var[DayBanner]) -> rx.Component:
    return rx.el.p(banner.text, class_name="cal-banner cal-banner-" + banner.kind, key=banner.text)


def _slot_cell(cell: rx.Var[SlotCell]) -> rx.Component:
    free = cell.kind == "free"
    return rx.el.li(
        rx.el.span(cell.time, class_name="cal-at"),
        rx.el.div(
            rx.foreach(cell.cards, _booking_card),
            rx.foreach(cell.busy, _busy_calendar),
            rx.match(cell.kind, ("free", _free_slot(cell)), ("off", rx.fragment()), _cell_note(cell)),
            class_name="cal-inside",
        ),
        key=cell.key,
        custom_attrs={
            # Bookings can only be dropped on times that are offered.
            "data-slot": rx.cond(cell.kind == "off", rx.Var("undefined"), cell.key),
            "data-free": rx.cond(free, "", rx.Var("undefined")),
            "data-label": cell.label,
            "data-next": rx.cond(cell.next, "", rx.Var("undefined")),
        },
        class_name="cal-cell cal-cell-" + cell.kind,
    )


def _busy_calendar(name: rx.Var[str]) -> rx.Component:
    return rx.el.p("Busy: ", name, class_name="cal-busy", key=name)


def _free_slot(cell: rx.Var[SlotCell]) -> rx.Component:
    return rx.cond(
        has_permission(Permission.WORK_BOOKINGS),
        rx.el.a(
            icon("plus", size=16),
            rx.el.span(cell.note),
            rx.el.span(": book ", cell.label, class_name="sr-only"),
            href=cell.href,
            class_name="cal-free",
        ),
        rx.el.p(cell.note, class_name="cal-words"),
    )


def _cell_note(cell: rx.Var[SlotCell]) -> rx.Component:
    return rx.cond(cell.note != "", rx.el.p(cell.note, class_name="cal-words"))


def _booking_card(card: rx.Var[BookingCard]) -> rx.Component:
    return rx.el.article(
        rx.el.a(
            rx.el.span(card.time, class_name="cal-when"),
            rx.el.strong(card.name),
            rx.cond(card.meeting != "", rx.el.span(card.meeting, class_name="cal-meeting")),
            rx.el.span(card.phone, class_name="cal-phone"),
            rx.el.span(card.topic, class_name="cal-topic"),
            rx.el.span(
                card.state_label,
                rx.cond(card.off_schedule, ", outside business hours", ""),
                class_name="cal-word",
            ),
            href="/admin/booking?ref=" + card.reference,
            id=card.key,
            custom_attrs={
                "aria-keyshortcuts": rx.cond(
                    card.movable & has_permission(Permission.WORK_BOOKINGS), "M", rx.Var("undefined")
                )
            },
        ),
        rx.cond(
            card.movable & has_permission(Permission.WORK_BOOKINGS),
            rx.el.button(
                icon("move", size=18),
                rx.el.span("Move"),
                rx.el.span(" ", card.name, class_name="sr-only"),
                type="button",
                title="Move",
                custom_attrs={"data-grip": ""},
                class_name="cal-grip",
            ),
        ),
        key=card.key,
        custom_attrs={
            "data-booking": card.reference,
            "data-version": card.version,
            "data-name": card.name,
            "data-at": card.at,
            "draggable": rx.cond(
                card.movable & has_permission(Permission.WORK_BOOKINGS), "true", rx.Var("undefined")
            ),
            "data-movable": rx.cond(
                card.movable & has_permission(Permission.WORK_BOOKINGS), "", rx.Var("undefined")
            ),
        },
        class_name="cal-card cal-card-" + card.state,
    )


def _month_square(day: rx.Var[DayLayout]) -> rx.Component:
    return rx.el.li(
        rx.el.a(
            rx.el.strong(day.number, aria_hidden="true"),
            rx.el.span(day.label, rx.cond(day.today, ", today", ""), ". ", class_name="sr-only"),
            rx.cond(
                (day.booked > 0) | (day.free > 0) | day.full,
                rx.el.span(
                    rx.cond(day.booked > 0, rx.el.b(day.booked, rx.el.i(" booked"))),
                    rx.cond(day.free > 0, rx.el.span(day.free, rx.el.i(" free"))),
                    rx.cond(day.full, rx.el.span("full")),
                    class_name="cal-counts",
                ),
            ),
            href=day.href,
            class_name="cal-number",
        ),
        rx.foreach(day.banners, _day_banner),
        rx.foreach(day.month_cards, _booking_card),
        rx.cond(
            day.hidden_cards > 0,
            rx.el.a(
                day.hidden_cards, " more", rx.el.span(" on ", day.label, class_name="sr-only"),
                href=day.href, class_name="cal-more",
            ),
        ),
        key=day.date,
        custom_attrs={
            "data-slot": day.date,
            "data-free": rx.cond(day.free > 0, "", rx.Var("undefined")),
            "data-label": day.label,
            "data-today": day.today,
            "data-beyond": day.other_month,
            "data-hatched": day.hatched,
        },
        class_name="cal-square",
    )  # fmt: skip
