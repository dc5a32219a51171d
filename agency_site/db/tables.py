"""The list of all tables, for Alembic and the tests. Nothing but them imports this module."""

from sqlmodel import SQLModel

import agency_site.booking.tables
import agency_site.checkout.tables
import agency_site.comments.tables
import agency_site.enquiries.tables
import agency_site.mail.tables
import agency_site.newsletter.tables
import agency_site.staff.tables  # noqa: F401

metadata = SQLModel.metadata
