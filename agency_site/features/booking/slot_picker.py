"""Choosing a day and a time: the state and the view that booking and moving share."""

import asyncio
from dataclasses import dataclass
from datetime import date

import reflex as rx

from agency_site import clock
from agency_site.db.engine import read_scope
from agency_site.features.booking.request import parse_date
from agency_site.features.booking.rules import spoken_day
from agency_site.features.booking.slots import Day, DayKind, first_and_last_day, policy
from agency_site.features.booking.usecases import availability, slots
from agency_site.settings import settings
from agency_site.ui.calendar import CalendarDay, DayGrid
from agency_site.ui.elements import skeleton


@dataclass
class SlotChoice:
    """One time of the chosen day that can be had."""

    time: str


class SlotChooser(rx.State, mixin=True):
    """The calendar's days, the chosen day, its slots and the chosen time."""

    days: rx.Field[list[CalendarDay]] = rx.field(default_factory=list)
    today: rx.Field[str] = rx.field("")
    date: rx.Field[str] = rx.field("")
    date_spoken: rx.Field[str] = rx.field("")
    slots: rx.Field[list[SlotChoice]] = rx.field(default_factory=list)
    loading: rx.Field[bool] = rx.field(True)
    time: rx.Field[str] = rx.field("")
    failure: rx.Field[str] = rx.field("")
    """Why the chosen time could not be had, until another is chosen; empty: no red box."""

    @rx.event(background=True)
    async def open_calendar(self) -> None:
        """Show the calendar with today chosen, unless a day still stands from before.

        A connection that comes back loads the page again: what was chosen before stays chosen, so that a press that waited
        for the connection books it.
        """
        days = await _calendar()
        async with self:
            self.days = days
            self.today = clock.today().isoformat()
            stands, chosen = self.date >= self.today, self.date
        if stands:
            await self._look_again(chosen)
        else:
            await self._show(self.today)

    @rx.event(background=True)
    async def choose_date(self, chosen: str) -> None:
        """Choose a day: clears the time, shows the placeholder, then the day's slots. Not a date: ignored."""
        try:
            parse_date(chosen)
        except ValueError:
            return
        await self._show(chosen)

    @rx.event
    def choose_time(self, chosen: str) -> None:
        """Choose one of the times shown; anything else is ignored."""
        if any(slot.time == chosen for slot in self.slots):
            self.time, self.failure = chosen, ""

    async def _show(self, chosen: str) -> None:
        async with self:
            self.date, self.time, self.slots, self.loading, self.failure = chosen, "", [], True, ""
            self.date_spoken = spoken_day(date.fromisoformat(chosen))
        await asyncio.sleep(settings().booking_placeholder_ms / 1000)
        found: list[SlotChoice] = []
        try:
            found = await _free_slots(chosen)
        finally:
            # Also when the look-up breaks: the placeholder must not stand for ever beside the line that says so.
            async with self:
                # Another day may have been chosen while this one was loading.
                if self.date == chosen:
                    self.slots, self.loading = found, False

    async def _look_again(self, chosen: str) -> None:
        """Fetch the slots of the day that stands, and let go of a time that is gone."""
        found = await _free_slots(chosen)
        async with self:
            if self.date != chosen:
                return
            self.slots, self.loading = found, False
            if self.time not in [slot.time for slot in found]:
                self.time = ""

    async def _refresh(self) -> None:
        """Fetch days and slots anew after a change, and let the visitor choose again."""
        self.days, self.slots, self.time = await _calendar(), await _free_slots(self.date), ""


async def _calendar() -> list[CalendarDay]:
    first, last = first_and_last_day(clock.now(), policy())
    async with read_scope() as session:
        return [_shown(day) for day in await availability(session, first, last)]


def _shown(day: Day) -> CalendarDay:
    notes = {DayKind.CLOSED: "closed", DayKind.HOLIDAY: "closed", DayKind.FULL: "full"}
    # Closed and full days can be looked at too: they answer "No available times".
    return CalendarDay(day.date.isoformat(), day.label, True, notes.get(day.kind, ""))  # type: ignore[arg-type]


async def _free_slots(day: str) -> list[SlotChoice]:
    async with read_scope() as session:
        return [
            SlotChoice(slot.time) for slot in await slots(session, date.fromisoformat(day)) if slot.available
        ]


def slot_chooser(state: type[SlotChooser]) -> rx.Component:
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
        _slots(state),
    )


def _calendar_placeholder() -> rx.Component:
    return rx.el.div(
        rx.el.noscript(
            rx.el.p("The calendar needs scripts. Please call us and we will book for you.", class_name="mb-4")
        ),
        skeleton("h-11 w-52 max-w-full mb-4"),
        skeleton("h-[400px]"),
    )


def _slots(state: type[SlotChooser]) -> rx.Component:
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
        rx.el.p(_spoken(state), class_name="sr-only", role="status"),
        class_name="min-h-[64px]",
    )


def _spoken(state: type[SlotChooser]) -> rx.Var[str]:
    """What a screen reader says of the slots."""
    count = state.slots.length()
    some = rx.cond(count == 1, "1 time available", count.to_string() + " times available")
    free = rx.cond(state.slots, some, "no times free")
    return rx.cond(state.loading, "Loading times", state.date_spoken + ": " + free)
