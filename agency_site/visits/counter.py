"""The views that this process has counted and not yet written. They hold pages and origins, nothing of a person."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date as Date  # noqa: N812 - a field is called date
from typing import NamedTuple

from agency_site.clock import today
from agency_site.visits.rules import NO_ORIGIN, Origin

MOST_KEYS = 2000
"""Different origins of pages that a process counts on one day: addresses with invented campaigns must not fill the database."""
OTHER = Origin(source="other")
"""The origin of all further views."""


class ViewKey(NamedTuple):
    """The columns by which views are counted."""

    date: Date
    """The day in Nairobi."""
    page: str
    source: str
    medium: str
    campaign: str

    @classmethod
    def of(cls, day: Date, page: str, origin: Origin) -> "ViewKey":
        return cls(day, page, origin.source, origin.medium, origin.campaign)


@dataclass(slots=True)
class Tally:
    """The views of one key, and how many of them began a visit."""

    views: int = 0
    visits: int = 0

    def add(self, views: int, visits: int) -> None:
        self.views += views
        self.visits += visits


Tallies = Mapping[ViewKey, Tally]


class ViewCounter:
    """Counts views in memory until they are written."""

    def __init__(self) -> None:
        self._tallies: dict[ViewKey, Tally] = {}
        self._origins: set[ViewKey] = set()
        """The keys with an origin of the present day, those written before included."""
        self._day = Date.min

    def add(self, page: str, origin: Origin, visits: int) -> None:
        """Count a view of a page today; `visits` is 1 if a visit begins with it."""
        key = ViewKey.of(today(), page, origin)
        tally = self._tallies.get(key) or self._open(key, origin)
        tally.add(1, visits)

    def _open(self, key: ViewKey, origin: Origin) -> Tally:
        if origin != NO_ORIGIN:
            key = self._bound(key)
        return self._tallies.setdefault(key, Tally())

    def _bound(self, key: ViewKey) -> ViewKey:
        if key.date != self._day:
            self._day, self._origins = key.date, set()
        if key not in self._origins and len(self._origins) >= MOST_KEYS:
            return ViewKey.of(key.date, key.page, OTHER)
        self._origins.add(key)
        return key

    def take(self) -> Tallies:
        """Return what was counted since the last call."""
        taken, self._tallies = self._tallies, {}
        return taken

    def put_back(self, tallies: Tallies) -> None:
        """Add what could not be written."""
        for key, tally in tallies.items():
            self._tallies.setdefault(key, Tally()).add(tally.views, tally.visits)


VIEWS = ViewCounter()
"""The counter of this process."""
