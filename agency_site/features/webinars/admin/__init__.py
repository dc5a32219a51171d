"""The screen of webinar registrations."""

from agency_site.backoffice.screens import Screen
from agency_site.features.webinars.admin.list import REGISTRATION_LIST

SCREENS: tuple[Screen, ...] = (REGISTRATION_LIST,)
