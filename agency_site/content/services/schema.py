"""The schemas of the services: the card on the services page, and the parts of a service's own page."""

from pydantic import Field

from agency_site.content.schema import Figure, Link, Record, Slug

RATING = "5.0"
"""Badge of every service card (specification, section 9)."""
CARD_FEATURES = 3
"""Features that a card shows (specification, section 9)."""


class Offer(Record):
    """One part of a service."""

    title: str
    text: str
    points: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    image: str = ""
    """A drawing, if the page shows one."""
    alt: str = ""


class Step(Record):
    """One step of a process. Its number is a field, because one list repeats a number."""

    number: str
    title: str
    text: str


class Technology(Record):
    """A tool that the studio builds with."""

    name: str
    used_for: str


class Program(Record):
    """One card of the training overview; it leads to one course or to two."""

    title: str
    text: str
    audience: str
    courses: tuple[Slug, ...] = Field(min_length=1)


class Intro(Record):
    """A section's heading and the text below it."""

    title: str
    text: str = ""


class Closing(Record):
    """The call to action at the end of a page."""

    title: str
    text: str
    link: Link


class Service(Record):
    """One service: its card and its own page. Sections that a page lacks stay empty."""

    slug: Slug
    """Last part of the page's path, and the name of its cover."""
    icon: str
    name: str
    """Title of the card."""
    summary: str
    """Description on the card."""
    features: tuple[str, ...] = Field(min_length=CARD_FEATURES)
    """The card shows the first three."""

    heading: str
    lead: str
    seo_title: str = Field(max_length=43)
    """At most 60 characters together with the brand's name."""
    seo_description: str = Field(max_length=160)
    share_words: str = ""
    """The words in the share image; empty for the heading."""

    offers_intro: Intro
    offers: tuple[Offer, ...]
    figures_intro: Intro | None = None
    figures: tuple[Figure, ...] = ()
    work_intro: Intro | None = None
    """Heading of the projects, which the portfolio has (`content/portfolio.py`)."""
    steps_intro: Intro | None = None
    steps: tuple[Step, ...] = ()
    stack_intro: Intro | None = None
    stack: tuple[Technology, ...] = ()
    programs: tuple[Program, ...] = ()
    closing: Closing

    @property
    def path(self) -> str:
        """The path of the service's page."""
        return f"/services/{self.slug}"
