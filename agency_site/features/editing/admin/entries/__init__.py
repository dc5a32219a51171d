"""Screens of entries: the list of each kind, and the page on which an entry is written."""

from agency_site.backoffice.screens import Screen
from agency_site.features.editing.admin.entries.detail_view import ENTRY_PAGE
from agency_site.features.editing.admin.entries.list import CONTENT_LIST

SCREENS: tuple[Screen, ...] = (CONTENT_LIST, ENTRY_PAGE)
