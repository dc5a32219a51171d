"""The money screens of the back office, in the order of the navigation."""

from agency_site.backoffice.screens import Screen
from agency_site.features.checkout.admin.coupons import SCREENS as COUPONS
from agency_site.features.checkout.admin.dashboard import SOURCE
from agency_site.features.checkout.admin.orders.charge_view import CHARGE_CLIENT, NEW_ORDER
from agency_site.features.checkout.admin.orders.detail_view import ORDER_DETAIL
from agency_site.features.checkout.admin.orders.list import ORDER_LIST
from agency_site.features.checkout.admin.payments.list import PAYMENT_LIST
from agency_site.features.checkout.admin.reconciliation.report_view import RECONCILIATION_SCREEN
from agency_site.features.checkout.admin.statements.list_view import STATEMENT_SCREEN
from agency_site.features.checkout.admin.unassigned import SCREENS as UNASSIGNED

SCREENS: tuple[Screen, ...] = (
    ORDER_LIST,
    ORDER_DETAIL,
    NEW_ORDER,
    PAYMENT_LIST,
    *UNASSIGNED,
    RECONCILIATION_SCREEN,
    STATEMENT_SCREEN,
    *COUPONS,
)

__all__ = ["CHARGE_CLIENT", "SCREENS", "SOURCE"]
