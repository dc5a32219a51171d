"""The list of all tables, for Alembic and the tests. Nothing but them imports this module."""

from sqlmodel import SQLModel

import agency_site.auth.tables
import agency_site.backoffice.status.tables
import agency_site.db.backups.tables
import agency_site.features.academy.tables
import agency_site.features.booking.tables
import agency_site.features.checkout.tables
import agency_site.features.comments.tables
import agency_site.features.contact.tables
import agency_site.features.newsletter.tables
import agency_site.features.webinars.tables
import agency_site.mail.tables  # noqa: F401

metadata = SQLModel.metadata
