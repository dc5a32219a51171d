"""The choices in the home page's address, `/?work=…&courses=…`. Links change it, and every change is read on load.

So a filter can be shared, the back button works, and a reload keeps the choices.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlencode

from agency_site.content.course_schema import CourseCategory
from agency_site.content.portfolio import PORTFOLIO

ALL = "all"


@dataclass(frozen=True)
class AddressChoice:
    """One parameter of the address."""

    parameter: str
    values: tuple[str, ...]
    """The first is the default, which is left out of the address."""

    def read(self, query: Mapping[str, str]) -> str:
        """Return the value in the query, or the default."""
        chosen = query.get(self.parameter, "")
        return chosen if chosen in self.values else self.values[0]


WORK = AddressChoice("work", tuple(group.id for group in PORTFOLIO))
COURSES = AddressChoice("courses", (ALL, *(category.value for category in CourseCategory)))


def address_with(query: Mapping[str, str], choice: AddressChoice, chosen: str) -> str:
    """Return the home page's address with that value of `choice` and the other choice of the query."""
    choices = {other.parameter: other.read(query) for other in (WORK, COURSES)}
    choices |= {choice.parameter: choice.read({choice.parameter: chosen})}
    defaults = {other.parameter: other.values[0] for other in (WORK, COURSES)}
    differing = urlencode({name: value for name, value in choices.items() if value != defaults[name]})
    return f"/?{differing}" if differing else "/"
