"""The announcement bar above the header of every public page. None is delivered; staff publish it."""

from datetime import datetime

from pydantic import Field

from agency_site.clock import now
from agency_site.content.entries import Kind
from agency_site.content.published import published
from agency_site.content.schema import Record


class Announcement(Record):
    """One line, shown for a while."""

    text: str = Field(max_length=160)
    label: str = ""
    """The words of the link; empty for no link."""
    href: str = ""
    shows_from: datetime | None = None
    """None for at once."""
    shows_until: datetime | None = None
    """None for as long as it is published."""

    def is_shown(self, moment: datetime) -> bool:
        """Return whether the bar is shown at that moment."""
        return (self.shows_from is None or self.shows_from <= moment) and (
            self.shows_until is None or moment < self.shows_until
        )


ANNOUNCEMENTS: tuple[Announcement, ...] = ()


def find_announcement() -> Announcement | None:
    """Return the announcement that is shown now; None if there is none."""
    moment = now()
    return next((bar for bar in published(Kind.ANNOUNCEMENT, ANNOUNCEMENTS) if bar.is_shown(moment)), None)


def find_announcement_problems(bar: Announcement) -> dict[str, str]:
    """Return what is wrong with a new announcement: the name of a field and a message."""
    problems = {}
    if bar.label and not bar.href:
        problems["href"] = "Please enter the target of the link, or leave its words empty."
    if bar.href and not bar.label:
        problems["label"] = "Please enter the words of the link, or leave its target empty."
    if bar.shows_from and bar.shows_until and bar.shows_until <= bar.shows_from:
        problems["shows_until"] = "The end must be later than the start."
    return problems
