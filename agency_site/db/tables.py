"""All tables, for Alembic and the tests. Nothing else imports this module."""

from sqlmodel import SQLModel

import agency_site.auth.tables
import agency_site.backoffice.status.tables
import agency_site.db.backups.tables
import agency_site.features.academy.learners.tables
import agency_site.features.academy.reservations.tables
import agency_site.features.academy.runs.tables
import agency_site.features.booking.bookings.tables
import agency_site.features.booking.busy_calendars.tables
import agency_site.features.booking.consultants.tables
import agency_site.features.booking.schedule.tables
import agency_site.features.checkout.buying.tables
import agency_site.features.checkout.coupons.tables
import agency_site.features.checkout.orders.tables
import agency_site.features.checkout.payments.tables
import agency_site.features.checkout.reconciliation.tables
import agency_site.features.checkout.refunds.tables
import agency_site.features.checkout.statements.tables
import agency_site.features.checkout.transactions.tables
import agency_site.features.comments.tables
import agency_site.features.contact.tables
import agency_site.features.editing.entries.tables
import agency_site.features.editing.pictures.tables
import agency_site.features.newsletter.tables
import agency_site.features.webinars.tables
import agency_site.mail.tables
import agency_site.notices.tables
import agency_site.sms.tables
import agency_site.visits.tables  # noqa: F401

metadata = SQLModel.metadata
