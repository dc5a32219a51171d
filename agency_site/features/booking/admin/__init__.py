"""The booking screens of the back office, in the order of the navigation."""

from agency_site.auth.rules import Permission
from agency_site.backoffice.clients import ClientAction
from agency_site.backoffice.screens import Screen
from agency_site.features.booking.admin.bookings.new_booking import NEW_BOOKING
from agency_site.features.booking.admin.bookings.record import SCREENS as BOOKINGS
from agency_site.features.booking.admin.business_hours.view import HOURS_SCREEN
from agency_site.features.booking.admin.busy_calendars.status import describe_calendars
from agency_site.features.booking.admin.busy_calendars.view import CALENDARS_SCREEN
from agency_site.features.booking.admin.calendar.view import CALENDAR
from agency_site.features.booking.admin.consultants import SCREENS as CONSULTANTS
from agency_site.features.booking.admin.dashboard import SOURCE
from agency_site.features.booking.admin.toolbar import ADD

SCREENS: tuple[Screen, ...] = (
    BOOKINGS[0], CALENDAR, BOOKINGS[1], NEW_BOOKING, HOURS_SCREEN, *CONSULTANTS, CALENDARS_SCREEN,
)  # fmt: skip

ADD_FOR_CLIENT = ClientAction("Add booking", Permission.WORK_BOOKINGS, ADD)

__all__ = ["ADD_FOR_CLIENT", "SCREENS", "SOURCE", "describe_calendars"]
