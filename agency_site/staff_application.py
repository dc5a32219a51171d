"""The back office, put together: its screens in the order of the navigation, and who keeps data about visitors."""

from agency_site.backoffice.accounts.list import SCREENS as ACCOUNTS
from agency_site.backoffice.audit_log import SCREENS as LOG
from agency_site.backoffice.clients import client_screen
from agency_site.backoffice.dashboard import dashboard_screen
from agency_site.backoffice.lists.search import SCREENS as SEARCH
from agency_site.backoffice.notices.view import SCREENS as NOTICES
from agency_site.backoffice.outbox.mails import SCREENS as MAIL
from agency_site.backoffice.personal_data.data_requests import DataSource
from agency_site.backoffice.personal_data.view import privacy_screens
from agency_site.backoffice.reports.repeat_clients import repeat_clients
from agency_site.backoffice.reports.view import reports_screen
from agency_site.backoffice.screens import ScreenGroup
from agency_site.backoffice.status.view import status_screen
from agency_site.backoffice.texts.messages import SCREENS as TEXTS
from agency_site.backoffice.visits.emails import VISITS_PATH
from agency_site.backoffice.visits.reports import visit_reports
from agency_site.feature_contracts import OUTCOMES
from agency_site.features.academy import personal_data as learners
from agency_site.features.academy.admin import SCREENS as ACADEMY
from agency_site.features.academy.admin import SOURCE as COURSE_RUN_FIGURES
from agency_site.features.booking import personal_data as bookings
from agency_site.features.booking.admin import ADD_FOR_CLIENT, describe_calendars
from agency_site.features.booking.admin import SCREENS as BOOKING
from agency_site.features.booking.admin import SOURCE as BOOKING_FIGURES
from agency_site.features.booking.admin.reports import REPORTS as BOOKING_REPORTS
from agency_site.features.booking.admin.reports import select_clients
from agency_site.features.checkout import personal_data as orders
from agency_site.features.checkout.admin import CHARGE_CLIENT
from agency_site.features.checkout.admin import SCREENS as MONEY
from agency_site.features.checkout.admin import SOURCE as MONEY_FIGURES
from agency_site.features.checkout.admin.reports import REPORTS as MONEY_REPORTS
from agency_site.features.checkout.admin.reports import select_buyers
from agency_site.features.comments import personal_data as comments
from agency_site.features.comments.admin import SCREENS as COMMENTS
from agency_site.features.contact import personal_data as enquiries
from agency_site.features.contact.admin import SCREENS as ENQUIRIES
from agency_site.features.editing.admin import SCREENS as EDITING
from agency_site.features.newsletter import personal_data as subscribers
from agency_site.features.newsletter.admin import SCREENS as NEWSLETTER
from agency_site.features.webinars import personal_data as registrations
from agency_site.features.webinars.admin import SCREENS as WEBINARS
from agency_site.mail import personal_data as mails
from agency_site.notices.personal_data import erase_mails
from agency_site.sms import personal_data as texts

DATA_SOURCES = (
    DataSource(
        "Bookings",
        bookings.BOOKINGS.export,
        bookings.BOOKINGS.erase,
        "Reference, time and state, so that the calendar of past days stays correct.",
        {"booking": "/admin/booking?ref="},
        bookings.describe_ending,
    ),
    DataSource(
        "Consultants",
        bookings.CONSULTANTS.export,
        bookings.CONSULTANTS.erase,
        "References, hours and past consultations, which name a former consultant. Private calendars are removed.",
        {"consultant": "/admin/consultant?ref="},
    ),
    # Before orders: erasing an order removes the buyer from the buyer's own place.
    DataSource(
        "Learners",
        learners.LEARNERS.export,
        learners.LEARNERS.erase,
        "References, places, courses and dates. The private link no longer works.",
        {"learner": "/admin/learner?ref="},
    ),
    DataSource(
        "Waiting lists",
        learners.WAITING.export,
        learners.WAITING.erase,
        "References, course runs, dates and states. Entries leave the waiting list, and a place kept for them is released.",
        {"waiting list entry": "/admin/waiting-list?q="},
    ),
    DataSource(
        "Orders and payments",
        orders.export,
        orders.erase,
        "References, courses, amounts, M-Pesa receipts, dates and states: accounting needs them.",
        {"order": "/admin/order?ref="},
    ),
    DataSource(
        "Enquiries and plan sign-ups",
        enquiries.ENQUIRIES.export,
        enquiries.ENQUIRIES.erase,
        "References, dates and states, and which plan was wanted.",
        {"enquiry": "/admin/enquiry?ref="},
    ),
    DataSource(
        "Webinar registrations",
        registrations.REGISTRATIONS.export,
        registrations.REGISTRATIONS.erase,
        "References, webinars, dates and states. Registrations are cancelled.",
        {"webinar registration": "/admin/registrations?q="},
    ),
    DataSource(
        "Comments",
        comments.COMMENTS.export,
        comments.COMMENTS.erase,
        "Reference, article, dates and state. Published comments are taken off the site.",
        {"comment": "/admin/comment?ref="},
    ),
    DataSource(
        "Newsletter",
        subscribers.SUBSCRIBERS.export,
        subscribers.SUBSCRIBERS.erase,
        "Reference, dates and state, for statistics. Also a keyed hash of the address, so that no newsletter is sent there.",
        {"subscriber": "/admin/subscriber?ref="},
    ),
    DataSource(
        "Text messages",
        texts.export,
        texts.erase,
        "The kind of each message and when it was sent. A number that has sent STOP stays stored, so that it gets none.",
    ),
    # Last, so that no mail about the erasing itself is left in the outbox.
    DataSource(
        "Mails",
        mails.export,
        erase_mails,
        "The kind of each mail and when it was sent; neither the recipient nor the text.",
        {"mail": "/admin/message?id="},
    ),
)


def back_office_groups() -> tuple[ScreenGroup, ...]:
    """Return every screen of the back office."""
    visits = reports_screen(VISITS_PATH, "Visits", "users", *visit_reports(*OUTCOMES), days=30)
    clients = repeat_clients(select_clients, select_buyers)
    reports = (*BOOKING_REPORTS, *MONEY_REPORTS, clients)
    return (
        ScreenGroup(
            "Overview",
            (
                dashboard_screen(BOOKING_FIGURES, MONEY_FIGURES, COURSE_RUN_FIGURES),
                visits,
                reports_screen("/admin/reports", "Reports", "level", *reports, days=365),
                *SEARCH,
                client_screen(ADD_FOR_CLIENT, CHARGE_CLIENT),
            ),
        ),
        ScreenGroup("Consultations", BOOKING),
        ScreenGroup("Money", MONEY),
        ScreenGroup("Academy", (*ACADEMY, *WEBINARS)),
        ScreenGroup("Clients", ENQUIRIES),
        ScreenGroup("Website", (*EDITING, *COMMENTS)),
        ScreenGroup("Mail and SMS", (*NEWSLETTER, *MAIL, *TEXTS, *NOTICES)),
        ScreenGroup(
            "Administration",
            (*privacy_screens(*DATA_SOURCES), *ACCOUNTS, *LOG, status_screen(describe_calendars)),
        ),
    )
