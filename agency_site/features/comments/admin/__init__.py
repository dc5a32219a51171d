"""The screens of comments, in the order of the navigation."""

from agency_site.backoffice.screens import Screen
from agency_site.features.comments.admin.detail import COMMENT_PAGE
from agency_site.features.comments.admin.list import COMMENT_LIST

SCREENS: tuple[Screen, ...] = (COMMENT_LIST, COMMENT_PAGE)
