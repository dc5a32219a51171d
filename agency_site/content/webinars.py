"""Webinars: five to come and one recorded (readings, 11). Dates and times are Nairobi's."""

from datetime import date, datetime, time, timedelta
from enum import StrEnum

from pydantic import Field

from agency_site import clock
from agency_site.content.brand import BRAND
from agency_site.content.entries import Kind
from agency_site.content.published import published
from agency_site.content.schema import Record, Slug
from agency_site.picture_addresses import share_address_of


class WebinarCategory(StrEnum):
    """The filter of the webinars page, in the order of its buttons."""

    DIGITAL_STRATEGY = "Digital Strategy"
    SOCIAL_MEDIA = "Social Media"
    SEO = "SEO"
    EMAIL_MARKETING = "Email Marketing"
    CONTENT_MARKETING = "Content Marketing"
    ANALYTICS = "Analytics"


class WebinarStatus(StrEnum):
    """The tab of a webinar."""

    UPCOMING = "upcoming"
    PAST = "past"


class Webinar(Record):
    """One webinar."""

    id: Slug
    title: str
    date: date
    time: time
    duration: str = Field(pattern=r"^[1-9][0-9]{0,2} minutes$")
    speaker: str
    speaker_title: str
    description: str
    category: WebinarCategory
    image: str
    status: WebinarStatus
    capacity: int | None = Field(default=None, ge=1)
    """The maximum number of attendees; None for no limit."""
    room: str = Field(default="", pattern=r"^(https://\S+)?$")
    """The address of the live stream, which only mails to registered attendees contain."""
    cancelled: bool = False
    recording: str = ""
    """The address of a past webinar's recording."""

    @property
    def is_coming(self) -> bool:
        """Return whether people can look forward to it: it is upcoming and not cancelled."""
        return self.status is WebinarStatus.UPCOMING and not self.cancelled

    @property
    def href(self) -> str:
        """The webinar's own page."""
        return f"/webinar/{self.id}"

    @property
    def share_image(self) -> str:
        """Name of its picture in `assets/share`, or the address of its cover if staff have uploaded one."""
        return self.image if share_address_of(self.image) else f"webinar-{self.id}"

    @property
    def starts_at(self) -> datetime:
        """The aware start time."""
        return datetime.combine(self.date, self.time, clock.NAIROBI)

    @property
    def ends_at(self) -> datetime:
        """The aware end time."""
        return self.starts_at + timedelta(minutes=int(self.duration.split()[0]))

    @property
    def day(self) -> str:
        """The date in full, such as `Thursday 3 December 2026`."""
        return f"{self.date:%A} {clock.format_date(self.date)}"

    @property
    def clock_time(self) -> str:
        """The time as people here write it, such as `18:30 EAT`."""
        return f"{self.time:%H:%M} EAT"


PAGE_SIZE = 2
"""Webinars on one page of the list (readings, 11)."""


WEBINARS: tuple[Webinar, ...] = (
    Webinar(
        id="plan-2027",
        title="A marketing plan for 2027 on one page",
        date=date(2026, 12, 3),
        time=time(18, 30),
        duration="60 minutes",
        speaker="Brian Ochieng",
        speaker_title="Co-founder, strategy",
        description=(
            "Bring last year's figures, however rough. You leave with one page: who you sell to, what you will say, what "
            "you will spend each month and the two numbers you will look at on Fridays."
        ),
        category=WebinarCategory.DIGITAL_STRATEGY,
        image="/art/covers/plan-2027.svg",
        status=WebinarStatus.UPCOMING,
    ),
    Webinar(
        id="thirty-posts",
        title="Thirty posts from one afternoon in the shop",
        date=date(2027, 1, 14),
        time=time(18, 30),
        duration="75 minutes",
        speaker="Kevin Mutua",
        speaker_title="Film and photography",
        description=(
            "One phone, one helper, one list of shots. Kevin films a Gikomba tailor's stall live and cuts a month of "
            "Instagram, TikTok and WhatsApp status out of it while you watch."
        ),
        category=WebinarCategory.SOCIAL_MEDIA,
        image="/art/covers/thirty-posts.svg",
        status=WebinarStatus.UPCOMING,
    ),
    Webinar(
        id="found-near-me",
        title="Found near me: local search for shops and clinics",
        date=date(2027, 2, 4),
        time=time(18, 30),
        duration="60 minutes",
        speaker="Peter Kiprono",
        speaker_title="Advertising and analytics",
        description=(
            "Why the chemist two streets away shows up first, and what to change this week: the business profile, the "
            "reviews, the page for each branch, and how to ask for a review without begging."
        ),
        category=WebinarCategory.SEO,
        image="/art/covers/found-near-me.svg",
        status=WebinarStatus.UPCOMING,
    ),
    Webinar(
        id="first-newsletter",
        title="Your first newsletter, sent before the hour is over",
        date=date(2027, 2, 25),
        time=time(18, 30),
        duration="60 minutes",
        speaker="Salim Bakari",
        speaker_title="Head of content",
        description=(
            "We set up the list, write a subject line that is true, and send it to people who asked for it. With a plain "
            "walk through the Data Protection Act: what you may keep, and what you must delete."
        ),
        category=WebinarCategory.EMAIL_MARKETING,
        image="/art/covers/first-newsletter.svg",
        status=WebinarStatus.UPCOMING,
        capacity=40,
    ),
    Webinar(
        id="numbers-that-matter",
        title="Five numbers for a business that hates numbers",
        date=date(2027, 3, 11),
        time=time(18, 30),
        duration="60 minutes",
        speaker="Peter Kiprono",
        speaker_title="Advertising and analytics",
        description=(
            "Visits, calls, orders, cost per order and how many come back. Where each one hides, how to read it on a "
            "phone, and how M-Pesa statements tell you more than most dashboards."
        ),
        category=WebinarCategory.ANALYTICS,
        image="/art/covers/numbers-that-matter.svg",
        status=WebinarStatus.UPCOMING,
    ),
    Webinar(
        id="words-that-sell",
        title="Words that sell without shouting",
        date=date(2026, 10, 22),
        time=time(18, 30),
        duration="58 minutes",
        speaker="Salim Bakari",
        speaker_title="Head of content",
        description=(
            "Three product pages from Kenyan shops rewritten live: a mattress, a safari van and a bag of coffee. The rule "
            "of the first line, when Kiswahili beats English, and the sentence that every page forgets."
        ),
        category=WebinarCategory.CONTENT_MARKETING,
        image="/art/covers/words-that-sell.svg",
        status=WebinarStatus.PAST,
        recording=str(BRAND.video_channel),
    ),
)


def webinars() -> tuple[Webinar, ...]:
    """Return the webinars that visitors see."""
    return published(Kind.WEBINAR, WEBINARS)


def find(identity: str) -> Webinar | None:
    """Return the webinar of that id; None if the content no longer has it."""
    return next((webinar for webinar in webinars() if webinar.id == identity), None)


def upcoming() -> tuple[Webinar, ...]:
    """Return upcoming webinars, also cancelled ones, the next one first."""
    return tuple(
        sorted(
            (webinar for webinar in webinars() if webinar.status is WebinarStatus.UPCOMING),
            key=lambda webinar: webinar.date,
        )
    )


def past() -> tuple[Webinar, ...]:
    """Return past webinars, the latest one first."""
    return tuple(
        sorted(
            (webinar for webinar in webinars() if webinar.status is WebinarStatus.PAST),
            key=lambda webinar: webinar.date,
            reverse=True,
        )
    )


_ROOM_DUE = timedelta(days=7)
"""The room should be set this long before a webinar, because the reminder a day before contains it."""


def warnings() -> tuple[str, ...]:
    """Return warnings for the owner: upcoming webinars whose day has passed, or that begin soon without a room."""
    return tuple(warning for webinar in upcoming() if (warning := _warning(webinar)))


def _warning(webinar: Webinar) -> str:
    if webinar.cancelled:
        return ""
    if webinar.date < clock.today():
        return f"{webinar.id}: listed as upcoming, but its date {webinar.date} has passed"
    if not webinar.room and webinar.date < clock.today() + _ROOM_DUE:
        return f"{webinar.id}: takes place on {webinar.date}, and its room is not set yet"
    return ""
