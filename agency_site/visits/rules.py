"""The origin of a visit: read from the address and the referrer of a view. No I/O.

Robots are recognised by their user agent alone: one that pretends to be a browser is counted.
"""

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Any
from urllib.parse import SplitResult, unquote_to_bytes, urlsplit

from agency_site.visits.networks import MARKS, find_network, name_source


@dataclass(frozen=True)
class Origin:
    """Where a visit came from. Unknown parts are empty."""

    source: str = ""
    """The network of `utm_source` or of the page that linked here, such as `google`, else that text or host."""
    medium: str = ""
    """`utm_medium`; without one that of the network, or `cpc` if the address had the mark of an advertisement."""
    campaign: str = ""
    """`utm_campaign`."""
    first_page: str = ""
    """The path of the first page."""

    def continues_with(self, other: "Origin") -> bool:
        """Return whether a view of that origin belongs to this visit; `NO_ORIGIN` is no visit."""
        names = (other.source, other.medium, other.campaign)
        return self != NO_ORIGIN and (not any(names) or names == (self.source, self.medium, self.campaign))

    def columns(self) -> dict[str, Any]:
        """Return the values of the columns of `tables.WithOrigin`."""
        return {
            "visit_source": self.source,
            "visit_medium": self.medium,
            "visit_campaign": self.campaign,
            "visit_page": self.first_page,
        }

    @property
    def text(self) -> str:
        """A text for staff, such as `google (cpc), campaign spring, first page /book`; empty if nothing is known."""
        medium = f" ({self.medium})" if self.medium else ""
        parts = (
            f"{self.source or 'direct'}{medium}",
            f"campaign {self.campaign}" if self.campaign else "",
            f"first page {self.first_page}" if self.first_page else "",
        )
        return ", ".join(filter(None, parts)) if self != NO_ORIGIN else ""


NO_ORIGIN = Origin()
ORIGIN_COLUMNS = tuple(NO_ORIGIN.columns())
LONGEST = 80
"""Characters of source, medium and campaign."""
LONGEST_PAGE = 200
_LONGEST_QUERY, _LONGEST_REFERRER, _LONGEST_AGENT = 2000, 2000, 400
"""Characters that are read; browsers and advertisements send fewer."""

_CAMPAIGN_FIELDS = ("utm_source", "utm_medium", "utm_campaign")
_HOST = re.compile(r"(?:[a-z0-9_-]+\.)+[a-z][a-z0-9-]+")
_SCHEMES = ("http://", "https://", "android-app://")
_NO_ADDRESS = urlsplit("")
_PAGE = re.compile(r"/[A-Za-z0-9._~/-]*")

_BROWSERS = ("Mozilla/", "Opera/", "UCWEB/")
"""The beginnings of the user agents of all browsers; libraries and the previews of messengers begin otherwise."""
_ROBOT = re.compile(
    # Cubot makes phones. Robots name a page about themselves.
    r"(?<!cu)bot|crawl|spider|http|headless|lighthouse|preview|monitor|inspection|archiver|slurp|scan",
    re.IGNORECASE,
)


def clean_part(value: str) -> str:
    """Return a source, medium or campaign in lower case and on one line, without characters that are not printed."""
    beginning = value[: 4 * LONGEST].lower()
    if not beginning.isprintable():
        beginning = "".join(char if char.isprintable() else " " for char in beginning)
    return " ".join(beginning.split())[:LONGEST].strip()


def is_page(path: str) -> bool:
    """Return whether a text may be the path of a page of ours."""
    return len(path) <= LONGEST_PAGE and _PAGE.fullmatch(path) is not None


def split_referrer(referrer: str) -> SplitResult:
    """Return the parts of a referrer; all are empty if it is no address of a page."""
    if not referrer.startswith(_SCHEMES):
        return _NO_ADDRESS
    try:
        return urlsplit(referrer[:_LONGEST_REFERRER])
    except ValueError:
        return _NO_ADDRESS


def find_host(referrer: str) -> str:
    """Return the host of a referrer in lower case, without port; empty if there is none."""
    return split_referrer(referrer).hostname or ""


def find_origin(query: str, referring_host: str, page: str) -> Origin:
    """Return the origin of a view of `page`: of its query if that names one, else of the page that linked to it."""
    host = referring_host if _HOST.fullmatch(referring_host) and len(referring_host) <= LONGEST else ""
    fields = _read_query(query) if query else {}
    source, medium, campaign = (clean_part(fields.get(name, "")) for name in _CAMPAIGN_FIELDS)
    sender, sent_by = _find_sender(host, next((mark for mark in MARKS if mark in fields), ""))
    if source:
        return Origin(name_source(source), medium or _medium_of(source), campaign, page)
    return Origin(sender, medium or sent_by, campaign, page)


def _find_sender(host: str, mark: str) -> tuple[str, str]:
    """Return source and medium by the linking host and the mark of a click.

    A network that sends the visitor is the source, whatever the mark: links are shared with the marks of others. So is any site
    for a mark that is no advertisement's; advertisements are shown on sites of all kinds.
    """
    network = find_network(host)
    marked, medium = MARKS.get(mark, ("", ""))
    if network:
        is_own = marked == network.name or mark in network.paid_by
        return network.name, medium if is_own else network.medium
    if host and marked == "facebook":
        return name_source(host), ""
    return marked or name_source(host), medium


def _medium_of(source: str) -> str:
    """Return the medium of a source that states none."""
    network = find_network(source)
    return network.medium if network else ""


def _read_query(query: str) -> dict[str, str]:
    """Return the fields that are known, decoded; the first of each name counts. Names may have capitals."""
    fields: dict[str, str] = {}
    for part in query[:_LONGEST_QUERY].split("&"):
        name, _, value = part.partition("=")
        name = _decode(name).lower()
        if name in _CAMPAIGN_FIELDS or name in MARKS:
            fields.setdefault(name, _decode(value))
    return fields


def _decode(value: str) -> str:
    """Return a part of a query as text: UTF-8, or else the Latin letters of old programs."""
    octets = unquote_to_bytes(value.replace("+", " "))
    try:
        return octets.decode()
    except UnicodeDecodeError:
        return octets.decode("cp1252", errors="replace")


@lru_cache(maxsize=1024)
def _is_robot(agent: str) -> bool:
    return not agent.startswith(_BROWSERS) or _ROBOT.search(agent) is not None


def is_robot(agent: str) -> bool:
    """Return whether a user agent is that of no browser: search engines, monitors, previews, libraries, none."""
    return _is_robot(agent[:_LONGEST_AGENT])
