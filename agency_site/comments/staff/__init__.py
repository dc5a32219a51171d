"""The screens of comments, in the order of the navigation."""

from agency_site.comments.staff.comments import COMMENT_LIST
from agency_site.comments.staff.file import COMMENT_FILE
from agency_site.staff.screens import Screen

SCREENS: tuple[Screen, ...] = (COMMENT_LIST, COMMENT_FILE)

__all__ = ["SCREENS"]
