"""Status queries, prompts and refunds from an order's page, without making the page wait for M-Pesa.

The events of a browser tab run one after another, and M-Pesa may take half a minute to respond. So the call runs as a
task of its own: the page shows the answer at once if it comes within PAGE_WAIT, and otherwise when it is stored.
"""

import asyncio
import logging
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from typing import Any

from agency_site.auth import audit
from agency_site.auth.rules import Staff
from agency_site.db.engine import session_scope
from agency_site.errors import SiteError, UpstreamFailed
from agency_site.features.checkout.buying.orders import OpenPayment
from agency_site.features.checkout.buying.usecases import complete_payment, prompt_again
from agency_site.features.checkout.payments.gateway import compute_app_key, gateway
from agency_site.features.checkout.payments.rules import PaymentFailed, PaymentUncertain
from agency_site.features.checkout.payments.status_queries import query_for_staff
from agency_site.features.checkout.refunds.reversals import start_reversal
from agency_site.settings import settings

PAGE_WAIT = 1.0
"""Seconds that the page itself waits for the answer."""

log = logging.getLogger(__name__)

_running: set[asyncio.Task[None]] = set()
"""Running tasks. The event loop holds only weak references, so a task could be collected before it ends."""


async def query_in_background(who: Staff, reference: str, payment_id: int) -> bool:
    """Query a payment of that order. Returns True if the answer is stored, False if it is still to come.

    Raises as `query_for_staff`, if the error comes within PAGE_WAIT.
    """
    return await _run_in_background(_query(who, reference, payment_id))


async def prompt_in_background(who: Staff, reference: str, payer: str) -> bool:
    """Send a new prompt for that order, to `payer` or the phone of the last one. Returns True if M-Pesa has accepted it.

    Raises as `prompt_again`, if the error comes within PAGE_WAIT.
    """
    return await _run_in_background(_prompt(who, reference, payer))


async def refund_in_background(who: Staff, reference: str, payment_id: int, reason: str) -> bool:
    """Have M-Pesa refund a payment of that order. Returns True if M-Pesa has accepted the request.

    Raises as `start_reversal`, if the error comes within PAGE_WAIT.
    """
    return await _run_in_background(_refund(who, reference, payment_id, reason))


async def complete_in_background(who: Staff, opened: OpenPayment) -> bool:
    """Send the prompt of an order that was just placed for a client. Returns True if M-Pesa has accepted it.

    Raises UpstreamFailed, if the error comes within PAGE_WAIT.
    """
    return await _run_in_background(_complete(who, opened))


async def _run_in_background(work: Coroutine[Any, Any, None]) -> bool:
    task = asyncio.create_task(work)
    _running.add(task)
    task.add_done_callback(_finish)
    done, _ = await asyncio.wait({task}, timeout=PAGE_WAIT)
    if done:
        task.result()
    return bool(done)


async def _prompt(who: Staff, reference: str, payer: str) -> None:
    # First, so that a repeated submit raises AlreadyApplied and sends no second prompt.
    await _record_action(who, "order.prompted", reference)
    with _explain_failures():
        await prompt_again(session_scope, gateway(session_scope), reference, payer, who.email)


async def _complete(who: Staff, opened: OpenPayment) -> None:
    await _record_action(who, "order.charged", opened.order.reference)
    with _explain_failures():
        await complete_payment(session_scope, gateway(session_scope), opened)


@contextmanager
def _explain_failures() -> Iterator[None]:
    """Replace errors of a prompt by messages for staff."""
    try:
        yield
    except PaymentFailed as failed:
        raise UpstreamFailed("No prompt was sent, and nothing was charged.") from failed
    except PaymentUncertain as uncertain:
        raise UpstreamFailed("M-Pesa has not answered: a prompt may be on the phone.") from uncertain


async def _refund(who: Staff, reference: str, payment_id: int, reason: str) -> None:
    await _record_action(who, "payment.return_requested", reference)
    await start_reversal(session_scope, gateway(session_scope), payment_id, reason, who.email)


async def _query(who: Staff, reference: str, payment_id: int) -> None:
    scope, app_key = session_scope, compute_app_key(settings())
    try:
        answer = await query_for_staff(scope, gateway(scope), app_key, payment_id, who.email)
    except UpstreamFailed:
        await _record_action(who, "payment.asked", reference, "no answer")
        raise
    await _record_action(who, "payment.asked", reference, answer.result_code)


async def _record_action(who: Staff, action: str, reference: str, result: str = "") -> None:
    async with session_scope() as session:
        await audit.record(session, who, action, "order", reference, result)


def _finish(task: asyncio.Task[None]) -> None:
    _running.discard(task)
    error = None if task.cancelled() else task.exception()
    if error and not isinstance(error, SiteError):
        log.error("A call to M-Pesa for staff failed; the page shows no answer", exc_info=error)
