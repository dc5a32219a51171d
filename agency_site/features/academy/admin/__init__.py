"""The academy's screens of the back office, in the order of the navigation."""

from agency_site.backoffice.screens import Screen
from agency_site.features.academy.admin.enrolment_list import ENROLMENT_LIST

SCREENS: tuple[Screen, ...] = (ENROLMENT_LIST,)

__all__ = ["SCREENS"]
