"""The screens of messages, plan sign-ups and webinar registrations, in the order of the navigation."""

from agency_site.enquiries.staff.file_view import ENQUIRY_FILE
from agency_site.enquiries.staff.lists import MESSAGE_LIST, SIGNUP_LIST
from agency_site.enquiries.staff.registrations import REGISTRATION_LIST
from agency_site.staff.screens import Screen

SCREENS: tuple[Screen, ...] = (MESSAGE_LIST, SIGNUP_LIST, REGISTRATION_LIST, ENQUIRY_FILE)

__all__ = ["SCREENS"]
