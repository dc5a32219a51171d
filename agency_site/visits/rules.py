"""The origin of a visit. No I/O."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Origin:
    """Where a visit came from. Unknown parts are empty."""

    source: str = ""
    """`utm_source`, or the host of the page that linked here, such as `google.com`."""
    medium: str = ""
    """`utm_medium`; `cpc` if the address had only the mark of an advertisement."""
    campaign: str = ""
    """`utm_campaign`."""
    first_page: str = ""
    """The path of the first page."""

    def columns(self) -> dict[str, str]:
        """Return the values of the columns of `tables.WithOrigin`."""
        return {
            "visit_source": self.source,
            "visit_medium": self.medium,
            "visit_campaign": self.campaign,
            "visit_page": self.first_page,
        }


NO_ORIGIN = Origin()
LONGEST = 80
"""Characters of source, medium and campaign."""
LONGEST_PAGE = 200
