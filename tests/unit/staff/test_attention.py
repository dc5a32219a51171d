"""What the navigation counts is what its link lists."""

from urllib.parse import parse_qsl

import pytest

from agency_site.booking.staff.bookings import BOOKING_LIST, BOOKINGS
from agency_site.checkout.staff.orders import ORDER_LIST, ORDER_LISTING
from agency_site.comments.staff.comments import COMMENT_LIST, COMMENT_LISTING
from agency_site.enquiries.staff.lists import MESSAGE_LIST, MESSAGE_LISTING, SIGNUP_LIST, SIGNUP_LISTING
from agency_site.staff.listing import Listing, read_asked
from agency_site.staff.log import AUDIT_LOG, SCREENS
from agency_site.staff.outbox import OUTBOX, OUTBOX_LIST
from agency_site.staff.screens import Screen

COUNTED = [
    (BOOKINGS, BOOKING_LIST), (ORDER_LISTING, ORDER_LIST), (COMMENT_LISTING, COMMENT_LIST),
    (MESSAGE_LISTING, MESSAGE_LIST), (SIGNUP_LISTING, SIGNUP_LIST), (OUTBOX, OUTBOX_LIST),
]  # fmt: skip


@pytest.mark.parametrize(("listing", "screen"), COUNTED, ids=lambda one: getattr(one, "name", ""))
def test_the_link_asks_for_the_filter_that_is_counted(listing: Listing, screen: Screen) -> None:
    path, _, query = screen.waiting_href.partition("?")
    assert path == listing.path
    assert read_asked(listing, dict(parse_qsl(query))) == listing.attention_query
    assert listing.attention_query.filters


def test_a_list_of_which_nothing_waits_is_not_counted() -> None:
    assert (AUDIT_LOG.attention, SCREENS[0].waiting, SCREENS[0].waiting_href) == (None, None, "")
