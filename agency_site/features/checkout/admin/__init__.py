"""The money screens of the back office, in the order of the navigation."""

from agency_site.backoffice.screens import Screen
from agency_site.features.checkout.admin.charge_view import CHARGE_CLIENT, NEW_ORDER
from agency_site.features.checkout.admin.coupon_list import COUPON_LIST
from agency_site.features.checkout.admin.coupon_view import COUPON_DETAIL
from agency_site.features.checkout.admin.dashboard import SOURCE
from agency_site.features.checkout.admin.detail_view import ORDER_DETAIL
from agency_site.features.checkout.admin.order_list import ORDER_LIST
from agency_site.features.checkout.admin.payment_list import PAYMENT_LIST
from agency_site.features.checkout.admin.reconciliation_view import RECONCILIATION_SCREEN
from agency_site.features.checkout.admin.statements_view import STATEMENT_SCREEN
from agency_site.features.checkout.admin.transaction_view import TRANSACTION_SCREEN
from agency_site.features.checkout.admin.unassigned_list import UNASSIGNED_LIST

SCREENS: tuple[Screen, ...] = (
    ORDER_LIST,
    ORDER_DETAIL,
    NEW_ORDER,
    PAYMENT_LIST,
    UNASSIGNED_LIST,
    TRANSACTION_SCREEN,
    RECONCILIATION_SCREEN,
    STATEMENT_SCREEN,
    COUPON_LIST,
    COUPON_DETAIL,
)

__all__ = ["CHARGE_CLIENT", "SCREENS", "SOURCE"]
