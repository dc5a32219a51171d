"""The schemas of Markdown files: blog articles and insights."""

from datetime import date
from enum import StrEnum
from typing import Literal, Self

from pydantic import Field, field_validator, model_validator

from agency_site.clock import format_date
from agency_site.content.brand import BRAND
from agency_site.content.schema import Record, Slug
from agency_site.picture_addresses import share_address_of

PRODUCT = BRAND.name.replace(" ", "")
"""The brand as a hashtag; replaces `{product}` in front matter."""

_SPECIFIED_DATES = frozenset({date(2025, 4, 26), date(2025, 3, 20), date(2025, 2, 26)})
"""Dates of articles that the specification gives, in section 2: it writes the month first, which binds."""

Size = str
"""A window: width x height in pixels and its position, as in `626x436+100+100` (left, then top)."""
_SIZE_SHAPE = r"^\d{3,4}x\d{3,4}(\+\d{1,4}\+\d{1,4})?$"

Ground = Literal["ink", "lake", "leaf", "deep", "brand"]


class ArticleCategory(StrEnum):
    """The category of an article in its teaser and head (specification, section 2)."""

    DIGITAL_MARKETING = "Digital Marketing"
    CONTENT_CREATION = "Content Creation"
    EMAIL_MARKETING = "Email Marketing"
    VIDEO_MARKETING = "Video Marketing"
    STORYTELLING = "Storytelling"


class SidebarCategory(StrEnum):
    """A category of the blog's sidebar (specification, section 2)."""

    DIGITAL_STRATEGY = "Digital Strategy"
    CONTENT_CREATION = "Content Creation"
    EMAIL_MARKETING = "Email Marketing"
    SOCIAL_MEDIA = "Social Media"
    VIDEO_MARKETING = "Video Marketing"
    ANALYTICS = "Analytics"


class InsightCategory(StrEnum):
    """The category of an insight."""

    COMMERCE = "Commerce"
    SEARCH = "Search"
    ANALYTICS = "Analytics"
    DESIGN = "Design"
    STRATEGY = "Strategy"
    SOCIAL_MEDIA = "Social Media"


class Contents(StrEnum):
    """The behaviour of a table of contents."""

    LISTED = "listed"
    """Lists the sections without links."""
    LINKED = "linked"
    FOLDING = "folding"
    """Can be folded; choosing an entry scrolls there and folds it."""


class Heading(Record):
    """A section of an article; the id is the text in lower case with hyphens for spaces (specification, section 4).

    It has no punctuation, and a number if another element of the page has the id of the text.
    """

    id: str
    text: str


class Call(Record):
    """An invitation with a button."""

    title: str
    text: str
    label: str = "Contact us"
    href: str = "/contact"


GENERAL_CALL = Call(
    title="Talk it over with us",
    text="Write to us or call. We look at where you are today, and say what we would do first.",
)
"""The invitation of a text that staff have added without one of its own."""


class Sharing(Record):
    """The behaviour of an article's share buttons (specification, section 7)."""

    popup: Size = Field("600x400", pattern=_SIZE_SHAPE)
    """Window of every network that is not in `popups`."""
    popups: dict[Literal["x", "facebook", "pinterest", "linkedin"], Size] = {}
    hashtags: tuple[str, ...] = ()
    """Passed to Twitter/X."""
    pin_description: str = ""
    """Passed to Pinterest; empty for the title."""


class Publication(Record):
    """A Markdown file. Fields of the front matter come first; the loader adds the last ones."""

    slug: Slug = Field(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$")
    address: Slug = Field(default="", pattern=r"^([a-z0-9]+(-[a-z0-9]+)*)?$")
    """The last part of the page's path; empty for the slug."""
    former_addresses: tuple[Slug, ...] = ()
    """Last parts of paths at which the page was before."""
    title: str = Field(max_length=255)
    head_title: str = Field(default="", max_length=60)
    """The title for search engines and tabs; empty for the title."""
    description: str = Field(min_length=50, max_length=160)
    """Shown by search engines."""
    image: str = Field(pattern=r"^/(art|images|pictures)/.+")
    ground: Ground = "lake"
    """Background of the title, to match the picture."""
    author: str
    published: date
    revised: date | None = None
    """Day of the last noticeable change; None if there was none since publication."""
    read_minutes: int = Field(ge=1, le=60)
    featured: bool = False
    excerpt: str
    lead: str = ""
    """First paragraph, in large type; empty for the excerpt."""
    call: Call
    """The invitation that ends the page."""
    share: Sharing = Sharing()

    text: str = ""
    """The Markdown."""
    html: str
    headings: tuple[Heading, ...]
    source: str
    """The file; `entry` for what staff have written."""

    @property
    def changed(self) -> date:
        """Day of publication or of the revision."""
        return self.revised or self.published

    @model_validator(mode="after")
    def _revised_after_publication(self) -> Self:
        if self.revised and self.revised < self.published:
            raise ValueError("revised: earlier than published")
        return self

    @property
    def former_paths(self) -> tuple[str, ...]:
        """Paths at which the page was before."""
        own = f"/{self.address or self.slug}"
        folder = self.href.removesuffix(own)
        return tuple(
            f"{folder}/{former}" for former in (self.slug, *self.former_addresses) if own != f"/{former}"
        )

    @property
    def href(self) -> str:
        """Path of the page."""
        return f"/{self.address or self.slug}"

    @property
    def date_line(self) -> str:
        """The date of publication, such as `29 May 2025`; the dates of the specification are written as it writes them."""
        day = self.published
        return f"{day:%B} {day.day}, {day.year}" if day in _SPECIFIED_DATES else format_date(day)

    @property
    def read_time(self) -> str:
        """The reading time, such as `4 min read`."""
        return f"{self.read_minutes} min read"

    @property
    def opening(self) -> str:
        """The large first paragraph."""
        return self.lead or self.excerpt


class Article(Publication):
    """A blog article at `/<slug>`."""

    category: ArticleCategory
    shelves: tuple[SidebarCategory, ...] = Field(min_length=1)
    tags: tuple[str, ...] = Field(min_length=1)
    contents: Contents | None = Contents.LINKED
    """None for no table of contents."""
    hashtags: tuple[str, ...] = ()
    next: Call | None = None
    """A box after the last section."""

    @property
    def share_image(self) -> str:
        """Name of its picture in `assets/share`, or the address of its cover if staff have uploaded one."""
        return self.image if share_address_of(self.image) else self.slug

    @property
    def section(self) -> str:
        """The category, for structured data."""
        return str(self.category)

    @property
    def keywords(self) -> tuple[str, ...]:
        """The topics, for structured data."""
        return self.tags

    @property
    def filed_under(self) -> tuple[str, ...]:
        """Every category in which the blog lists it."""
        return tuple(dict.fromkeys((str(self.category), *map(str, self.shelves))))

    @field_validator("hashtags")
    @classmethod
    def _name_the_product(cls, hashtags: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(hashtag.replace("{product}", PRODUCT) for hashtag in hashtags)


class Insight(Publication):
    """A shorter piece at `/insights/<slug>`."""

    category: InsightCategory

    @property
    def href(self) -> str:
        """Path of the insight's page."""
        return f"/insights/{self.address or self.slug}"

    @property
    def share_image(self) -> str:
        """Name of its picture in `assets/share`, or the address of its cover if staff have uploaded one."""
        return self.image if share_address_of(self.image) else f"insights-{self.slug}"

    @property
    def section(self) -> str:
        """The category, for structured data."""
        return str(self.category)

    @property
    def keywords(self) -> tuple[str, ...]:
        """The topics, for structured data."""
        return (str(self.category),)
