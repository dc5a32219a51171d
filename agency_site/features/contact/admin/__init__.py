"""The screens of messages, plan sign-ups and webinar registrations, in the order of the navigation."""

from agency_site.backoffice.screens import Screen
from agency_site.features.contact.admin.detail_view import ENQUIRY_FILE
from agency_site.features.contact.admin.list import MESSAGE_LIST, SIGNUP_LIST
from agency_site.features.contact.admin.registration_list import REGISTRATION_LIST

SCREENS: tuple[Screen, ...] = (MESSAGE_LIST, SIGNUP_LIST, REGISTRATION_LIST, ENQUIRY_FILE)

__all__ = ["SCREENS"]
