"""The shapes of all content: frozen records that refuse unknown fields.

A record that does not fit stops the start and names module and field.
"""

from datetime import time
from typing import Literal

from pydantic import BaseModel, ConfigDict, EmailStr, Field, HttpUrl

Slug = str


class Record(BaseModel):
    """Base of all content records."""

    model_config = ConfigDict(frozen=True, extra="forbid", str_strip_whitespace=True)


class SocialLink(Record):
    """A profile of the brand elsewhere."""

    name: str
    url: HttpUrl
    icon: str


class Brand(Record):
    """Who the site speaks for. A new owner changes this one record."""

    name: str
    tagline: str
    description: str
    since: int
    address: str
    city: str
    latitude: float = Field(ge=-90, le=90)
    longitude: float = Field(ge=-180, le=180)
    """Of the door, in degrees: the point on the map."""
    phone: str
    """As people read it."""
    phone_e164: str = Field(pattern=r"^\+254\d{9}$")
    kra_pin: str = Field(default="", pattern=r"^([A-Z][0-9]{9}[A-Z])?$")
    """Stated on invoices; empty: it is not."""
    bank_account: str = Field(default="", max_length=90)
    """For transfers, as invoices state it: bank, branch and account number; empty if none is stated."""
    email: EmailStr
    bookings_email: EmailStr
    staff_email: EmailStr
    video_channel: HttpUrl
    social: tuple[SocialLink, ...]


class Portrait(Record):
    """How a drawn person looks; the colours of ground and clothes follow from the place in the list."""

    skin: Literal["ebony", "coffee", "chestnut", "cinnamon", "honey"]
    hair: Literal[
        "afro", "short", "fade", "bald", "braids", "locs", "headwrap", "hijab", "kofia", "bun", "cornrows"
    ]
    wear: Literal["beads", "blazer", "kitenge", "tee", "tunic", "shirt", "rollneck"]
    hair_colour: str = Field(default="#1B1210", pattern=r"^#[0-9A-F]{6}$")
    glasses: Literal["", "round", "square"] = ""
    beard: Literal["", "full", "chin", "moustache"] = ""
    earrings: bool = False
    laughing: bool = False


class Question(Record):
    """A question and its answer."""

    question: str
    answer: str


class Figure(Record):
    """A large numeral and what it counts."""

    figure: str
    label: str


class Benefit(Record):
    """One advantage, in a title and a sentence."""

    title: str
    text: str


class Link(Record):
    """A labelled target inside the site (starting with a slash) or outside."""

    label: str
    href: str


class Opening(Record):
    """One weekday's opening; none: closed."""

    opens: time
    closes: time


class Hours(Record):
    """When consultations can be held: weekly hours, and the slots that are offered inside them."""

    week: tuple[Opening | None, ...] = Field(min_length=7, max_length=7)
    """Monday first."""
    slots: tuple[time, ...]
    """Start times; a slot is offered on days whose opening contains its start."""
    slot_minutes: int = Field(gt=0)
    """How long a consultation lasts."""


class HeroSlide(Record):
    """One slide of the home page's carousel."""

    id: Slug
    image: str
    title: str
    accent: str = ""
    """The highlighted words of the title."""
    text: str
    main: Link
    other: Link
