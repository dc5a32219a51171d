"""Privacy notice and terms: the data controller, retention periods, and the two texts (`legal/*.md`).

Retention periods are settings (`retention_…` and the window of `rate_limit_sends`), which a build does not have: the text
contains a placeholder for each period, which publishing replaces. So the page cannot contradict the settings.
"""

import re
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Literal

from pydantic import EmailStr, Field, HttpUrl

from agency_site.clock import format_date, format_wait
from agency_site.content.article_schema import Heading
from agency_site.content.brand import BRAND
from agency_site.content.markdown import read
from agency_site.content.schema import Figure, Record
from agency_site.settings import Settings


class _Controller(Record):
    """The data controller (Data Protection Act 2019, section 29). A new owner fills this in."""

    name: str
    """The registered name."""
    contact: EmailStr
    registration: str = ""
    """Number in the register of the Data Commissioner; not shown if empty."""
    servers: str
    """The location of the servers."""
    mail_provider: str
    """The e-mail provider and its location."""


class _Regulator(Record):
    """The authority for complaints."""

    name: str
    short_name: str
    address: str
    email: EmailStr
    website: HttpUrl


class Period(Record):
    """The retention period of one kind of data."""

    setting: str = Field(pattern=r"^retention_[a-z_]+_days$")
    what: str
    since: str = Field(pattern=r"^[A-Za-z ,-]+$")
    """The event that starts the period; plain words, because publishing writes them into scripts too."""


class LegalText(Record):
    """One of the two texts. Fields of the front matter come first; the loader adds the last ones."""

    slug: Literal["privacy", "terms"]
    title: str = Field(max_length=60)
    description: str = Field(min_length=50, max_length=160)
    heading: str
    lead: str
    changed: date
    """Day of the last change, shown on the page."""
    figures: tuple[Figure, ...]
    html: str
    headings: tuple[Heading, ...]
    source: str

    @property
    def changed_line(self) -> str:
        """The line `Last changed on 3 November 2026`."""
        return f"Last changed on {format_date(self.changed)}"


CONTROLLER = _Controller(
    name=f"{BRAND.name} Limited",
    contact=BRAND.email,
    servers="on servers in Nairobi",
    mail_provider="the company that carries our e-mails, whose servers are in the European Union",
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
        what="Paid orders, with payment and receipt, because tax and company law require the records",
        since="the last change of the order",
    ),
    Period(
        setting="retention_unpaid_orders_days", what="Orders that were never paid", since="the last attempt"
    ),
    Period(setting="retention_free_orders_days", what="Places in free courses", since="the enrolment"),
    Period(
        setting="retention_learners_days",
        what="Name, address and phone number of a learner, also on the page of the certificate",
        since="the last session",
    ),
    Period(
        setting="retention_waiting_list_days",
        what="Name, address and phone number of a person on a waiting list",
        since="its first session",
    ),
    Period(
        setting="retention_enquiries_days",
        what="Messages and plan sign-ups that we have answered, with our answers",
        since="the last message",
    ),
    Period(setting="retention_registrations_days", what="Webinar registrations", since="the webinar"),
    Period(
        setting="retention_comments_days",
        what="Comments that were rejected, or that you withdrew",
        since="that day",
    ),
    Period(
        setting="retention_unconfirmed_days",
        what="Newsletter sign-ups that were never confirmed",
        since="the sign-up",
    ),
    Period(
        setting="retention_unsubscribed_days",
        what="Your address once you leave the newsletter",
        since="that day",
    ),
    Period(setting="retention_mail_days", what="Copies of the e-mails that we sent you", since="sending"),
    Period(
        setting="retention_texts_days",
        what="Copies of the text messages that we sent you, and whether you want reminders by SMS",
        since="the last one",
    ),
    Period(
        setting="retention_visits_days",
        what="Daily counts of opened pages, which point to no person",
        since="the day",
    ),
    Period(
        setting="retention_sign_ins_days", what="Attempts to sign in to our back office", since="the attempt"
    ),
    Period(setting="retention_staff_sessions_days", what="Sign-ins of our own staff", since="signing out"),
)
"""Periods in the order of the page's table."""

ANALYTICS, ANALYTICS_HEADING, ANALYTICS_GROUND = "analytics", "analytics_heading", "analytics_ground"
"""Placeholders of what is said about counting services of other companies: the sentences, their heading, the legal ground."""
BACKUPS = "backups"
"""Placeholder of the time for which backups are kept."""
SENDS_WINDOW = "sends_window"
"""Placeholder of the time for which submits from one address are counted."""
UNTIL_ERASED_ON_REQUEST = "until you ask us to erase it"
_YEAR = 365.25
_PLACEHOLDER = re.compile(r"\{\{ ?([a-z_]+) ?\}\}")


def placeholder(name: str) -> str:
    """Return the placeholder of a period in the build."""
    return f"@@{name}@@"


def format_days(days: int) -> str:
    """Return a text such as `90 days` or `7 years`."""
    years = round(days / _YEAR)
    if years and abs(days - years * _YEAR) < 1:
        return f"{years} year{'s' if years > 1 else ''}"
    return f"{days} day{'s' if days != 1 else ''}"


def period_line(period: Period, days: int) -> str:
    """Return a text such as `2 years after the consultation`; 0 days mean no limit."""
    return f"{format_days(days)} after {period.since}" if days else UNTIL_ERASED_ON_REQUEST


def with_periods(content: bytes, chosen: Settings) -> bytes:
    """Return a built file with the periods of these settings."""
    if b"@@" not in content:
        return content
    for name, line in _period_texts(chosen):
        content = content.replace(placeholder(name).encode(), line.encode())
    return content


def _describe_analytics(chosen: Settings) -> dict[str, str]:
    """Return the texts of the privacy notice about counting services of other companies by their placeholders."""
    without_cookies = {"Plausible": chosen.plausible_domain, "Umami": chosen.umami_website}
    with_consent = {"Google Analytics": chosen.ga4_id, "the Meta Pixel": chosen.meta_pixel_id}
    counting = [name for name, identity in without_cookies.items() if identity]
    asking = [name for name, identity in with_consent.items() if identity]
    sentences = []
    if counting:
        sentences.append(
            f"{' and '.join(counting)} can count the pages that you open, without cookies and without recognising you."
        )
    if asking:
        sentences.append(
            f"If you agree, {' and '.join(asking)} can record the pages that you open, with cookies. "
            "You can agree, refuse and change your mind at the bottom of this page. "
            "If your browser sends Global Privacy Control, we do not even ask."
        )
    if not sentences:
        return {
            ANALYTICS_HEADING: "No other company counts your visits",
            ANALYTICS: "We use no counting service and no pixel of another company.",
            ANALYTICS_GROUND: "none is needed, as nothing is collected.",
        }
    sentences.append("None of them is on pages that only you can open, such as your booking or your order.")
    return {
        ANALYTICS_HEADING: "Other companies count visits",
        ANALYTICS: " ".join(sentences),
        ANALYTICS_GROUND: (
            "your consent where a service recognises you, section 30(1)(a); otherwise our legitimate interest in knowing "
            "which pages are read, section 30(1)(b)(vii)."
        ),
    }


def _describe_backups(chosen: Settings) -> str:
    """Return the time for which the oldest backup is kept, such as `6 months`."""
    counts = (
        (chosen.backup_keep_monthly * 31, chosen.backup_keep_monthly, "month"),
        (chosen.backup_keep_weekly * 7, chosen.backup_keep_weekly, "week"),
        (chosen.backup_keep_daily, chosen.backup_keep_daily, "day"),
    )
    _, count, unit = max(counts)
    return f"{count} {unit}{'s' if count > 1 else ''}"


def _period_texts(chosen: Settings) -> Iterator[tuple[str, str]]:
    for period in PERIODS:
        yield period.setting, period_line(period, getattr(chosen, period.setting))
    yield from _describe_analytics(chosen).items()
    yield BACKUPS, _describe_backups(chosen)
    yield SENDS_WINDOW, format_wait(chosen.sends_window_seconds)


def _rows() -> Iterator[str]:
    yield "| What | How long we keep it |\n| --- | --- |"
    for period in PERIODS:
        yield f"| {period.what} | {placeholder(period.setting)} |"


def _fill(text: str) -> str:
    """Return the text with names, addresses and the table of periods. Raises KeyError for an unknown placeholder."""
    values = {
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
        "sends_window": placeholder(SENDS_WINDOW),
        **{name: placeholder(name) for name in (ANALYTICS, ANALYTICS_HEADING, ANALYTICS_GROUND, BACKUPS)},
    }
    return _PLACEHOLDER.sub(lambda match: values[match[1]], text)


def _text(name: str) -> LegalText:
    return read(Path(__file__).with_name("legal") / f"{name}.md", LegalText, _fill)


PRIVACY, TERMS = _text("privacy"), _text("terms")


def warnings() -> tuple[str, ...]:
    """Return a warning for the owner while the registration with the Data Commissioner is missing."""
    missing = f"CONTROLLER: registration is empty. Register with the {REGULATOR.short_name}, unless your business is exempt."
    return () if CONTROLLER.registration else (missing,)
