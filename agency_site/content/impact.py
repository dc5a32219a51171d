"""The figures of the 'Our Impact' banner (specification, section 2, Home 6)."""

from collections.abc import Iterable

from pydantic import Field

from agency_site.content.schema import Record, Slug

HEADING = "Our Impact"
TAGLINE = "We measure success through meaningful results and lasting partnerships."

LEFT_OUT = ("caregivers", "teachers", "frontline responders", "incarcerated youth and adults")
"""A figure whose description mentions one of these is not shown."""


class ImpactStat(Record):
    """One counter."""

    id: Slug
    figure: str = Field(pattern=r"^\d{1,3}(,\d{3})*$")
    """A whole number; thousands may carry commas. The page adds the plus sign."""
    description: str

    @property
    def target(self) -> int:
        """The figure as a number."""
        return int(self.figure.replace(",", ""))


STATS: tuple[ImpactStat, ...] = (
    ImpactStat(id="enterprises", figure="250", description="enterprises transformed with digital solutions"),
    ImpactStat(id="users", figure="3,000", description="daily active users on the software platforms"),
    ImpactStat(id="uptime", figure="90", description="uptime reliability for mission-critical systems"),
    ImpactStat(id="industries", figure="10", description="industries served with global solutions"),
)


def list_shown(stats: Iterable[ImpactStat] = STATS) -> tuple[ImpactStat, ...]:
    """The figures that the page shows, in order."""
    return tuple(stat for stat in stats if not any(phrase in stat.description.lower() for phrase in LEFT_OUT))
