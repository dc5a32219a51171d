"""When bookings are taken: what the page of hours does.

Forms carry the version that they were opened with; what others change meanwhile shows beside, and is never lost.
"""

from collections.abc import Sequence
from typing import Any

import reflex as rx
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.auth import audit
from agency_site.auth.rules import Right, Staff
from agency_site.backoffice.access_control import staff_event, staff_page, staff_watch
from agency_site.backoffice.audit_labels import changed_fields
from agency_site.backoffice.edit_conflicts import Difference, differences
from agency_site.backoffice.lists.definition import when
from agency_site.backoffice.state import Office
from agency_site.clock import now
from agency_site.db.engine import report_scope, session_scope
from agency_site.features.booking import business_hours
from agency_site.features.booking.admin.hours_labels import (
    CHOICE_LABELS,
    SPECIAL_LABELS,
    BlackoutRow,
    HolidayRow,
    SpecialRow,
    Touched,
    blackout_row,
    choice_values,
    closed_on_holidays,
    coming_holidays,
    day_name,
    day_typed,
    moment_typed,
    seats_typed,
    special_row,
    special_typed,
    special_values,
    spoken_choices,
    standing_choices,
    times_typed,
    touched,
)
from agency_site.features.booking.records import BookingRecord
from agency_site.features.booking.rules import EditedMeanwhile
from agency_site.ui.forms import submitted

BLACKOUT, SPECIAL, CHOICES = "blackout", "special", "choices"
"""The page's forms."""
SELDOM = 4
"""Every how many looks the bookings to come are gone through: of thousands that takes a tenth of a second."""


class HoursDesk(Office):
    """Blackouts, special days, the owners' choices, and the bookings that no longer fit."""

    blackouts: rx.Field[list[BlackoutRow]] = rx.field(default_factory=list)
    specials: rx.Field[list[SpecialRow]] = rx.field(default_factory=list)
    holidays: rx.Field[list[HolidayRow]] = rx.field(default_factory=list)
    misplaced: rx.Field[list[Touched]] = rx.field(default_factory=list)
    """Bookings to come that stand where none would be taken now."""
    touched: rx.Field[list[Touched]] = rx.field(default_factory=list)
    """Those among them that the last change put there."""
    standing: dict[str, str] = {}
    """What holds now, in words: by the keys of `CHOICE_LABELS`, and the settings behind."""
    sent: rx.Field[str] = rx.field("")
    """The form that was sent last, where the outcome is shown."""
    rounds: dict[str, int] = {}
    """Counts what each form has saved, to draw it afresh."""
    draft: dict[str, str] = {}
    """The special day that is being changed; empty: a new one."""
    choice: dict[str, str] = {}
    """The choices as the form shows them at first."""
    found: rx.Field[list[Difference]] = rx.field(default_factory=list)
    """What somebody else has saved meanwhile, beside what is being saved in the form `sent`."""
    question: rx.Field[str] = rx.field("")
    """What is asked before something is removed."""
    _removing: tuple[str, str, int] = ("", "", 0)
    _special_version: int = 0
    _choices_version: int = 0
    _mine: dict[str, str] = {}
    _looks: int = 0

    @staff_page(Right.SEE_BOOKINGS)
    async def open_hours(self, _who: Staff) -> None:
        """Show all that holds."""
        self.sent, self.question, self.draft, self._special_version = "", "", {}, 0
        self.touched, self.found = [], []
        await self._load()
        await self._draft_choices()

    @staff_watch(Right.SEE_BOOKINGS)
    async def look_again(self, _who: Staff) -> None:
        """Show what others change."""
        self._looks += 1
        if await self._load_arrangements() or self._looks % SELDOM == 0:
            await self._load_misplaced()

    @staff_event(Right.SET_HOURS)
    async def add_blackout(self, who: Staff, form: dict[str, Any]) -> None:
        """Take no bookings for a while."""
        given = self._began(BLACKOUT, form)
        begins = moment_typed("starts_at", given.get("starts_at", ""))
        ends = moment_typed("ends_at", given.get("ends_at", ""))
        async with session_scope() as session:
            made = await business_hours.add_blackout(
                session, begins, ends, given.get("reason", ""), who.email
            )
            await audit.record(
                session,
                who,
                "blackout.added",
                "blackout",
                str(made.record.id),
                f"{when(begins)} to {when(ends)}",
            )
        await self._done(BLACKOUT, "No bookings are taken in that time.", made.affected)

    @staff_event(Right.SET_HOURS)
    async def edit_day(self, _who: Staff, day: str) -> None:
        """Put a day into the form: a special one as it stands, any other as a new one."""
        chosen = day_typed("day", day if isinstance(day, str) else "")
        async with report_scope() as session:
            days = {one.date: one for one in await business_hours.list_special_days(session)}
        one = days.get(chosen)
        # Whoever takes up a day that is like its weekday, as it stands among the holidays, wants to open it.
        standing = "closed" if one and one.closed else "open"
        named = {"day": chosen.isoformat(), "name": day_name(chosen), "standing": standing}
        self.draft = {**special_values(one), **named}
        self._special_version = one.version if one else 0
        self.sent, self.errors, self.found = SPECIAL, {}, []
        self._redraw(SPECIAL)

    @staff_event(Right.SET_HOURS)
    async def leave_day(self, _who: Staff) -> None:
        """Empty the form of special days."""
        self._no_draft()

    @staff_event(Right.SET_HOURS)
    async def save_day(self, who: Staff, form: dict[str, Any]) -> None:
        """Let a day differ from its weekday."""
        given = self._began(SPECIAL, form)
        self._mine = {**given, "day": self.draft.get("day", given.get("day", ""))}
        await self._save_day(who)

    @staff_event(Right.SET_HOURS)
    async def save_choices(self, who: Staff, form: dict[str, Any]) -> None:
        """Choose over the settings."""
        self._mine = self._began(CHOICES, form)
        await self._save_choices(who)

    @staff_event(Right.SET_HOURS)
    async def keep_theirs(self, _who: Staff) -> None:
        """Let go of what was typed."""
        if self.sent == CHOICES:
            await self._draft_choices()
        else:
            self._no_draft()
        self.found = []
        await self._load()
        self._say("Kept as it was saved by the other.")

    @staff_event(Right.SET_HOURS)
    async def save_mine(self, who: Staff, _form: dict[str, Any]) -> None:
        """Save what was typed over what the other saved."""
        if self.found and self.sent == CHOICES:
            await self._save_choices(who)
        elif self.found:
            await self._save_day(who)

    @staff_event(Right.SET_HOURS)
    async def ask(self, _who: Staff, kind: str, name: str) -> None:
        """Ask before a blackout or special day goes; `name` is its number or date."""
        async with report_scope() as session:
            found = await _removable(session, kind, name)
        self.question, self._removing = found or ("", ("", "", 0))

    @staff_event(Right.SET_HOURS)
    async def dismiss(self, _who: Staff) -> None:
        """Remove nothing after all."""
        self.question, self._removing = "", ("", "", 0)

    @staff_event(Right.SET_HOURS)
    async def remove(self, who: Staff) -> None:
        """Remove what was asked about."""
        kind, name, number = self._removing
        self.question, self._removing = "", ("", "", 0)
        if not kind:
            return
        self.sent = kind
        async with session_scope() as session:
            affected = await _remove(session, kind, name, number)
            reference = str(number) if kind == BLACKOUT else name
            await audit.record(session, who, f"{kind}.removed", kind, reference)
        await self._done(kind, "Removed.", affected)

    async def _save_day(self, who: Staff) -> None:
        mine = self._mine
        day, closed = day_typed("day", mine.get("day", "")), mine.get("standing") == "closed"
        try:
            async with session_scope() as session:
                made = await business_hours.save_special_day(
                    session, day, self._special_version, closed=closed, times=times_typed(mine.get("times", "")),
                    capacity=seats_typed("capacity", mine.get("capacity", "")), reason=mine.get("reason", ""),
                    actor=who.email,
                )  # fmt: skip
                set_to = special_typed(mine, closed=closed)
                detail = " ".join(part for part in (set_to["standing"], set_to["times"]) if part)
                await audit.record(session, who, "special.saved", "special", day.isoformat(), detail)
        except EditedMeanwhile as changed:
            theirs: Any = changed.current
            self._special_version = theirs.version if theirs else 0
            self._compare(SPECIAL_LABELS, special_values(theirs), special_typed(mine, closed=closed))
            return
        self._no_draft()
        await self._done(SPECIAL, f"{day_name(day)} is set.", made.affected)

    async def _save_choices(self, who: Staff) -> None:
        mine = {"usual": "", "holidays": "", **self._mine}
        closed = {"closed": True, "open": False}.get(mine["holidays"])
        try:
            async with session_scope() as session:
                made = await business_hours.save_choices(
                    session, self._choices_version, capacity=seats_typed("usual", mine["usual"]),
                    closed_on_holidays=closed, actor=who.email,
                )  # fmt: skip
                fields = changed_fields(CHOICE_LABELS, self.choice, mine)
                await audit.record(session, who, "choices.saved", "choices", "booking", fields)
        except EditedMeanwhile as changed:
            theirs: Any = changed.current
            self._choices_version = theirs.version
            self._compare(CHOICE_LABELS, spoken_choices(choice_values(theirs)), spoken_choices(mine))
            return
        await self._draft_choices()
        await self._done(CHOICES, "The choices hold from now on.", made.affected)

    def _began(self, form: str, sent: object) -> dict[str, str]:
        self.sent, self.found, self.touched, self.done = form, [], [], ""
        return submitted(sent)

    async def _done(self, form: str, said: str, affected: Sequence[BookingRecord]) -> None:
        self.sent, self.found, self.touched = form, [], touched(affected)
        self._redraw(form)
        await self._load()
        self._say(said)

    def _compare(self, labels: dict[str, str], theirs: dict[str, str], mine: dict[str, str]) -> None:
        self.found = differences(labels, theirs, mine)
        self.errors = {}
        if not self.found:
            self._say("Somebody else has just saved the same.")

    def _no_draft(self) -> None:
        self.draft, self._special_version, self.found = {}, 0, []
        self._redraw(SPECIAL)

    def _redraw(self, form: str) -> None:
        self.rounds = {**self.rounds, form: self.rounds.get(form, 0) + 1}

    async def _draft_choices(self) -> None:
        async with report_scope() as session:
            stands = await business_hours.choices(session)
        self.choice, self._choices_version = choice_values(stands), stands.version
        self._redraw(CHOICES)

    async def _load(self) -> None:
        await self._load_arrangements()
        await self._load_misplaced()

    async def _load_misplaced(self) -> None:
        async with report_scope() as session:
            found = touched(
                await business_hours.out_of_place(session, now(), now() + business_hours.FARTHEST)
            )
        if found != self.misplaced:
            self.misplaced = found

    async def _load_arrangements(self) -> bool:
        async with report_scope() as session:
            blackouts = [blackout_row(one) for one in await business_hours.list_blackouts(session)]
            days = await business_hours.list_special_days(session)
            stands = await business_hours.choices(session)
        found: dict[str, Any] = {
            "blackouts": blackouts,
            "specials": [special_row(one) for one in days],
            "holidays": coming_holidays(days, closed=closed_on_holidays(stands)),
            "standing": standing_choices(spoken_choices(choice_values(stands))),
        }
        changed = {name: value for name, value in found.items() if getattr(self, name) != value}
        for name, value in changed.items():
            setattr(self, name, value)
        return bool(changed)


async def _removable(session: AsyncSession, kind: str, name: str) -> tuple[str, tuple[str, str, int]] | None:
    if kind == BLACKOUT:
        for one in await business_hours.list_blackouts(session):
            if str(one.id) == name:
                return f"Take bookings again from {blackout_row(one).span}?", (kind, name, one.id)
    if kind == SPECIAL:
        for day in await business_hours.list_special_days(session):
            if day.date.isoformat() == name:
                question = f"Let {day_name(day.date)} be like any other {day.date:%A} again?"
                return question, (kind, name, day.version)
    return None


async def _remove(session: AsyncSession, kind: str, name: str, number: int) -> Sequence[BookingRecord]:
    if kind == BLACKOUT:
        await business_hours.remove_blackout(session, number)
        return ()
    return (await business_hours.remove_special_day(session, day_typed("day", name), number)).affected
