"""Back-office screens of entries and pictures, in the order of the navigation."""

from agency_site.backoffice.screens import Screen
from agency_site.features.editing.admin.entries import SCREENS as ENTRIES
from agency_site.features.editing.admin.pictures.record import SCREENS as PICTURES

SCREENS: tuple[Screen, ...] = (*ENTRIES, *PICTURES)
