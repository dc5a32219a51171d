"""Enquiries as an outcome of visits."""

from datetime import date

from sqlalchemy import and_
from sqlmodel import col
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.backoffice.reports.definition import ReportColumn
from agency_site.backoffice.visits.outcomes import Channel, Outcome, count_records
from agency_site.db.sql_dates import span
from agency_site.features.contact.tables import Enquiry


async def _count_enquiries(session: AsyncSession, first: date, last: date) -> dict[Channel, int]:
    start, end = span(first, last)
    created = col(Enquiry.created_at)
    return await count_records(session, Enquiry, and_(created >= start, created < end))


ENQUIRIES = Outcome(ReportColumn("Enquiries"), _count_enquiries)
"""Messages and plan sign-ups."""
