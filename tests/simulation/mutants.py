"""`make simulate-mutants`: does the simulation notice when checkout, leases, mail or seats are broken?

Each mutant replaces one piece of a module's source as it is imported, in a process of its own; nothing is written to disk.
"""

import argparse
import importlib.abc
import importlib.machinery
import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

from tests.simulation.faults import choose_families

ROOT = Path(__file__).parents[2]
_CHECKOUT = "agency_site.features.checkout."


@dataclass(frozen=True)
class Mutant:
    """One way to break the product."""

    module: str
    old: str
    new: str
    meaning: str

    @property
    def file(self) -> Path:
        """The source that it changes."""
        return ROOT / f"{self.module.replace('.', '/')}.py"


MUTANTS = (
    # Settlement
    Mutant(
        f"{_CHECKOUT}payments.prompts",
        "return PushAnswer(payment_id, PaymentState.UNKNOWN, sent_at",
        "return PushAnswer(payment_id, PaymentState.FAILED, sent_at",
        "a push without an answer counts as not sent",
    ),
    Mutant(
        f"{_CHECKOUT}payments.settlement",
        "    await enrol(session, order, payment)\n    return why",
        "    return why",
        "a paid order enrols nobody",
    ),
    Mutant(
        f"{_CHECKOUT}payments.settlement",
        "elif amount != payment.amount:",
        "elif amount == payment.amount:",
        "the right amount goes to review",
    ),
    Mutant(
        f"{_CHECKOUT}payments.settlement",
        "    payment.receipt = result.receipt\n    session.add(payment)\n    record_event(",
        "    record_event(",
        "a receipt that comes after a status query is not stored",
    ),
    Mutant(
        f"{_CHECKOUT}payments.settlement",
        'key=f"enrolment:{order.reference}"',
        "key=None",
        "the confirmation has no key",
    ),
    Mutant(
        f"{_CHECKOUT}payments.settlement",
        "receipt = result.receipt or None",
        "receipt = None",
        "the receipt of a callback is not stored",
    ),
    # Transitions
    Mutant(
        f"{_CHECKOUT}payments.transitions",
        "col(Payment.id) == payment.id, col(Payment.state).in_(sources)",
        "col(Payment.id) == payment.id",
        "any state follows any state",
    ),
    Mutant(
        f"{_CHECKOUT}payments.transitions",
        "alone = None if is_part else _ORDER_STATES.get(to)",
        "alone = None",
        "a paid payment leaves its order unpaid",
    ),
    # Rules
    Mutant(
        f"{_CHECKOUT}payments.rules",
        "PaymentState.UNKNOWN: UNPAID_ENDS | {PaymentState.PENDING, PaymentState.PAID, PaymentState.NEEDS_REVIEW},",
        "PaymentState.UNKNOWN: UNPAID_ENDS | {PaymentState.PENDING},",
        "a payment whose push had no answer cannot be paid",
    ),
    Mutant(
        f"{_CHECKOUT}payments.rules",
        "PaymentState.PENDING: UNPAID_ENDS | {PaymentState.PAID, PaymentState.NEEDS_REVIEW},",
        "PaymentState.PENDING: UNPAID_ENDS | {PaymentState.NEEDS_REVIEW},",
        "a pending payment cannot be paid",
    ),
    Mutant(
        f"{_CHECKOUT}payments.rules",
        "| {PaymentState.PENDING, PaymentState.UNKNOWN, PaymentState.PAID, PaymentState.NEEDS_REVIEW},",
        "| {PaymentState.PENDING, PaymentState.UNKNOWN, PaymentState.NEEDS_REVIEW},",
        "a callback that is faster than the push's answer does not count",
    ),
    Mutant(
        f"{_CHECKOUT}payments.rules",
        "    if attempt.success_seen:\n        return None\n",
        "    return attempt.sent_at\n",
        "another prompt is allowed at once",
    ),
    # Orders and payments
    Mutant(
        f"{_CHECKOUT}buying.orders",
        "return OpenPayment(order, newest, new=False)",
        "return OpenPayment(order, newest, new=True)",
        "a repeated request sends the push again",
    ),
    Mutant(
        f"{_CHECKOUT}buying.orders",
        "if newest and not _can_retry(order, newest):",
        "if newest and order.state is OrderState.PAID:",
        "an open payment is ignored",
    ),
    # Callbacks
    Mutant(
        f"{_CHECKOUT}inbox.callbacks",
        "due_at=moment + _RETRY_PAUSE",
        "due_at=None",
        "a callback whose handling broke is never handled",
    ),
    Mutant(
        f"{_CHECKOUT}inbox.callbacks",
        "select(Payment.id).where(Payment.attempt_key == row.attempt_key)",
        "select(Payment.id).order_by(col(Payment.id).desc())",
        "a callback settles the newest payment of all",
    ),
    Mutant(
        f"{_CHECKOUT}inbox.callbacks",
        "    if outcome is Outcome.PAID:\n",
        "    if outcome is Outcome.EXPIRED:\n",
        "a success is read as an expiry",
    ),
    Mutant(
        f"{_CHECKOUT}inbox.callbacks",
        "row.handled_at, row.due_at, row.leased_until = now(), None, None",
        "row.due_at, row.leased_until = None, None",
        "a handled callback counts as unhandled",
    ),
    # Status queries and polling
    Mutant(
        f"{_CHECKOUT}payments.status_queries",
        "    payment.due_at = now() + timedelta(seconds=settings().mpesa_query_interval_seconds)\n",
        "    payment.due_at = None\n",
        "a success that a query reports waits for its confirmation for ever",
    ),
    Mutant(
        f"{_CHECKOUT}payments.status_queries",
        "await _apply_failure(session, order, payment, stated, result.outcome)",
        "await settle(session, order, payment, stated)",
        "a failure that a query reports counts as a success",
    ),
    # Books
    Mutant(
        f"{_CHECKOUT}transactions.books",
        "    elif match.certain or read_at < find_close(payment):\n",
        "    elif match.certain:\n",
        "what the books do not show yet counts as unpaid",
    ),
    # What payers and staff read
    Mutant(
        f"{_CHECKOUT}buying.order_status",
        "PaymentState.UNKNOWN: ShownState.PENDING,",
        "PaymentState.UNKNOWN: ShownState.FAILED,",
        "a payment that nobody knows about is shown as failed",
    ),
    Mutant(
        f"{_CHECKOUT}buying.usecases",
        "await store_key(session, key, opened.payment.id)",
        "pass",
        "a key is not stored",
    ),
    # Redis and the journal
    Mutant(
        "agency_site.antispam.limiter",
        "    with suppress(RedisAway):\n",
        "    with suppress(ValueError):\n",
        "nobody can pay while Redis is away",
    ),
    Mutant(
        f"{_CHECKOUT}jobs",
        "    done = await _replay_journal()\n",
        "    done = 0\n",
        "the journal is never replayed",
    ),
    # Leases and mail
    Mutant(
        "agency_site.db.leases",
        "values(leased_until=now + lease, **changes)",
        "values(leased_until=None, **changes)",
        "two workers get the same row",
    ),
    Mutant(
        "agency_site.db.leases",
        "free = or_(col(table.leased_until).is_(None), col(table.leased_until) <= now)",
        "free = col(table.leased_until).is_(None)",
        "the row of a dead worker is never claimed again",
    ),
    Mutant(
        "agency_site.mail.delivery",
        "return _Outcome(MailState.QUEUED, str(error), now() + BACKOFF[row.attempts - 1])",
        "return _Outcome(MailState.SENT)",
        "a mail that was refused for now counts as sent",
    ),
    Mutant(
        "agency_site.mail.delivery",
        "if row.attempts > len(BACKOFF):",
        "if row.attempts > 0:",
        "a mail that was refused for now is given up",
    ),
    Mutant(
        "agency_site.mail.usecases",
        '        "due_at": moment if is_delivered else None,',
        '        "due_at": None,',
        "a mail is never due",
    ),
    # Seats
    Mutant(
        "agency_site.features.booking.bookings.seats",
        "    for seat in free:\n        booking.seat = seat\n",
        "    for seat in free:\n        booking.seat = seat + 100\n",
        "a booking takes a seat beyond the capacity",
    ),
    Mutant(
        "agency_site.features.booking.bookings.seats",
        "                seat=seat,\n                state=BookingState.CONFIRMED,",
        "                seat=seat + 100,\n                state=BookingState.CONFIRMED,",
        "a move takes a seat beyond the capacity",
    ),
    Mutant(
        "agency_site.features.booking.schedule.slots",
        "    if any(span.overlaps(blackout) for blackout in occupancy.blackouts):",
        "    if False:",
        "blackouts can be booked",
    ),
    Mutant(
        "agency_site.features.booking.business_hours.usecases",
        "    begins = request.starts_at - booking_policy().length\n",
        "    begins = request.starts_at\n",
        "staff do not read of a consultation that reaches into a blackout",
    ),
    Mutant(
        "agency_site.features.booking.business_hours.usecases",
        "slot.capacity if slot and slot.state is not SlotState.BLACKED_OUT else 0",
        "slot.capacity if slot else booking_policy().capacity",
        "staff do not read of bookings whose time is not offered any more",
    ),
    Mutant(
        "agency_site.features.booking.bookings.usecases",
        'f"booking-confirmed:{booking.reference}": emails.confirmation(booking, token),',
        "",
        "a booking is not confirmed by mail",
    ),
    # Course runs
    Mutant(
        "agency_site.features.academy.reservations.usecases",
        "fits = or_(col(run.capacity).is_(None), col(run.taken) + places <= col(run.capacity))",
        "fits = col(run.id) == run_id",
        "places are sold beyond what a run has",
    ),
    Mutant(
        "agency_site.features.academy.reservations.usecases",
        "    if released:\n",
        "    if not released:\n",
        "released places stay taken",
    ),
    Mutant(
        "agency_site.features.academy.reservations.usecases",
        "    await _keep_until(session, order_id, now() + timedelta(minutes=settings().place_kept_minutes))\n",
        "    pass\n",
        "the places of a payment that ended without money are kept for ever",
    ),
    Mutant(
        "agency_site.features.academy.enrolments.usecases",
        "run_id = await take_reserved(session, sale.order_id)",
        "run_id = None",
        "a paid place is in no run",
    ),
    # Payments by hand
    Mutant(
        f"{_CHECKOUT}payments.settlement",
        "if order.state is OrderState.PAID or (payment.amount < missing and not result.accepted):",
        "if order.state is OrderState.PAID:",
        "a part of the price pays for an order",
    ),
    Mutant(
        f"{_CHECKOUT}direct_payments.paybill",
        "        await add_payment(session, order, received, MPESA)\n",
        "        pass\n",
        "a payment by hand pays for no order",
    ),
    Mutant(
        f"{_CHECKOUT}direct_payments.paybill",
        "await session.get(UnassignedTransaction, transaction_id)",
        "None",
        "a payment by hand that was handled counts as unhandled",
    ),
    Mutant(
        f"{_CHECKOUT}direct_payments.paybill",
        "    if not missing or order.state is OrderState.NEEDS_REVIEW:\n        return Verdict.WRONG_ACCOUNT\n",
        "",
        "M-Pesa may take money by hand for an order that is paid",
    ),
    Mutant(
        f"{_CHECKOUT}direct_payments.paybill",
        "fits = payment.amount is None or is_sensible_part(payment.amount, missing, order.amount)",
        "fits = True",
        "M-Pesa may take any amount by hand",
    ),
    Mutant(
        f"{_CHECKOUT}transactions.unassigned",
        "build_transaction(transaction, now() if find_named_references(transaction.bill_reference) else None)",
        "build_transaction(transaction, None)",
        "a payment by hand that only the books show pays for no order",
    ),
    Mutant(
        f"{_CHECKOUT}direct_payments.manual",
        '    await settle(session, order, payment, PaymentResult(actor, "", "", received.receipt, accepted))\n',
        "",
        "a payment by hand is stored and never settled",
    ),
    # Coupons
    Mutant(
        f"{_CHECKOUT}coupons.usecases",
        "col(Coupon.used) < col(Coupon.uses))",
        "col(Coupon.id) == coupon_id)",
        "a coupon is used more often than it may be",
    ),
    Mutant(
        f"{_CHECKOUT}coupons.usecases",
        "values(used=col(Coupon.used) + 1)",
        "values(used=col(Coupon.used))",
        "the use of a coupon is not counted",
    ),
    Mutant(
        f"{_CHECKOUT}coupons.usecases",
        "    if returned:\n",
        "    if not returned:\n",
        "a use that is given back stays counted",
    ),
    Mutant(
        f"{_CHECKOUT}coupons.usecases",
        "    await _keep_until(session, order_id, now() + timedelta(minutes=settings().place_kept_minutes))\n",
        "    pass\n",
        "the use of a payment that ended without money is kept for ever",
    ),
    Mutant(
        f"{_CHECKOUT}coupons.usecases",
        "        use.kept_until = None\n",
        "",
        "the use of an order that is paid after all is given back",
    ),
    # Books
    Mutant(
        f"{_CHECKOUT}jobs",
        "    if not settings().can_pull_transactions:\n        return 0\n",
        "    return 0\n",
        "the books are read only about open prompts",
    ),
    Mutant(
        f"{_CHECKOUT}payments.status_queries",
        "    if payment.state not in OPEN or not can_be_looked_up(payment):\n",
        "    if True:\n",
        "one failure that a query reports ends a payment",
    ),
    Mutant(
        f"{_CHECKOUT}transactions.matching",
        "return transaction.bill_reference == account_reference and transaction.amount == amount",
        "return transaction.bill_reference == account_reference",
        "any money for the number of a prompt is its payment",
    ),
    Mutant(
        f"{_CHECKOUT}transactions.unassigned",
        "            # The payment has another receipt, so this money stays unassigned until staff decide.\n"
        "            await _store_unassigned(session, transaction)\n",
        "            pass\n",
        "a second receipt of a payment is not kept",
    ),
    # Waiting lists
    Mutant(
        "agency_site.features.academy.waiting_list.handover",
        "    await take_places(session, run.id, row.places)\n",
        "",
        "a place that is kept for the waiting list is not counted",
    ),
)


class _MutatingLoader(importlib.machinery.SourceFileLoader):
    mutant: Mutant

    def get_code(self, fullname: str) -> object:  # type: ignore[override]
        """The compiled source with the replacement; byte code on disk is of the original."""
        source = self.mutant.file.read_text()
        assert source.count(self.mutant.old) == 1, self.mutant
        return compile(source.replace(self.mutant.old, self.mutant.new), str(self.mutant.file), "exec")


class _Mutating(importlib.abc.MetaPathFinder):
    def __init__(self, mutant: Mutant) -> None:
        self._mutant = mutant

    def find_spec(
        self, fullname: str, _path: Sequence[str] | None, _target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """The spec of the one module that is changed."""
        if fullname != self._mutant.module:
            return None
        loader = _MutatingLoader(fullname, str(self._mutant.file))
        loader.mutant = self._mutant
        return importlib.machinery.ModuleSpec(fullname, loader, origin=str(self._mutant.file))


def _hunt(number: int, seeds: int, families: Sequence[str]) -> int:
    sys.meta_path.insert(0, _Mutating(MUTANTS[number]))
    from tests.servers import sqlite_template
    from tests.simulation.history import plan_history, run_plan
    from tests.simulation.world import prepared

    with prepared(sqlite_template()):
        for seed in range(seeds):
            if violations := run_plan(plan_history(seed, families)).violations:
                print(f"caught by seed {seed}: {violations[0]}")
                return 0
    print(f"not caught in {seeds} histories")
    return 1


def main() -> int:
    """Hunt every mutant, two at a time. Returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m tests.simulation.mutants", description=__doc__)
    parser.add_argument("--seeds", type=int, default=5000)
    parser.add_argument("--faults", default="all", help="families under which the unbroken product holds")
    parser.add_argument("--only", type=int)
    options = parser.parse_args()
    families = choose_families(options.faults)
    if options.only is not None:
        return _hunt(options.only, options.seeds, families)

    def hunt(number: int) -> bool:
        arguments = ["--only", str(number), "--seeds", str(options.seeds), "--faults", options.faults]
        done = subprocess.run(
            [sys.executable, "-m", "tests.simulation.mutants", *arguments],
            cwd=ROOT, capture_output=True, text=True, check=False,
        )  # fmt: skip
        said = (done.stdout.strip() or done.stderr.strip()).splitlines()[-1]
        print(f"{number:3} {MUTANTS[number].meaning}: {said[:160]}", flush=True)
        return done.returncode == 0

    with ThreadPoolExecutor(2) as pool:
        caught = list(pool.map(hunt, range(len(MUTANTS))))
    print(f"{sum(caught)} of {len(caught)} caught")
    return 0 if all(caught) else 1


if __name__ == "__main__":
    sys.exit(main())
