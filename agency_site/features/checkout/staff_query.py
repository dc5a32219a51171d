"""Asking M-Pesa about one payment at once, because a member of staff wants to know."""

from dataclasses import dataclass
from datetime import timedelta

from agency_site.clock import now
from agency_site.errors import Conflict, NotFound, UpstreamFailed
from agency_site.features.checkout.daraja_quota import seconds_to_query, take_query_slot
from agency_site.features.checkout.rules import PaymentState
from agency_site.features.checkout.status_polling import UNSENT, Asked, ask
from agency_site.features.checkout.tables import Payment
from agency_site.features.checkout.transitions import Scope, lock_payment, note
from agency_site.mpesa.contract import Gateway, Outcome, QueryResult
from agency_site.settings import settings

LEASE = timedelta(minutes=2)
"""As long as reconciliation holds a payment that it asks about."""


class AskedTooSoon(Conflict):
    """M-Pesa may not be asked just now; `seconds` says when it may."""

    def __init__(self, seconds: int) -> None:
        unit = "second" if seconds == 1 else "seconds"
        super().__init__(f"M-Pesa allows few questions. Please ask again in {seconds} {unit}.")
        self.seconds = seconds


@dataclass(frozen=True)
class Told:
    """What M-Pesa answered, and where that leaves the payment."""

    reference: str
    outcome: Outcome
    result_code: str
    result_text: str
    state: PaymentState
    confirming: bool
    """M-Pesa told of a success once: it counts when it tells so again, a while later (daraja.md, section 4)."""


async def query_now(scope: Scope, gateway: Gateway, app_key: str, payment_id: int, actor: str) -> Told:
    """Ask M-Pesa about a payment at once, within the pace of the whole system; the outcome counts as in reconciliation.

    `app_key` names the Daraja app whose pace is kept. Raises NotFound; Conflict when the payment cannot be asked about
    or is being asked about; AskedTooSoon; UpstreamFailed when M-Pesa gives no answer, which is noted.
    """
    asked = await _claimed(scope, app_key, payment_id)
    answer = await ask(scope, gateway, app_key, asked, actor)
    async with scope() as session:
        order, payment = await lock_payment(session, payment_id)
        told = f"told {answer.result_code}" if isinstance(answer, QueryResult) else "no answer"
        note(session, order, payment, actor, f"asked M-Pesa: {told}")
    if not isinstance(answer, QueryResult):
        raise UpstreamFailed(
            "M-Pesa gave no answer. That says nothing about the payment; please ask again later."
        )
    return Told(
        reference=order.reference,
        outcome=answer.outcome,
        result_code=answer.result_code,
        result_text=answer.description,
        state=payment.state,
        confirming=payment.success_seen_at is not None and payment.state is not PaymentState.PAID,
    )


async def _claimed(scope: Scope, app_key: str, payment_id: int) -> Asked:
    async with scope() as session:
        if await session.get(Payment, payment_id) is None:
            raise NotFound("There is no such payment.")
        _, payment = await lock_payment(session, payment_id)
        if not payment.checkout_request_id or payment.state in UNSENT:
            raise Conflict("M-Pesa has given this payment no id, so it cannot be asked about it.")
        if not payment.phone:
            raise Conflict("The payer's data has been erased, and M-Pesa's id with it.")
        if payment.leased_until and payment.leased_until > now():
            raise Conflict("M-Pesa is being asked about this payment at this moment.")
        interval = timedelta(seconds=settings().mpesa_query_interval_seconds)
        if not await take_query_slot(session, app_key, interval):
            raise AskedTooSoon(max(1, await seconds_to_query(session, app_key)))
        payment.leased_until = now() + LEASE
        session.add(payment)
        return Asked(payment_id, payment.checkout_request_id)
