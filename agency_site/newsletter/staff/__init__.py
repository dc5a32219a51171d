"""The screens of the newsletter, in the order of the navigation."""

from agency_site.newsletter.staff.file import SUBSCRIBER_FILE
from agency_site.newsletter.staff.issue_list import ISSUE_LIST
from agency_site.newsletter.staff.issue_view import ISSUE_FILE
from agency_site.newsletter.staff.subscribers import SUBSCRIBER_LIST
from agency_site.staff.screens import Screen

SCREENS: tuple[Screen, ...] = (SUBSCRIBER_LIST, SUBSCRIBER_FILE, ISSUE_LIST, ISSUE_FILE)

__all__ = ["SCREENS"]
