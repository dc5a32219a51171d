"""The schema of a course: one record for catalogue, featured list, detail page and payment list.

Facts that differ by place in the specification (title, level, rating, price, duration) are separate fields, grouped by
place.
"""

from enum import StrEnum
from typing import Literal, Self

from pydantic import Field, model_validator

from agency_site.content.schema import Benefit, Portrait, Record, Slug
from agency_site.money import kes

HOURS_A_WEEK = 2
"""Weekly effort of all courses (specification, section 9)."""

Look = Literal["dune", "lakeside", "noon", "dawn", "sunrise", "highland", "night", "clay", "tea"]
"""The colours of a course: the scheme in which `make art` draws its head.

`assets/styles/academy.css` has one class for each.
"""


class CourseCategory(StrEnum):
    """The catalogue's filter."""

    MARKETING = "marketing"
    BUSINESS = "business"


class CatalogueCard(Record):
    """The course in the home page's catalogue."""

    id: int = Field(ge=1)
    """Place in the catalogue."""
    title: str
    category: CourseCategory
    description: str
    duration: str = Field(pattern=r"^\d+ Weeks$")
    level: str
    rating: float = Field(ge=0, le=5)


class FeaturedCard(Record):
    """The course on the academy's landing page."""

    id: int = Field(ge=1)
    """Place in the list."""
    title: str
    rating: float = Field(ge=0, le=5)
    line: str
    """The topic in a few words."""


class Week(Record):
    """One week of a course."""

    title: str
    text: str
    task: str
    """The learners' result of the week, as the end of "You make: …"."""


class LearnerVoice(Record):
    """A learner's testimonial."""

    name: str
    title: str
    """Trade and place."""
    quote: str
    image: str
    portrait: Portrait | None = None
    """The portrait that `make art` draws for `image`; None for a photograph."""


class CourseDetail(Record):
    """The content of the course's own page."""

    lead: str
    overview: tuple[str, ...] = Field(min_length=2)
    audience: tuple[str, ...] = Field(min_length=3)
    level: str
    format: str = "Online, with hands-on projects"
    certificate: str = "Certification of Completion"
    learn_heading: Literal["What you learn", "Skills you build"] = "What you learn"
    learn: tuple[str, ...] = Field(min_length=4)
    weeks: tuple[Week, ...]
    benefits: tuple[Benefit, ...] = Field(min_length=3)
    voice: LearnerVoice
    prepare: str
    """Preparation before the first lesson."""
    outcome: str
    """The learners' result at the end."""
    related: tuple[Slug, ...] = Field(min_length=2, max_length=3)
    """Courses that go well before or after this one."""


class Course(Record):
    """One course. Facts that differ by place in the specification have separate fields."""

    slug: Slug
    """Path of the detail page and value of `/payment?course=`."""
    title: str
    """Heading of the detail page."""
    short_title: str
    """The name in breadcrumbs and narrow places."""
    payment_name: str
    """Name in the payment list, identical to `courseName` of the API."""
    detail_price: int = Field(ge=0)
    """KES on the detail page; 0 if the course is free."""
    payment_price: int = Field(ge=0)
    """KES in the payment list, which is charged; 0 if the course is free."""
    position: int = Field(ge=1)
    """Place in the payment list; free courses follow those that cost money."""
    weeks: int
    summary: str
    """One sentence, for cards, the payment page and receipts."""
    description: str = Field(max_length=160)
    """Shown by search engines; `{price}` is replaced by the price on the detail page."""
    is_open: bool = True
    """True if new learners can enrol."""
    look: Look
    cover: str
    """Path of the picture on cards and in lists."""
    head: str
    """Path of the picture at the page's head."""
    icon: str
    catalogue: CatalogueCard | None = None
    """None if the course is not in the home page's catalogue."""
    featured: FeaturedCard
    detail: CourseDetail

    @property
    def free(self) -> bool:
        """Return whether the course is free."""
        return self.payment_price == 0

    @property
    def path(self) -> str:
        """Address of the detail page."""
        return f"/{self.slug}"

    @property
    def enrol_href(self) -> str:
        """Address of the payment page with this course chosen."""
        return f"/payment?course={self.slug}"

    @property
    def shown_price(self) -> str:
        """The price on the detail page."""
        return kes(self.detail_price) if self.detail_price else "FREE"

    @property
    def search_description(self) -> str:
        """The description with the price."""
        return self.description.replace("{price}", self.shown_price)

    @property
    def duration(self) -> str:
        """Length and effort on the detail page."""
        return f"{self.weeks} weeks, {HOURS_A_WEEK} hours a week"

    @model_validator(mode="after")
    def _plan_fits(self) -> Self:
        if len(self.detail.weeks) != self.weeks:
            raise ValueError(
                f"{self.slug}: detail.weeks has {len(self.detail.weeks)} entries, weeks says {self.weeks}"
            )
        if self.catalogue and self.catalogue.duration != f"{self.weeks} Weeks":
            raise ValueError(f"{self.slug}: catalogue.duration does not fit weeks")
        if self.slug in self.detail.related:
            raise ValueError(f"{self.slug}: detail.related names the course itself")
        return self
