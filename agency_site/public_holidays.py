"""Kenya's public holidays."""

from collections.abc import Mapping
from datetime import date
from functools import lru_cache

import holidays


@lru_cache(maxsize=16)
def public_holidays(year: int) -> Mapping[date, str]:
    """Return Kenya's public holidays of one year with their names, days in lieu included.

    The year is given because the library otherwise adds years during look-ups, which is unsafe for a shared object.
    """
    holidays_of_year = holidays.country_holidays("KE", years=(year,))
    return {
        day: name.replace("Labor", "Labour") for day, name in holidays_of_year.items() if day.year == year
    }
