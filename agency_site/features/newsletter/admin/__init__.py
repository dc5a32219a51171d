"""The screens of the newsletter, in the order of the navigation."""

from agency_site.backoffice.screens import Screen
from agency_site.features.newsletter.admin.issue_detail_view import ISSUE_PAGE
from agency_site.features.newsletter.admin.issue_list import ISSUE_LIST
from agency_site.features.newsletter.admin.subscribers import SCREENS as SUBSCRIBERS

SCREENS: tuple[Screen, ...] = (*SUBSCRIBERS, ISSUE_LIST, ISSUE_PAGE)
