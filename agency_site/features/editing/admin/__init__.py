"""Back-office screens of entries and pictures, in the order of the navigation."""

from agency_site.backoffice.screens import Screen
from agency_site.features.editing.admin.entries import SCREENS as ENTRIES
from agency_site.features.editing.admin.pictures.detail_view import PICTURE_SCREEN
from agency_site.features.editing.admin.pictures.list import PICTURE_LIST_SCREEN

SCREENS: tuple[Screen, ...] = (*ENTRIES, PICTURE_LIST_SCREEN, PICTURE_SCREEN)
