"""Counted views, and the columns of a record that came from a visit."""

from datetime import date as Date  # noqa: N812 - a field is called date

from sqlalchemy import UniqueConstraint
from sqlmodel import Field, SQLModel

from agency_site.db import columns  # noqa: F401 - the naming convention of constraints
from agency_site.visits.rules import LONGEST, LONGEST_PAGE


class WithOrigin(SQLModel):
    """Columns of a record that came from a visit (`rules.Origin`); empty if the origin is unknown."""

    visit_source: str = Field(default="", max_length=LONGEST)
    visit_medium: str = Field(default="", max_length=LONGEST)
    visit_campaign: str = Field(default="", max_length=LONGEST)
    visit_page: str = Field(default="", max_length=LONGEST_PAGE)


class PageViews(SQLModel, table=True):
    """The views of one page on one day in Nairobi by people from one source."""

    __tablename__ = "page_views"
    __table_args__ = (UniqueConstraint("date", "page", "source", "medium", "campaign"),)

    id: int | None = Field(default=None, primary_key=True)
    date: Date
    page: str = Field(max_length=LONGEST_PAGE)
    source: str = Field(default="", max_length=LONGEST)
    """Empty for views without a referrer, and for views that follow within the site."""
    medium: str = Field(default="", max_length=LONGEST)
    campaign: str = Field(default="", max_length=LONGEST)
    views: int = 0
    visits: int = 0
    """The views with which a visit began."""
