"""Figures about payments for Prometheus and the status screen, each read through an index."""

from datetime import datetime

from sqlmodel import col, func, select
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.clock import now
from agency_site.db.recent_counts import read_recent
from agency_site.features.checkout.payments.journal import count_damaged, count_waiting
from agency_site.features.checkout.payments.rules import OPEN, PROMPTED, PaymentState
from agency_site.features.checkout.payments.tables import CallbackInbox, Payment
from agency_site.metrics import Reading


async def read_payments(session: AsyncSession) -> list[Reading]:
    """Read payments by state and age, open prompts, unhandled callbacks, and the journal of this process."""
    return [
        *await read_recent(
            session,
            "agency_payments_recent",
            "Payments of the last 24 hours by state.",
            PaymentState,
            state=col(Payment.state),
            made_at=col(Payment.created_at),
        ),
        *await _read_undecided(session),
        *await _read_prompts(session),
        *await _read_callbacks(session),
        *_read_journal(),
    ]


async def _read_undecided(session: AsyncSession) -> list[Reading]:
    """Count the payments, of any age, that are open or under review. They are few."""
    states = [*sorted(OPEN), PaymentState.NEEDS_REVIEW]
    undecided = (
        select(Payment.state, func.count(), func.min(Payment.created_at))
        .where(col(Payment.state).in_(states))
        .group_by(col(Payment.state))
    )
    figures_by_state = {
        state: (count, _age(oldest)) for state, count, oldest in (await session.exec(undecided)).all()
    }
    figures = [(state, *figures_by_state.get(state, (0, 0.0))) for state in states]
    return [
        *(
            Reading(
                "agency_payments_undecided",
                "Payments that are open or under review.",
                count,
                {"state": state.value},
            )
            for state, count, _ in figures
        ),
        *(
            Reading(
                "agency_payment_oldest_seconds",
                "Age of the oldest payment that is open or under review.",
                age,
                {"state": state.value},
            )
            for state, _, age in figures
        ),
    ]


async def _read_prompts(session: AsyncSession) -> list[Reading]:
    # The kind is counted instead of filtered: a condition on it may lead SQLite to the index of all prompts ever sent.
    is_prompt = col(Payment.kind).in_(PROMPTED)
    prompts = select(func.count().filter(is_prompt)).where(col(Payment.state).in_(OPEN))
    count = (await session.exec(prompts)).one()
    return [Reading("agency_open_prompts", "Payments by prompt that are open.", count)]


async def _read_callbacks(session: AsyncSession) -> list[Reading]:
    waiting = select(func.count(), func.min(CallbackInbox.received_at)).where(
        col(CallbackInbox.due_at).is_not(None)
    )
    count, oldest = (await session.exec(waiting)).one()
    return [
        Reading("agency_callbacks_waiting", "Callbacks that are stored and not handled.", count),
        Reading("agency_callback_oldest_seconds", "Age of the oldest of them.", _age(oldest)),
    ]


def _read_journal() -> list[Reading]:
    return [
        Reading("agency_journal_entries", "Files of the journal.", count_waiting(), {"state": "waiting"}),
        Reading("agency_journal_entries", "Files of the journal.", count_damaged(), {"state": "damaged"}),
    ]


def _age(oldest: datetime | None) -> float:
    return max(0.0, (now() - oldest).total_seconds()) if oldest else 0.0
