"""Retention: personal data past its period is erased, kind by kind, in small batches.

Each feature declares its data (`personal_data.py`); each period is a setting.
A batch locks its rows until it commits and skips rows that another process has locked, so any number of processes may run
the job; erased rows are not selected again.
"""

from collections.abc import Awaitable, Callable, Collection
from datetime import datetime, timedelta

from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.auth import attempts, sessions, submissions
from agency_site.clock import now
from agency_site.db.due_work import handle_each
from agency_site.db.engine import session_scope
from agency_site.features.academy import personal_data as learners
from agency_site.features.booking import personal_data as bookings
from agency_site.features.checkout import personal_data as orders
from agency_site.features.checkout.orders.rules import UNPAID_ORDERS, OrderState
from agency_site.features.comments import personal_data as comments
from agency_site.features.contact import personal_data as enquiries
from agency_site.features.newsletter import personal_data as newsletter
from agency_site.features.newsletter.rules import SubscriberState
from agency_site.features.webinars import personal_data as registrations
from agency_site.mail import personal_data as mail
from agency_site.settings import settings
from agency_site.sms import personal_data as texts
from agency_site.visits import usecases as visits

Expire = Callable[[AsyncSession, datetime, int], Awaitable[int]]
"""Erases up to a number of records older than a moment, and returns how many."""
BATCH = 20
"""Records of one kind per transaction: visitors must not wait for it."""

_PAID = frozenset({OrderState.PAID, OrderState.REFUNDED})
_FREE = frozenset({OrderState.FREE})
_LEFT = frozenset({SubscriberState.UNSUBSCRIBED})
UNCONFIRMED = frozenset(SubscriberState) - _LEFT - {SubscriberState.SUBSCRIBED}


def _orders(states: Collection[OrderState]) -> Expire:
    return lambda session, before, limit: orders.expire(session, states, before, limit)


def _subscribers(states: Collection[SubscriberState]) -> Expire:
    return lambda session, before, limit: newsletter.expire(session, states, before, limit)


KINDS: tuple[tuple[str, Expire], ...] = (
    ("retention_bookings_days", bookings.expire),
    ("retention_paid_orders_days", _orders(_PAID)),
    ("retention_unpaid_orders_days", _orders(UNPAID_ORDERS)),
    ("retention_unpaid_orders_days", orders.expire_unmatched_callbacks),
    ("retention_unpaid_orders_days", orders.expire_unassigned),
    ("retention_free_orders_days", _orders(_FREE)),
    ("retention_learners_days", learners.expire),
    ("retention_waiting_list_days", learners.expire_waiting),
    ("retention_enquiries_days", enquiries.expire),
    ("retention_registrations_days", registrations.expire),
    ("retention_comments_days", comments.expire),
    ("retention_unconfirmed_days", _subscribers(UNCONFIRMED)),
    ("retention_unsubscribed_days", _subscribers(_LEFT)),
    ("retention_mail_days", mail.expire),
    ("retention_texts_days", texts.expire),
    ("retention_visits_days", visits.expire),
    ("retention_sign_ins_days", attempts.expire),
    ("retention_staff_sessions_days", sessions.expire),
    ("retention_staff_sessions_days", submissions.expire),
)
"""The setting of each kind and the function that erases it. Orders under review and audit entries are never erased."""


async def expire_old() -> int:
    """Erase one batch of each kind; return the number of records."""
    return await handle_each(KINDS, _expire, lambda kind: f"erasing personal data of {kind[0]}")


async def _expire(kind: tuple[str, Expire]) -> int:
    name, expire = kind
    days: int = getattr(settings(), name)
    if not days:
        return 0
    async with session_scope() as session:
        return await expire(session, now() - timedelta(days=days), BATCH)
