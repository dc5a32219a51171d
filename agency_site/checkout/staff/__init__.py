"""The money screens of the back office, in the order of the navigation."""

from agency_site.checkout.staff.enrolments import ENROLMENT_LIST
from agency_site.checkout.staff.figures import SOURCE
from agency_site.checkout.staff.file_view import ORDER_FILE
from agency_site.checkout.staff.ledger_view import LEDGER
from agency_site.checkout.staff.orders import ORDER_LIST
from agency_site.checkout.staff.payments import PAYMENT_LIST
from agency_site.staff.screens import Screen

SCREENS: tuple[Screen, ...] = (ORDER_LIST, ORDER_FILE, PAYMENT_LIST, LEDGER, ENROLMENT_LIST)

__all__ = ["SCREENS", "SOURCE"]
