"""Privacy notice and terms: who answers for the data, how long each kind is kept, and the two texts (`legal/*.md`).

How long data is kept is decided by settings (`retention_…` and the window of `rate_limit_sends`), which a build does not
know: the text carries a mark for each period, and publishing writes the period in. Page and settings therefore cannot say
two things.
"""

import re
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Literal

from pydantic import EmailStr, Field, HttpUrl

from agency_site.clock import format_wait
from agency_site.content.article_schema import Heading
from agency_site.content.brand import BRAND
from agency_site.content.markdown import read
from agency_site.content.schema import Figure, Record
from agency_site.settings import Settings


class _Controller(Record):
    """Who answers for personal data (Data Protection Act 2019, section 29). A new owner fills this in."""

    name: str
    """The registered name."""
    contact: EmailStr
    registration: str = ""
    """Number in the register of the Data Commissioner; empty: not shown."""
    servers: str
    """Where the servers are."""
    mail_provider: str
    """Who carries our e-mails, and where."""


class _Regulator(Record):
    """Where people complain about us."""

    name: str
    short_name: str
    address: str
    email: EmailStr
    website: HttpUrl


class Period(Record):
    """How long one kind of data is kept."""

    setting: str = Field(pattern=r"^retention_[a-z_]+_days$")
    what: str
    since: str = Field(pattern=r"^[A-Za-z ,-]+$")
    """What the period is counted from; plain words, because publishing writes them into scripts too."""


class LegalText(Record):
    """One of the two texts; what front matter gives comes first, what the loader adds comes last."""

    slug: Literal["privacy", "terms"]
    title: str = Field(max_length=60)
    description: str = Field(min_length=50, max_length=160)
    heading: str
    lead: str
    changed: date
    """Day of the last change, which the page shows."""
    figures: tuple[Figure, ...]
    html: str
    headings: tuple[Heading, ...]
    source: str

    @property
    def changed_line(self) -> str:
        """Such as `Last changed on 3 November 2026`."""
        return f"Last changed on {self.changed.day} {self.changed:%B %Y}"


CONTROLLER = _Controller(
    name=f"{BRAND.name} Limited",
    contact=BRAND.email,
    servers="on servers in Nairobi",
    mail_provider="the company that carries our e-mails, whose servers stand in the European Union",
)

REGULATOR = _Regulator(
    name="Office of the Data Protection Commissioner",
    short_name="ODPC",
    address="Britam Tower, Hospital Road, Upper Hill, Nairobi",
    email="info@odpc.go.ke",
    website="https://www.odpc.go.ke",
)

PERIODS: tuple[Period, ...] = (
    Period(setting="retention_bookings_days", what="Bookings of consultations", since="the consultation"),
    Period(
        setting="retention_paid_orders_days",
        what="Paid orders, with payment and receipt, because tax and company law want the books",
        since="the last change of the order",
    ),
    Period(
        setting="retention_unpaid_orders_days", what="Orders that were never paid", since="the last attempt"
    ),
    Period(setting="retention_free_orders_days", what="Places in free courses", since="the enrolment"),
    Period(
        setting="retention_learners_days",
        what="Name and address of who takes a place in a course",
        since="its last session",
    ),
    Period(
        setting="retention_waiting_list_days",
        what="Name and address of who waits for a place in a course",
        since="its first session",
    ),
    Period(
        setting="retention_enquiries_days",
        what="Messages and plan sign-ups that we have answered, with our answers",
        since="the last word",
    ),
    Period(setting="retention_registrations_days", what="Webinar registrations", since="the webinar"),
    Period(
        setting="retention_comments_days",
        what="Comments that were rejected, or that you took back",
        since="that day",
    ),
    Period(
        setting="retention_unconfirmed_days",
        what="Newsletter sign-ups that nobody confirmed",
        since="the sign-up",
    ),
    Period(
        setting="retention_unsubscribed_days",
        what="Your address once you leave the newsletter",
        since="that day",
    ),
    Period(setting="retention_mail_days", what="Copies of the e-mails that we sent you", since="sending"),
    Period(
        setting="retention_sign_ins_days", what="Attempts to sign in to our back office", since="the attempt"
    ),
    Period(setting="retention_staff_sessions_days", what="Sign-ins of our own staff", since="signing out"),
)
"""In the order of the page's table."""

SENDS_WINDOW = "sends_window"
"""Names the time for which submits from one address are counted."""
FOR_GOOD = "until you ask us to erase it"
_YEAR = 365.25
_NAMED = re.compile(r"\{\{ ?([a-z_]+) ?\}\}")


def mark(name: str) -> str:
    """The placeholder of a period in the build."""
    return f"@@{name}@@"


def format_days(days: int) -> str:
    """Such as `90 days` or `7 years`."""
    years = round(days / _YEAR)
    if years and abs(days - years * _YEAR) < 1:
        return f"{years} year{'s' if years > 1 else ''}"
    return f"{days} day{'s' if days != 1 else ''}"


def period_line(period: Period, days: int) -> str:
    """Such as `2 years after the consultation`; 0 days mean for good."""
    return f"{format_days(days)} after {period.since}" if days else FOR_GOOD


def with_periods(content: bytes, chosen: Settings) -> bytes:
    """A built file with the periods of these settings in it."""
    if b"@@" not in content:
        return content
    for name, line in _spoken_periods(chosen):
        content = content.replace(mark(name).encode(), line.encode())
    return content


def _spoken_periods(chosen: Settings) -> Iterator[tuple[str, str]]:
    for period in PERIODS:
        yield period.setting, period_line(period, getattr(chosen, period.setting))
    yield SENDS_WINDOW, format_wait(chosen.sends_window_seconds)


def _rows() -> Iterator[str]:
    yield "| What | How long we keep it |\n| --- | --- |"
    for period in PERIODS:
        yield f"| {period.what} | {mark(period.setting)} |"


def _fill(text: str) -> str:
    """The text with names, addresses and the table of periods. Raises KeyError for a name that nothing has."""
    named = {
        "brand": BRAND.name,
        "controller": CONTROLLER.name,
        "registered": (
            f" We are registered with the {REGULATOR.short_name} under number {CONTROLLER.registration}."
            if CONTROLLER.registration
            else ""
        ),
        "address": f"{BRAND.address}, {BRAND.city}, Kenya",
        "phone": f"[{BRAND.phone}](tel:{BRAND.phone_e164})",
        "email": f"[{CONTROLLER.contact}](mailto:{CONTROLLER.contact})",
        "servers": CONTROLLER.servers,
        "mail_provider": CONTROLLER.mail_provider,
        "odpc": f"{REGULATOR.name} ({REGULATOR.short_name})",
        "odpc_short": REGULATOR.short_name,
        "odpc_address": REGULATOR.address,
        "odpc_email": f"[{REGULATOR.email}](mailto:{REGULATOR.email})",
        "odpc_website": f"[{str(REGULATOR.website.host).removeprefix('www.')}]({REGULATOR.website})",
        "periods": "\n".join(_rows()),
        "sends_window": mark(SENDS_WINDOW),
    }
    return _NAMED.sub(lambda found: named[found[1]], text)


def _text(name: str) -> LegalText:
    return read(Path(__file__).with_name("legal") / f"{name}.md", LegalText, _fill)


PRIVACY, TERMS = _text("privacy"), _text("terms")
