"""Joins features that need each other. None imports another: each knows a contract of a lower layer."""

from agency_site.backoffice.visits.jobs import mail_weekly_figures
from agency_site.features.academy.learners.dealings import find_learner_dealings
from agency_site.features.academy.places import AcademyPlaces
from agency_site.features.booking.admin.reports import BOOKED
from agency_site.features.booking.bookings.dealings import find_booking_dealings
from agency_site.features.checkout.admin.reports import NET_REVENUE, ORDERS
from agency_site.features.checkout.orders.queries import find_order_id, lock_order, select_buyers
from agency_site.features.checkout.payments.dealings import find_payment_dealings
from agency_site.features.checkout.payments.payers import report_cancelled_run, select_payers, sum_money
from agency_site.features.checkout.payments.search import search_orders
from agency_site.features.contact.admin.reports import ENQUIRIES
from agency_site.features.newsletter.bounces import mark_bounced
from agency_site.features.newsletter.state import FooterNewsletter
from agency_site.features.newsletter.view import footer_form
from agency_site.mail.delivery import join_dead_mailboxes
from agency_site.notices.dealings import join_dealings
from agency_site.notices.incoming_texts import notify_staff_of_text
from agency_site.places import Buyers, buyers, places
from agency_site.site.layout.private_page import join_newsletter_form
from agency_site.sms.incoming import join_incoming_texts
from agency_site.ui.server_html import new_state

OUTCOMES = (ENQUIRIES, BOOKED, ORDERS, NET_REVENUE)
"""What visits lead to, for the screen of visits and the weekly mail."""


async def send_weekly_figures() -> int:
    """Enqueue the weekly mails to owners that are due, and return their number."""
    return await mail_weekly_figures(*OUTCOMES)


def join_features() -> None:
    """Provide each feature with what it calls of others, mail delivery with the handler of dead mailboxes, text messages with
    the notice to staff, notices with the records of a phone number, and private pages with the newsletter form."""
    places.provide(AcademyPlaces())
    buyers.provide(
        Buyers(
            select_buyers,
            search_orders,
            find_order_id,
            lock_order,
            sum_money,
            select_payers,
            report_cancelled_run,
        )
    )
    join_dead_mailboxes(mark_bounced)
    join_incoming_texts(notify_staff_of_text)
    join_dealings(find_booking_dealings, find_learner_dealings, find_payment_dealings)
    join_newsletter_form(lambda: footer_form(new_state(FooterNewsletter)))
