"""Kenya's public holidays."""

from collections.abc import Mapping
from datetime import date
from functools import lru_cache

import holidays


@lru_cache(maxsize=16)
def public_holidays(year: int) -> Mapping[date, str]:
    """Kenya's public holidays of one year with their names, days in lieu included.

    The library fills years lazily on look-up, which a shared object must not do: the year is given.
    """
    found = holidays.country_holidays("KE", years=(year,))
    return {day: name.replace("Labor", "Labour") for day, name in found.items() if day.year == year}
