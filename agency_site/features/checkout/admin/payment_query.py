"""Asking M-Pesa from an order's page without keeping the page waiting for its answer.

A browser tab's events take turns, and M-Pesa may let one wait for half a minute. So the question runs beside the event:
the page hears of the answer at once where it comes at once, and otherwise finds it among what is stored.
"""

import asyncio
import logging

from agency_site.auth import audit
from agency_site.auth.rules import Staff
from agency_site.db.engine import session_scope
from agency_site.errors import SiteError, UpstreamFailed
from agency_site.features.checkout.gateway import compute_app_key, gateway
from agency_site.features.checkout.status_queries import query_for_staff
from agency_site.settings import settings

SHORT = 1.0
"""Seconds that the page waits for the answer itself."""

log = logging.getLogger(__name__)
_under_way: set[asyncio.Task[None]] = set()
"""Held here, because an event loop forgets tasks that nobody holds."""


async def ask_mpesa(who: Staff, reference: str, payment_id: int) -> bool:
    """Ask about a payment of that order. True: the answer is stored; False: it is still to come, and will be stored.

    Raises as `query_for_staff`, as far as that is known at once.
    """
    task = asyncio.create_task(_asked(who, reference, payment_id))
    _under_way.add(task)
    task.add_done_callback(_finished)
    done, _ = await asyncio.wait({task}, timeout=SHORT)
    if done:
        task.result()
    return bool(done)


async def _asked(who: Staff, reference: str, payment_id: int) -> None:
    try:
        said = (
            await query_for_staff(
                session_scope, gateway(session_scope), compute_app_key(settings()), payment_id, who.email
            )
        ).result_code
    except UpstreamFailed:
        await _note(who, reference, "no answer")
        raise
    await _note(who, reference, said)


async def _note(who: Staff, reference: str, said: str) -> None:
    async with session_scope() as session:
        await audit.record(session, who, "payment.asked", "order", reference, said)


def _finished(task: asyncio.Task[None]) -> None:
    _under_way.discard(task)
    wrong = None if task.cancelled() else task.exception()
    if wrong and not isinstance(wrong, SiteError):
        log.error("asking M-Pesa broke", exc_info=wrong)
