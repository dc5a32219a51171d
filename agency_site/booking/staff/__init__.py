"""The booking screens of the back office, in the order of the navigation."""

from agency_site.booking.staff.bookings import BOOKING_LIST
from agency_site.booking.staff.by_hand import BY_HAND
from agency_site.booking.staff.calendar_view import CALENDAR
from agency_site.booking.staff.figures import SOURCE
from agency_site.booking.staff.file_view import BOOKING_FILE
from agency_site.booking.staff.hours_view import HOURS_SCREEN
from agency_site.staff.screens import Screen

SCREENS: tuple[Screen, ...] = (BOOKING_LIST, CALENDAR, BOOKING_FILE, BY_HAND, HOURS_SCREEN)

__all__ = ["SCREENS", "SOURCE"]
