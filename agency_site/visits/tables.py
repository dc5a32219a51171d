"""Counted views, and the columns of a record that came from a visit."""

from datetime import date as Date  # noqa: N812 - a field is called date

from sqlalchemy import Index, UniqueConstraint, text
from sqlmodel import Field, SQLModel

from agency_site.db import columns  # noqa: F401 - the naming convention of constraints
from agency_site.visits.rules import LONGEST, LONGEST_PAGE, Origin


class WithOrigin(SQLModel):
    """Columns of a record that came from a visit (`rules.Origin`); empty if the origin is unknown."""

    visit_source: str = Field(default="", max_length=LONGEST)
    visit_medium: str = Field(default="", max_length=LONGEST)
    visit_campaign: str = Field(default="", max_length=LONGEST)
    visit_page: str = Field(default="", max_length=LONGEST_PAGE)

    @property
    def origin(self) -> Origin:
        """The origin of the visit."""
        return Origin(self.visit_source, self.visit_medium, self.visit_campaign, self.visit_page)


def origin_indexes(table: str) -> tuple[Index, ...]:
    """Return the indexes for lists of records from one source or campaign, newest first. Most records have no campaign."""
    return tuple(_origin_index(table, column) for column in ("visit_source", "visit_campaign"))


def _origin_index(table: str, column: str) -> Index:
    is_known = text(f"{column} != ''")
    name = f"ix_{table}_{column}"
    return Index(name, column, "created_at", "id", sqlite_where=is_known, postgresql_where=is_known)


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
