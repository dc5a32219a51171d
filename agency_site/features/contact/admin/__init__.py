"""The screens of enquiries and plan sign-ups, in the order of the navigation."""

from agency_site.backoffice.screens import Screen
from agency_site.features.contact.admin.detail_view import ENQUIRY_PAGE
from agency_site.features.contact.admin.list import MESSAGE_LIST, SIGNUP_LIST

SCREENS: tuple[Screen, ...] = (MESSAGE_LIST, SIGNUP_LIST, ENQUIRY_PAGE)
