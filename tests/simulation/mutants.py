"""`make simulate-mutants`: does the simulation notice when checkout, leases, mail or seats are broken?

Each mutant breaks the product in a process of its own; nothing is written to disk.
"""

import argparse
import ast
import sys
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from functools import partial
from multiprocessing import Pool
from typing import Any

import pytest

from agency_site.antispam import limiter
from agency_site.db import leases
from agency_site.db import sqlite as product_sqlite
from agency_site.features.academy.enrolments import usecases as enrolments
from agency_site.features.academy.reservations import usecases as reservations
from agency_site.features.academy.waiting_list import handover
from agency_site.features.booking.bookings import seats
from agency_site.features.booking.bookings import usecases as bookings
from agency_site.features.booking.business_hours import usecases as business_hours
from agency_site.features.booking.schedule import slots
from agency_site.features.checkout import jobs
from agency_site.features.checkout.buying import order_status, orders
from agency_site.features.checkout.buying import usecases as buying
from agency_site.features.checkout.coupons import usecases as coupons
from agency_site.features.checkout.direct_payments import manual, paybill
from agency_site.features.checkout.inbox import callbacks
from agency_site.features.checkout.orders.rules import OrderState
from agency_site.features.checkout.orders.tables import Order
from agency_site.features.checkout.payments import (
    claims,
    prompts,
    rules,
    settlement,
    status_queries,
    transitions,
)
from agency_site.features.checkout.payments.rules import PAYMENT_TRANSITIONS, PaymentState
from agency_site.features.checkout.reconciliation import discrepancies
from agency_site.features.checkout.transactions import books, matching, unassigned
from agency_site.mail import delivery
from agency_site.mail import usecases as outbox
from agency_site.mail.rules import MailState
from agency_site.notices import usecases as notices
from tests.servers import sqlite_template
from tests.simulation.defects import (
    Defect,
    compare,
    decide,
    drop_operand,
    replace_call,
    replace_entry,
    replace_expression,
    replace_function,
    replace_name,
    rewrite,
    set_argument,
    set_attribute,
    skip_assignment,
    skip_call,
)
from tests.simulation.faults import choose_families
from tests.simulation.history import plan_history, run_plan
from tests.simulation.world import prepared

_deliver, _insert, _mail_row = delivery._attempt_delivery, seats.insert_booking, outbox._build_row


@dataclass(frozen=True)
class Mutant:
    """One way to break the product."""

    meaning: str
    defect: Defect


async def _enqueue_without_key(session: Any, message: Any, *, key: str) -> int | None:
    return await outbox.enqueue(session, message, key=None)


async def _notify_without_enrolment_key(session: Any, notice: Any) -> bool:
    enqueue_mail = _enqueue_without_key if notice.key.startswith("enrolment:") else outbox.enqueue
    return await notices.notify(session, notice, enqueue_mail=enqueue_mail)


async def _notify_of_all_but_confirmations(session: Any, notice: Any) -> bool:
    return not notice.key.startswith("booking-confirmed:") and await notices.notify(session, notice)


async def _settle_failure(session: Any, order: Any, payment: Any, result: Any, _outcome: object) -> None:
    await settlement.settle(session, order, payment, result)


async def _replay_nothing() -> int:
    return 0


async def _find_nothing(_session: Any, _which: Any) -> list[Any]:
    return []


async def _deliver_nothing_twice(row: Any) -> Any:
    outcome = await _deliver(row)
    return (
        replace(outcome, state=MailState.SENT, due_at=None) if outcome.state is MailState.QUEUED else outcome
    )


async def _insert_beyond_capacity(
    session: Any, booking: Any, free: Sequence[int], persons: Sequence[Any] = ()
) -> None:
    await _insert(session, booking, [seat + 100 for seat in free], persons)


def _ignore_open_payment(order: Order, _newest: object) -> bool:
    return order.state is not OrderState.PAID


def _never_follows(state: PaymentState, *excluded: PaymentState) -> Defect:
    return replace_entry(PAYMENT_TRANSITIONS, state, PAYMENT_TRANSITIONS[state] - set(excluded))


MUTANTS = (
    # Settlement
    Mutant(
        "a push without an answer counts as not sent",
        rewrite(prompts._build_unknown, replace_expression("PaymentState.UNKNOWN", "PaymentState.FAILED")),
    ),
    Mutant("a paid order enrols no learner", rewrite(settlement.settle, skip_call("enrol"))),
    Mutant(
        "the right amount goes to review",
        rewrite(settlement.settle_callback, compare(ast.NotEq, "amount == payment.amount")),
    ),
    Mutant(
        "a receipt that comes after a status query is not stored",
        rewrite(settlement._complete_receipt, skip_assignment("receipt")),
    ),
    Mutant("the confirmation has no key", replace_name(settlement, "notify", _notify_without_enrolment_key)),
    Mutant(
        "the receipt of a callback is not stored",
        rewrite(settlement.settle, set_argument("transition_payment", "receipt", "None")),
    ),
    # Transitions
    Mutant(
        "any state follows any state", rewrite(transitions.transition_payment, replace_call("in_", "True"))
    ),
    Mutant("a paid payment leaves its order unpaid", replace_name(transitions, "_ORDER_STATES", {})),
    # Rules
    Mutant(
        "a payment whose push had no answer cannot be paid",
        _never_follows(PaymentState.UNKNOWN, PaymentState.PAID, PaymentState.NEEDS_REVIEW),
    ),
    Mutant("a pending payment cannot be paid", _never_follows(PaymentState.PENDING, PaymentState.PAID)),
    Mutant(
        "a callback that is faster than the push's answer does not count",
        _never_follows(PaymentState.SENDING, PaymentState.PAID),
    ),
    Mutant(
        "another prompt is allowed at once",
        replace_function(rules.find_retry_time, lambda attempt, _window: attempt.sent_at),
    ),
    # Orders and payments
    Mutant(
        "a repeated request sends the push again",
        rewrite(orders.find_or_create_payment, set_argument("OpenPayment", "new", "True")),
    ),
    Mutant("an open payment is ignored", replace_name(orders, "can_retry", _ignore_open_payment)),
    Mutant(
        "money in an order gives it no claim",
        rewrite(claims.list_with_claim, replace_call("list_with_money", "()")),
    ),
    # The report
    Mutant(
        "a part of the price of a cancelled run is in order",
        rewrite(
            discrepancies._check_parts,
            replace_call("list_refusals", "dict.fromkeys(order.id for order in orders)"),
        ),
    ),
    Mutant(
        "a return without a result is in no report",
        replace_name(discrepancies, "_find_open_returns", _find_nothing),
    ),
    # Callbacks
    Mutant(
        "a callback whose handling broke is never handled",
        rewrite(callbacks._build_inbox_row, set_argument("CallbackInbox", "due_at", "None")),
    ),
    Mutant(
        "a callback settles the newest payment of all",
        rewrite(
            callbacks._handle_callback,
            replace_expression(
                "Payment.attempt_key == row.attempt_key",
                "Payment.id == select(Payment.id).order_by(col(Payment.id).desc()).limit(1).scalar_subquery()",
            ),
        ),
    ),
    Mutant(
        "a success is read as an expiry",
        rewrite(
            callbacks._apply_callback,
            replace_call(
                "Outcome", "Outcome.EXPIRED if row.outcome == Outcome.PAID else Outcome(row.outcome)"
            ),
        ),
    ),
    Mutant(
        "a handled callback counts as unhandled",
        rewrite(callbacks._handle_callback, set_attribute("handled_at", "None")),
    ),
    # Status queries and polling
    Mutant(
        "a success that a query reports waits for its confirmation for ever",
        rewrite(status_queries._apply_success, set_attribute("due_at", "None")),
    ),
    Mutant(
        "a failure that a query reports counts as a success",
        replace_name(status_queries, "_apply_failure", _settle_failure),
    ),
    # Books
    Mutant(
        "what the books do not show yet counts as unpaid",
        rewrite(books.apply_books, drop_operand("find_close")),
    ),
    # What payers and staff read
    Mutant(
        "a payment that nobody knows about is shown as failed",
        replace_entry(order_status.SHOWN, PaymentState.UNKNOWN, order_status.ShownState.FAILED),
    ),
    Mutant("a key is not stored", rewrite(buying._open_payment, skip_call("store_key"))),
    # Power
    Mutant(
        "a commit is not on the disk when it returns",
        replace_name(product_sqlite, "_PRAGMAS", ("PRAGMA synchronous=NORMAL", "PRAGMA foreign_keys=ON")),
    ),
    # Redis and the journal
    Mutant(
        "nobody can pay while Redis is away",
        replace_name(limiter, "suppress", lambda *_errors: nullcontext()),
    ),
    Mutant("the journal is never replayed", replace_name(jobs, "_replay_journal", _replay_nothing)),
    # Leases and mail
    Mutant(
        "two workers get the same row", rewrite(leases.claim, set_argument("values", "leased_until", "None"))
    ),
    Mutant(
        "the row of a dead worker is never claimed again",
        rewrite(leases.claim, replace_call("or_", "col(table.leased_until).is_(None)")),
    ),
    Mutant(
        "a mail that was refused for now counts as sent",
        replace_name(delivery, "_attempt_delivery", _deliver_nothing_twice),
    ),
    Mutant("a mail that was refused for now is given up", replace_name(delivery, "BACKOFF", ())),
    Mutant(
        "a mail is never due",
        replace_name(outbox, "_build_row", lambda *arguments: _mail_row(*arguments) | {"due_at": None}),
    ),
    # Seats
    Mutant(
        "a booking takes a seat beyond the capacity",
        replace_function(seats.insert_booking, _insert_beyond_capacity),
    ),
    Mutant(
        "a move takes a seat beyond the capacity",
        rewrite(seats.reseat_booking, set_argument("values", "seat", "seat + 100")),
    ),
    Mutant("blackouts can be booked", rewrite(slots._compute_slot, replace_call("any", "False"))),
    Mutant(
        "staff do not read of a consultation that reaches into a blackout",
        rewrite(business_hours.add_blackout, replace_expression("booking_policy().length", "timedelta()")),
    ),
    Mutant(
        "staff do not read of bookings whose time is not offered any more",
        rewrite(
            business_hours._misplaced_ids,
            replace_expression(
                "slot.misplaced_seats(id_by_seat) if slot and is_offered else id_by_seat",
                "slot.misplaced_seats(id_by_seat) if slot else ()",
            ),
        ),
    ),
    Mutant(
        "a booking is not confirmed by mail",
        replace_name(bookings, "notify", _notify_of_all_but_confirmations),
    ),
    # Course runs
    Mutant(
        "places are sold beyond what a run has",
        rewrite(reservations.take_places, replace_call("or_", "True")),
    ),
    Mutant("released places stay taken", rewrite(reservations._release, skip_call("_return_places"))),
    Mutant(
        "the places of a payment that ended without money are kept for ever",
        rewrite(reservations.release_later, skip_call("_keep_until")),
    ),
    Mutant(
        "a paid place is in no run",
        rewrite(enrolments.create_enrolment, replace_call("take_reserved", "None")),
    ),
    # Payments by hand
    Mutant("a part of the price pays for an order", rewrite(settlement.settle, compare(ast.Lt, "False"))),
    Mutant("a payment by hand pays for no order", rewrite(paybill._pay_order, skip_call("add_payment"))),
    Mutant(
        "a payment by hand that was handled counts as unhandled",
        rewrite(paybill._settle_confirmation, skip_call("finish")),
    ),
    Mutant(
        "M-Pesa may take money by hand for an order that is paid",
        rewrite(paybill.validate_payment, decide("find_refusal", "False")),
    ),
    Mutant(
        "M-Pesa may take any amount by hand",
        rewrite(paybill.validate_payment, replace_call("is_sensible_part", "True")),
    ),
    Mutant(
        "a payment by hand that only the books show pays for no order",
        rewrite(unassigned._store_all, replace_call("find_named_references", "None")),
    ),
    Mutant("a payment by hand is stored and never settled", rewrite(manual.add_payment, skip_call("settle"))),
    # Coupons
    Mutant("a coupon is used more often than it may be", rewrite(coupons._take, replace_call("or_", "True"))),
    Mutant(
        "the use of a coupon is not counted",
        rewrite(coupons._take, set_argument("values", "used", "col(Coupon.used)")),
    ),
    Mutant(
        "a use that is given back stays counted",
        rewrite(coupons.release_due_uses, set_argument("values", "used", "col(Coupon.used)")),
    ),
    Mutant(
        "the use of a payment that ended without money is kept for ever",
        rewrite(coupons.give_up_use, skip_call("_keep_until")),
    ),
    Mutant(
        "the use of an order that is paid after all is given back",
        rewrite(coupons.keep_use, skip_assignment("kept_until")),
    ),
    # Books
    Mutant(
        "the books are read only about open prompts",
        rewrite(jobs.read_recent_books, decide("can_pull_transactions", "True")),
    ),
    Mutant(
        "one failure that a query reports ends a payment",
        rewrite(status_queries._apply_failure, decide("can_be_looked_up", "True")),
    ),
    Mutant(
        "any money for the number of a prompt is its payment",
        rewrite(matching.is_settled_by, drop_operand("transaction.amount")),
    ),
    Mutant(
        "a second receipt of a payment is not kept",
        rewrite(
            unassigned.settle_transaction,
            replace_expression("payment.receipt != transaction.receipt", "False"),
        ),
    ),
    # Waiting lists
    Mutant(
        "a place that is kept for the waiting list is not counted",
        rewrite(handover._offer_places, skip_call("take_places")),
    ),
)


def _hunt(number: int, seeds: int, families: Sequence[str]) -> str:
    """Return how the mutant was caught; empty if it was not. Call it in a process of its own."""
    MUTANTS[number].defect(pytest.MonkeyPatch())
    with prepared(sqlite_template()):
        for seed in range(seeds):
            if violations := run_plan(plan_history(seed, families)).violations:
                return f"caught by seed {seed}: {violations[0]}"
    return ""


def main() -> int:
    """Hunt every mutant, two at a time. Returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m tests.simulation.mutants", description=__doc__)
    parser.add_argument("--seeds", type=int, default=5000)
    parser.add_argument("--faults", default="all", help="families under which the unbroken product holds")
    parser.add_argument("--only", type=int, help="the number of one mutant")
    options = parser.parse_args()
    numbers = range(len(MUTANTS)) if options.only is None else [options.only]
    sqlite_template()
    # Copies of this process have imported everything and have the template.
    with Pool(2, maxtasksperchild=1) as pool:
        hunt = partial(_hunt, seeds=options.seeds, families=choose_families(options.faults))
        caught = 0
        for number, said in zip(numbers, pool.imap(hunt, numbers), strict=True):
            caught += bool(said)
            outcome = said[:160] or f"not caught in {options.seeds} histories"
            print(f"{number:3} {MUTANTS[number].meaning}: {outcome}", flush=True)
    print(f"{caught} of {len(numbers)} caught")
    return 0 if caught == len(numbers) else 1


if __name__ == "__main__":
    sys.exit(main())
