"""Retention: personal data past its period is blanked, kind by kind, in small batches.

Each feature declares its data (`personal_data.py`); how long each kind is kept is a setting.
Batches lock what they blank until they commit and skip what another process has locked, so any number of processes may run
the job; what was blanked is not found again.
"""

import logging
from collections.abc import Awaitable, Callable, Collection
from datetime import datetime, timedelta

from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.auth import attempts, sessions, submissions
from agency_site.clock import now
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

log = logging.getLogger(__name__)

Expire = Callable[[AsyncSession, datetime, int], Awaitable[int]]
"""Blanks up to so many records of before a moment and says how many."""
BATCH = 20
"""Records of one kind in one transaction: visitors must not wait for it."""

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
    ("retention_unpaid_orders_days", orders.expire_strays),
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
    ("retention_sign_ins_days", attempts.expire),
    ("retention_staff_sessions_days", sessions.expire),
    ("retention_staff_sessions_days", submissions.expire),
)
"""The setting of each kind with the verb that blanks it. Orders under review and audit entries are of no kind: they stay."""


async def expire_old() -> int:
    """One batch of each kind; returns how many records were blanked."""
    return sum([await _expire(name, verb) for name, verb in KINDS])


async def _expire(name: str, verb: Expire) -> int:
    days: int = getattr(settings(), name)
    if not days:
        return 0
    try:
        async with session_scope() as session:
            return await verb(session, now() - timedelta(days=days), BATCH)
    except Exception:
        # One kind that cannot be blanked must not keep the others.
        log.exception("what %s asks for failed", name)
        return 0
