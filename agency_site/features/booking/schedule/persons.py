"""The persons who take consultations, as the computation of slots needs them. No I/O."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from agency_site.clock import in_nairobi
from agency_site.clock_times import parse_time_span
from agency_site.content.schema import Opening


@dataclass(frozen=True)
class Person:
    """An active consultant."""

    id: int
    reference: str
    name: str
    seat: int
    ways: frozenset[str]
    """The ways (`consultants.rules.Way`) that this person offers."""
    week: tuple[Opening | None, ...] = ()
    """The person's own hours, Monday first. Empty for all business hours."""

    def works_at(self, start: datetime, length: timedelta) -> bool:
        """Return whether the person's own hours contain a consultation of `length` from `start`."""
        if not self.week:
            return True
        begins, ends = in_nairobi(start), in_nairobi(start + length)
        opening = self.week[begins.weekday()]
        if opening is None or begins.date() != ends.date():
            return False
        return opening.opens <= begins.time() and ends.time() <= opening.closes


@dataclass(frozen=True)
class Wish:
    """The choices of a visitor that narrow down who can take a consultation. Empty ones leave the choice open."""

    way: str = ""
    person: str = ""
    """The reference of a person."""

    def accepts(self, person: Person) -> bool:
        return self.person in ("", person.reference) and (not self.way or self.way in person.ways)


NO_WISH = Wish()


def parse_opening(text: str) -> Opening | None:
    """Parse hours such as `09:00-13:00`; blank text is a day off. Raises ValueError with a message for staff."""
    try:
        span = parse_time_span(text)
    except ValueError:
        raise ValueError("Please enter hours such as 09:00-13:00, or leave the field empty.") from None
    if span is None:
        return None
    opening = Opening(opens=span[0], closes=span[1])
    if opening.closes <= opening.opens:
        raise ValueError("The closing time must be later than the opening time.")
    return opening


def read_week(hours: Mapping[str, str]) -> tuple[Opening | None, ...]:
    """Return the week of stored hours by weekday, `0` for Monday; empty if there are none."""
    return tuple(parse_opening(hours.get(str(day), "")) for day in range(7)) if hours else ()
