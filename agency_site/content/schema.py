"""The schemas of all content: frozen records that refuse unknown fields.

An invalid record stops the start with a message that names module and field.
"""

from datetime import time
from typing import Literal

from pydantic import BaseModel, ConfigDict, EmailStr, Field, HttpUrl

Slug = str


class Record(BaseModel):
    """Base of all content records."""

    model_config = ConfigDict(frozen=True, extra="forbid", str_strip_whitespace=True)


class SocialLink(Record):
    """A profile of the brand on a social network."""

    name: str
    url: HttpUrl
    icon: str


class Brand(Record):
    """The owner of the site. A new owner changes this one record."""

    name: str
    tagline: str
    description: str
    since: int
    address: str
    city: str
    latitude: float = Field(ge=-90, le=90)
    longitude: float = Field(ge=-180, le=180)
    """The entrance, in degrees."""
    phone: str
    """For people."""
    phone_e164: str = Field(pattern=r"^\+254\d{9}$")
    kra_pin: str = Field(default="", pattern=r"^([A-Z][0-9]{9}[A-Z])?$")
    """Stated on invoices; empty if it is not."""
    bank_account: str = Field(default="", max_length=90)
    """For transfers, as invoices state it: bank, branch and account number; empty if none is stated."""
    email: EmailStr
    bookings_email: EmailStr
    staff_email: EmailStr
    video_channel: HttpUrl
    social: tuple[SocialLink, ...]


class Portrait(Record):
    """The looks of a drawn person; the colours of background and clothes depend on the position in the list."""

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
    face: Literal["oval", "round", "long", "square", "heart"] = "oval"
    brows: Literal["soft", "arched", "straight", "heavy", "thin", "raised"] = "soft"
    eyes: Literal["almond", "round", "narrow", "hooded", "tilted", "smiling"] = "almond"
    nose: Literal["straight", "broad", "long", "button", "curved", "flared"] = "straight"
    marks: tuple[
        Literal["freckles", "wrinkles", "frown", "scar", "laughter", "mole", "dimples", "hollows", "bags"],
        ...,
    ] = ()


class Question(Record):
    """A question and its answer."""

    question: str
    answer: str


class Figure(Record):
    """A large numeral and its label."""

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
    """The opening hours of a weekday."""

    opens: time
    closes: time


class Hours(Record):
    """Times of consultations: weekly hours, and the slots within them."""

    week: tuple[Opening | None, ...] = Field(min_length=7, max_length=7)
    """Monday first."""
    slots: tuple[time, ...]
    """Start times; a slot is offered on days whose opening contains its start."""
    slot_minutes: int = Field(gt=0)
    """The length of a consultation."""


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
