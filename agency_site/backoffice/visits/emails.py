"""The weekly mail to owners."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from agency_site.backoffice.periods import format_span
from agency_site.backoffice.reports.definition import ReportColumn
from agency_site.mail.rules import Message
from agency_site.settings import settings

WEEKLY = "staff-weekly-figures"
"""The kind of the message."""
VISITS_PATH = "/admin/visits"


@dataclass(frozen=True)
class WeeklyFigure:
    """A figure of a week, and the same of the week before."""

    column: ReportColumn
    value: int
    before: int

    @property
    def text(self) -> str:
        """Both in words."""
        return f"{self.column.format(self.value)} (week before: {self.column.format(self.before)})"


@dataclass(frozen=True)
class WeeklyFigures:
    """The figures of one week, Monday to Sunday."""

    first: date
    last: date
    figures: tuple[WeeklyFigure, ...]
    pages: tuple[tuple[str, int], ...]
    """The pages with the most views."""
    sources: tuple[tuple[str, int], ...]
    """The sources with the most visits."""


def weekly_figures(to: str, week: WeeklyFigures) -> Message:
    """Return the mail about a week for an owner."""
    title = f"Your week: {format_span(week.first, week.last)}"
    rankings = (("Top pages", week.pages), ("Top sources", week.sources))
    days = f"from={week.first}&to={week.last}"
    return Message(
        kind=WEEKLY,
        to=to,
        subject=title,
        heading=title,
        paragraphs=(
            "The figures of the website, Monday to Sunday in Nairobi, with those of the week before.",
        ),
        facts=(
            *((figure.column.label, figure.text) for figure in week.figures),
            *((label, _join_ranking(ranking)) for label, ranking in rankings if ranking),
        ),
        actions=(("Open the figures", f"{settings().site_url}{VISITS_PATH}?{days}"),),
        closing=("Owners get this mail every Monday. AGENCY_WEEKLY_MAIL=false switches it off.",),
    )


def _join_ranking(ranking: Sequence[tuple[str, int]]) -> str:
    return ", ".join(f"{name} ({number:,})" for name, number in ranking)
