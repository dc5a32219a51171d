"""The shapes of what is written in Markdown: blog articles and insights."""

from datetime import date
from enum import StrEnum
from typing import Literal, Self

from pydantic import Field, field_validator, model_validator

from agency_site.content.brand import BRAND
from agency_site.content.schema import Record, Slug

_PRODUCT = BRAND.name.replace(" ", "")
"""The brand as a hashtag; replaces `{product}` in front matter."""

Size = str
"""A window: width x height in pixels, and where it opens, as in `626x436+100+100` (left, then top)."""
_SIZE_SHAPE = r"^\d{3,4}x\d{3,4}(\+\d{1,4}\+\d{1,4})?$"

Ground = Literal["ink", "lake", "leaf", "deep", "brand"]


class ArticleCategory(StrEnum):
    """What an article is about, as its teaser and its head say it (specification, section 2)."""

    DIGITAL_MARKETING = "Digital Marketing"
    CONTENT_CREATION = "Content Creation"
    EMAIL_MARKETING = "Email Marketing"
    VIDEO_MARKETING = "Video Marketing"
    STORYTELLING = "Storytelling"


class Shelf(StrEnum):
    """Where the blog's sidebar files an article (specification, section 2)."""

    DIGITAL_STRATEGY = "Digital Strategy"
    CONTENT_CREATION = "Content Creation"
    EMAIL_MARKETING = "Email Marketing"
    SOCIAL_MEDIA = "Social Media"
    VIDEO_MARKETING = "Video Marketing"
    ANALYTICS = "Analytics"


class InsightCategory(StrEnum):
    """What an insight is about."""

    COMMERCE = "Commerce"
    SEARCH = "Search"
    ANALYTICS = "Analytics"
    DESIGN = "Design"
    STRATEGY = "Strategy"
    SOCIAL_MEDIA = "Social Media"


class Contents(StrEnum):
    """How a table of contents behaves."""

    LISTED = "listed"
    """Names the sections and links to none."""
    LINKED = "linked"
    FOLDING = "folding"
    """Folds away; choosing an entry scrolls there and closes it."""


class Heading(Record):
    """A section of an article; the id is the text in lower case with hyphens for spaces (specification, section 4)."""

    id: str
    text: str


class Call(Record):
    """An invitation with a button."""

    title: str
    text: str
    label: str = "Contact us"
    href: str = "/contact"


class Sharing(Record):
    """How an article's share buttons behave (specification, section 7)."""

    popup: Size = Field("600x400", pattern=_SIZE_SHAPE)
    """Window of every network that `popups` does not name."""
    popups: dict[Literal["x", "facebook", "pinterest", "linkedin"], Size] = {}
    hashtags: tuple[str, ...] = ()
    """Passed to Twitter/X."""
    pin_description: str = ""
    """Passed to Pinterest; empty: the title."""


class Written(Record):
    """Anything with a Markdown body. What front matter gives comes first, what the loader adds comes last."""

    slug: Slug = Field(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$")
    title: str = Field(max_length=60)
    description: str = Field(min_length=50, max_length=160)
    """What search engines show."""
    image: str = Field(pattern=r"^/(art|images)/.+")
    ground: Ground = "lake"
    """Colour beneath the title, chosen to suit the picture."""
    author: str
    published: date
    revised: date | None = None
    """Day of the last change that a reader would notice; none: unchanged since publication."""
    read_minutes: int = Field(ge=1, le=15)
    featured: bool = False
    excerpt: str
    lead: str = ""
    """First paragraph, set large; empty: the excerpt."""
    call: Call
    """The invitation that ends the page."""
    share: Sharing = Sharing()

    html: str
    headings: tuple[Heading, ...]
    source: str
    """File that it was read from."""

    @property
    def changed(self) -> date:
        """Day of the last change: that of publication, or of the revision."""
        return self.revised or self.published

    @model_validator(mode="after")
    def _revised_after_publication(self) -> Self:
        if self.revised and self.revised < self.published:
            raise ValueError("revised: earlier than published")
        return self

    @property
    def date_line(self) -> str:
        """The date as the site writes it: April 26, 2025."""
        return f"{self.published:%B} {self.published.day}, {self.published.year}"

    @property
    def read_time(self) -> str:
        """How long reading takes: 4 min read."""
        return f"{self.read_minutes} min read"

    @property
    def opening(self) -> str:
        """The large first paragraph."""
        return self.lead or self.excerpt


class Article(Written):
    """A blog article at `/<slug>`."""

    read_minutes: int = Field(ge=3, le=4)
    """3 to 4 (specification, section 9)."""
    category: ArticleCategory
    shelves: tuple[Shelf, ...] = Field(min_length=1)
    tags: tuple[str, ...] = Field(min_length=1)
    contents: Contents = Contents.LINKED
    hashtags: tuple[str, ...] = ()
    next: Call | None = None
    """A box after the last section."""

    @property
    def href(self) -> str:
        """Path of the article's page."""
        return f"/{self.slug}"

    @property
    def share_image(self) -> str:
        """Name of its picture in `assets/share`."""
        return self.slug

    @property
    def section(self) -> str:
        """Where it belongs, in a word or two."""
        return str(self.category)

    @property
    def keywords(self) -> tuple[str, ...]:
        """What it is about."""
        return self.tags

    @property
    def filed_under(self) -> tuple[str, ...]:
        """Every category name under which the blog lists it."""
        return tuple(dict.fromkeys((str(self.category), *map(str, self.shelves))))

    @field_validator("hashtags")
    @classmethod
    def _name_the_product(cls, hashtags: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(hashtag.replace("{product}", _PRODUCT) for hashtag in hashtags)


class Insight(Written):
    """A shorter piece at `/insights/<slug>`."""

    category: InsightCategory

    @property
    def href(self) -> str:
        """Path of the insight's page."""
        return f"/insights/{self.slug}"

    @property
    def share_image(self) -> str:
        """Name of its picture in `assets/share`."""
        return f"insights-{self.slug}"

    @property
    def section(self) -> str:
        """Where it belongs, in a word or two."""
        return str(self.category)

    @property
    def keywords(self) -> tuple[str, ...]:
        """What it is about."""
        return (str(self.category),)
