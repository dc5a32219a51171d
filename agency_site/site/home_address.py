"""What the home page's address says: `/?work=…&courses=…`. Links change it, and every change of it is read on load.

So a filter can be shared, the back button works, and a reload shows what the address says.
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
    """The first is shown when the address names none of them, and is left out of it."""

    def read(self, query: Mapping[str, str]) -> str:
        """The value that the query names."""
        chosen = query.get(self.parameter, "")
        return chosen if chosen in self.values else self.values[0]


WORK = AddressChoice("work", tuple(group.id for group in PORTFOLIO))
COURSES = AddressChoice("courses", (ALL, *(category.value for category in CourseCategory)))


def address_with(query: Mapping[str, str], choice: AddressChoice, chosen: str) -> str:
    """The home page's address with that value of `choice`, and the other choice as the query has it."""
    choices = {one.parameter: one.read(query) for one in (WORK, COURSES)}
    choices |= {choice.parameter: choice.read({choice.parameter: chosen})}
    plain = {one.parameter: one.values[0] for one in (WORK, COURSES)}
    differing = urlencode({name: value for name, value in choices.items() if value != plain[name]})
    return f"/?{differing}" if differing else "/"
