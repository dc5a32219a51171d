"""The count in the navigation equals the rows of its link."""

from urllib.parse import parse_qsl

import pytest

from agency_site.backoffice.audit_log import AUDIT_LOG, SCREENS
from agency_site.backoffice.lists.definition import ListDefinition, read_query
from agency_site.backoffice.outbox.mails import MAILS
from agency_site.backoffice.outbox.mails import SCREENS as MAIL_SCREENS
from agency_site.backoffice.screens import Screen
from agency_site.features.booking.admin.bookings.record import BOOKINGS
from agency_site.features.booking.admin.bookings.record import SCREENS as BOOKING_SCREENS
from agency_site.features.checkout.admin.orders.list import ORDER_LIST, ORDER_LIST_DEFINITION
from agency_site.features.comments.admin import SCREENS as COMMENT_SCREENS
from agency_site.features.comments.admin.comments import COMMENTS
from agency_site.features.contact.admin import SCREENS as CONTACT_SCREENS
from agency_site.features.contact.admin.enquiries import ENQUIRIES, SIGNUPS

COUNTED = [
    (BOOKINGS.definition, BOOKING_SCREENS[0]), (ORDER_LIST_DEFINITION, ORDER_LIST), (COMMENTS.definition, COMMENT_SCREENS[0]),
    (ENQUIRIES.definition, CONTACT_SCREENS[0]), (SIGNUPS.definition, CONTACT_SCREENS[1]), (MAILS.definition, MAIL_SCREENS[0]),
]  # fmt: skip


@pytest.mark.parametrize(
    ("definition", "screen"), COUNTED, ids=lambda parameter: getattr(parameter, "name", "")
)
def test_the_link_asks_for_the_filter_that_is_counted(definition: ListDefinition, screen: Screen) -> None:
    path, _, query = screen.attention_href.partition("?")
    assert path == definition.path
    assert read_query(definition, dict(parse_qsl(query))) == definition.attention_query
    assert definition.attention_query.filters


def test_a_list_without_attention_filter_is_not_counted() -> None:
    assert (AUDIT_LOG.attention, SCREENS[0].count_attention, SCREENS[0].attention_href) == (None, None, "")
