"""Features that need each other are joined here: none imports another, each knows a contract of a lower layer."""

from agency_site.features.academy import contract
from agency_site.features.checkout.orders.queries import find_order, lock_order, select_buyers
from agency_site.features.checkout.payments.search import search_orders
from agency_site.features.newsletter.bounces import mark_bounced
from agency_site.features.newsletter.state import FooterNewsletter
from agency_site.features.newsletter.view import footer_form
from agency_site.mail.delivery import join_dead_mailboxes
from agency_site.places import Buyers, join
from agency_site.site.layout.private_page import join_newsletter_form
from agency_site.ui.server_html import new_state


def join_features() -> None:
    """Give each feature the part of the others that it calls, the mails what features do with dead mailboxes, and private
    pages the newsletter form."""
    join(contract, Buyers(select_buyers, search_orders, find_order, lock_order))
    join_dead_mailboxes(mark_bounced)
    join_newsletter_form(lambda: footer_form(new_state(FooterNewsletter)))
