"""The persons who take consultations."""

from datetime import datetime

from sqlalchemy import JSON, CheckConstraint
from sqlmodel import Field

from agency_site.db.record_versions import Versioned


class Consultant(Versioned, table=True):
    """One person. While there are active persons, the seats of a slot are theirs: each has a seat number of their own,

    so that the index of seats also rejects two consultations of one person at one time.
    """

    __tablename__ = "consultants"
    __table_args__ = (CheckConstraint("seat BETWEEN 0 AND 49", name="seat_in_range"),)

    id: int | None = Field(default=None, primary_key=True)
    reference: str = Field(max_length=16, unique=True)
    """The reference that pages and addresses use, such as `CO-7F3K9Q`."""
    name: str = Field(max_length=120)
    email: str = Field(default="", max_length=254)
    """Where notices of this person's bookings go too; empty for the agency's address only."""
    seat: int = Field(unique=True)
    is_active: bool = True
    """Inactive persons take no new bookings; those that they have stay."""
    hours: dict[str, str] = Field(default_factory=dict, sa_type=JSON)
    """The person's hours by weekday, `0` for Monday, such as `09:00-13:00`. Empty for all business hours."""
    ways: str = Field(default="phone karen video", max_length=40)
    """The ways (`rules.Way`) that this person offers, separated by spaces."""
    video_link: str = Field(default="", max_length=500)
    """The person's own meeting room; without one a video consultation says that a link follows."""
    author: str = Field(max_length=254)
    """The e-mail address of the staff member who changed it last."""
    updated_at: datetime
