"""The views that this process has counted and not yet written. They hold pages and origins; how many each
network of addresses has added is in memory alone, for a day."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date as Date  # noqa: N812 - a field is called date
from datetime import timedelta
from typing import NamedTuple

from agency_site.clock import today
from agency_site.visits.networks import PAID, SOCIAL, find_network
from agency_site.visits.rules import NO_ORIGIN, Origin

MOST_KEYS = 2000
"""Different origins of pages that a process counts on one day, of known networks and of others alike: addresses with invented
campaigns must not fill the database."""
MOST_OF_NETWORK = 200
"""Those of them that visitors with one network of addresses can add: hundreds may be behind one, but see few campaigns."""
OTHER = Origin(source="other")
"""The origin of all further views."""
_OWN_MEDIA = frozenset({"", SOCIAL, PAID})


def is_known(source: str) -> bool:
    """Return whether visits come from a known network, or from nowhere that is named."""
    return not source or find_network(source) is not None


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
        self._day = Date.min
        self._origins: dict[bool, set[ViewKey]] = {True: set(), False: set()}
        """The keys with an origin of the present day, those written before included, by whether a known network is the source."""
        self._earlier: frozenset[ViewKey] = frozenset()
        """The keys of the day before: they keep their room."""
        self._added: Counter[str] = Counter()
        """How many keys the visitors of each network of addresses have added today."""

    def add(self, page: str, origin: Origin, visits: int, network: str = "") -> None:
        """Count a view of a page today; `visits` is 1 if a visit begins with it. `network` is that of the visitor's address."""
        key = ViewKey.of(today(), page, origin)
        tally = self._tallies.get(key) or self._open(key, origin, network)
        tally.add(1, visits)

    def _open(self, key: ViewKey, origin: Origin, network: str) -> Tally:
        if origin != NO_ORIGIN:
            key = self._bound(key, network)
        return self._tallies.setdefault(key, Tally())

    def _bound(self, key: ViewKey, network: str) -> ViewKey:
        if key.date != self._day:
            self._earlier = frozenset().union(*self._origins.values())
            self._day, self._added = key.date, Counter()
            self._origins = {True: set(), False: set()}
        if not self._has_room(key, network):
            return ViewKey.of(key.date, key.page, OTHER)
        self._origins[is_known(key.source)].add(key)
        return key

    def _has_room(self, key: ViewKey, network: str) -> bool:
        """Return whether a key may be counted. Known networks without a campaign always may: there are few."""
        alike = self._origins[is_known(key.source)]
        is_plain = is_known(key.source) and not key.campaign and key.medium in _OWN_MEDIA
        if key in alike or is_plain or key._replace(date=key.date - timedelta(days=1)) in self._earlier:
            return True
        if len(alike) >= MOST_KEYS or self._added[network] >= MOST_OF_NETWORK:
            return False
        self._added[network] += 1
        return True

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
