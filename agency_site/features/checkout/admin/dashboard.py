"""Revenue and unhandled callbacks on the dashboard."""

import asyncio
from datetime import date, timedelta

from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.auth.rules import Permission, Staff
from agency_site.backoffice.charts import Bar, Chart, chart
from agency_site.backoffice.dashboard import Source, Tile
from agency_site.backoffice.periods import LONGEST, span_query
from agency_site.clock import in_nairobi, today
from agency_site.features.checkout.payments.journal import count_damaged
from agency_site.features.checkout.reconciliation.report import attention
from agency_site.features.checkout.reconciliation.revenue import Revenue, find_revenue
from agency_site.money import kes

RECONCILIATION = "/admin/reconciliation"
BY_DAY, BY_COURSE = 14, 30
"""Days of the two charts, including today."""


def report_address(first: date, last: date) -> str:
    """Return the address of the reconciliation report of those days."""
    return f"{RECONCILIATION}?{span_query(first, last)}"


async def tiles(session: AsyncSession, _who: Staff) -> list[Tile]:
    """Return today's and this week's revenue, and messages of M-Pesa that were not processed."""
    day = today()
    monday = day - timedelta(days=day.weekday())
    week = await find_revenue(session, monday, day)
    result = [
        Tile("KES received today", f"{week.days[-1].received:,}", RECONCILIATION),
        Tile(
            "KES received this week",
            f"{week.received:,}",
            report_address(monday, day),
        ),
    ]
    waiting = await attention(session)
    if waiting.undecided:
        first = min((in_nairobi(item.at).date() for item in waiting.undecided if item.at), default=day)
        address = report_address(max(first, day - LONGEST), day)
        result.append(Tile("Money that needs a decision", str(len(waiting.undecided)), address, hot=True))
    unhandled = waiting.callbacks_waiting
    if unhandled:
        result.append(Tile("Unprocessed M-Pesa callbacks", str(unhandled), RECONCILIATION, hot=True))
    damaged = await asyncio.to_thread(count_damaged)
    if damaged:
        result.append(Tile("Unreadable M-Pesa messages", str(damaged), RECONCILIATION, hot=True))
    return result


async def charts(session: AsyncSession, _who: Staff) -> list[Chart]:
    """Return revenue of the last two weeks by day, and of the last thirty days by course."""
    day = today()
    month = await find_revenue(session, day - timedelta(days=BY_COURSE - 1), day)
    fortnight = Revenue(month.days[-BY_DAY:], ())
    days = [Bar(f"{row.day:%a %-d}", row.received, kes(row.received)) for row in fortnight.days]
    courses = [Bar(row.course_name, row.received, kes(row.received)) for row in month.courses if row.received]
    result = [
        chart("Revenue by day, last 14 days", _total(fortnight), ("Day", "Received"), days, upright=True)
    ]
    if courses:
        title = "Revenue by course, last 30 days"
        result.append(chart(title, _total(month), ("Course", "Received"), courses, upright=False))
    return result


def _total(span: Revenue) -> str:
    refunded = f", {kes(span.refunded)} refunded" if span.refunded else ""
    return f"{kes(span.received)} received{refunded}"


SOURCE = Source(Permission.SEE_PAYMENTS, tiles, charts)
