"""What must hold once a history has healed, against M-Pesa's own ledger and the mail server's."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from agency_site.clock import in_nairobi
from agency_site.db.engine import read_scope
from agency_site.features.checkout.reconciliation.discrepancies import DiscrepancyKind
from agency_site.features.checkout.reconciliation.report import ReconciliationReport, reconciliation_report
from agency_site.settings import settings
from tests.simulation.world import COURSES, START, World, find_discount

_KEY_SECONDS = 86_400 - 120
"""For so long a key surely names its order: answers take a while."""


async def check_returns(world: World) -> None:
    """Read the report before staff work on it: a return that no refund records must be among its differences."""
    report = await _read_report(world)
    listed = {discrepancy.reference for discrepancy in report.discrepancies if not discrepancy.in_order}
    for receipt in world.returns():
        for (reference,) in world.inspect(
            "select o.reference from payments p join orders o on o.id = p.order_id "
            "where p.receipt = ? and not exists (select 1 from refunds r where r.payment_id = p.id)",
            receipt,
        ):
            if reference not in listed:
                world.violations.append(
                    f"M-Pesa has returned {receipt} of {reference}, and the report does not say so"
                )


async def _read_report(world: World) -> ReconciliationReport:
    async def read() -> ReconciliationReport:
        first = in_nairobi(START).date()
        return await reconciliation_report(read_scope, first, first + timedelta(days=30))

    return await world.network.send("shop", world.any_server(), read, 60.0)


async def read_report(world: World) -> None:
    """The reconciliation report of all days, as staff see it now."""
    twice = "select o.reference from payments p join orders o on o.id = p.order_id where p.state = 'paid' group by o.id"
    if not world.reports:
        world.paid_twice = {
            reference for (reference,) in world.inspect(f"{twice} having sum(p.amount) > max(o.amount)")
        }
    world.reports.append(await _read_report(world))


def find_violations(world: World) -> list[str]:
    """Return all violated invariants, in plain words."""
    violations = list(world.violations)
    for check in (
        _charges_without_books,
        _books_without_charges,
        _returns,
        _prompts_of_an_order,
        _parts,
        _cancelled_runs,
        _refunds,
        _places_of_receipts,
        _reviews,
        _keys,
        _open_for_ever,
        _bookings,
        _schedule,
        _course_runs,
        _learners,
        _coupons,
        _prices,
        _assigned,
        _receipts,
        _mails,
        _report,
        _processes,
    ):
        violations += check(world)
    return list(dict.fromkeys(violations))


def _charges_without_books(world: World) -> Iterator[str]:
    for prompt, attempt in world.prompts():
        if not prompt.charged:
            continue
        rows = world.inspect("select state, receipt from payments where attempt_key = ?", attempt)
        if not rows:
            yield f"the charge {prompt.receipt} belongs to no payment"
            continue
        state, receipt = rows[0]
        # The payment was paid by hand, with the account number of its prompt, and the prompt too.
        is_second = receipt in world.paid_by_hand() and _is_unassigned(world, prompt.receipt)
        if state not in ("paid", "refunded", "needs_review"):
            yield f"the charge {prompt.receipt} is lost: its payment is {state}"
        elif receipt != prompt.receipt and not is_second and (receipt or state != "needs_review"):
            yield f"the charge {prompt.receipt} is recorded with the receipt {receipt}"
    for receipt in world.paid_by_hand():
        rows = world.inspect("select state from payments where receipt = ?", receipt)
        if rows and rows[0][0] not in ("paid", "refunded", "needs_review"):
            yield f"the payment by hand {receipt} is lost: it is {rows[0][0]}"
        elif not rows and not _is_unassigned(world, receipt):
            yield f"the payment by hand {receipt} belongs to no payment, and nobody knows of it"


def _is_unassigned(world: World, receipt: str) -> bool:
    return bool(world.inspect("select id from unassigned_transactions where receipt = ?", receipt))


def _books_without_charges(world: World) -> Iterator[str]:
    charged = {attempt for prompt, attempt in world.prompts() if prompt.charged}
    for attempt, state, receipt in world.inspect(
        "select attempt_key, state, receipt from payments where state in ('paid', 'refunded')"
    ):
        if attempt not in charged and receipt not in world.paid_by_hand():
            yield f"a payment is {state}, and M-Pesa has taken nothing for it"
    for (reference,) in world.inspect(
        "select e.reference from enrolments e join orders o on o.id = e.order_id where o.state <> 'free' "
        "and not exists (select 1 from payments p where p.order_id = o.id and p.state in ('paid', 'refunded'))"
    ):
        yield f"{reference} is enrolled without money"
    for reference, state in world.inspect(
        "select reference, state from orders o where state in ('paid', 'free') "
        "and not exists (select 1 from enrolments e where e.order_id = o.id)"
    ):
        yield f"{reference} is {state}, and nobody is enrolled"
    for reference, state, amount in world.inspect(
        "select o.reference, o.state, o.amount from orders o join payments p on p.order_id = o.id "
        "where o.state not in ('paid', 'needs_review', 'refunded') and p.state = 'paid' "
        "group by o.id having sum(p.amount - p.refunded) >= o.amount"
    ):
        yield f"{reference} is {state}, and all of its KES {amount} have arrived"


def _returns(world: World) -> Iterator[str]:
    returned = world.returns()
    recorded = dict(
        world.inspect("select p.receipt, r.reference from refunds r join payments p on p.id = r.payment_id")
    )
    for receipt, reference in returned.items():
        if recorded.get(receipt) != reference:
            yield f"M-Pesa has returned {receipt} as {reference}, and {recorded.get(receipt)} is recorded"
    for receipt, reference in world.inspect(
        "select p.receipt, r.reference from reversals r join payments p on p.id = r.payment_id where r.state = 'done'"
    ):
        if returned.get(receipt) != reference:
            yield f"{receipt} is said to be returned as {reference}, and M-Pesa has not returned it"
    for (state,) in world.inspect(
        "select state from reversals where state in ('created', 'pending', 'unknown')"
    ):
        yield f"a return is {state} for ever"
    for number in Counter(reversal.original for reversal in world.daraja.ledger.reversals).values():
        if number > 1 and not world.happened:
            yield f"M-Pesa was asked {number} times to return one payment"


def _prompts_of_an_order(world: World) -> Iterator[str]:
    for name, prompts in _group_prompts(world).items():
        yield from _judge_prompts(name, prompts, charges_may_repeat=world.charges_may_repeat)


@dataclass(frozen=True)
class _Shown:
    """A prompt, with its times in seconds since the beginning."""

    begins: float
    ends: float
    charged: int
    attempt: str


def _group_prompts(world: World) -> dict[str, list[_Shown]]:
    """The prompts of each order, and those of each person for a course."""
    grouped: dict[str, list[_Shown]] = {}
    orders = world.inspect(
        "select o.reference, o.email || ' for ' || o.course_slug, "
        "exists (select 1 from payments p where p.order_id = o.id and p.refunded > 0) from orders o"
    )
    buyers = {reference: buyer for reference, buyer, _ in orders}
    # Who got the money back may order the course again.
    returned = {buyer for _, buyer, is_returned in orders if is_returned}
    for prompt, attempt in world.prompts():
        reference = world.order_of(attempt)
        end = prompt.decided_at or START + timedelta(days=365)
        begins, ends = (prompt.requested_at - START).total_seconds(), (end - START).total_seconds()
        for name in {reference, buyers.get(reference, reference)} - returned:
            grouped.setdefault(name, []).append(_Shown(begins, ends, prompt.charged, attempt))
    return dict(sorted(grouped.items()))


def _judge_prompts(name: str, prompts: Sequence[_Shown], *, charges_may_repeat: bool) -> Iterator[str]:
    for position, current in enumerate(prompts):
        later = prompts[position + 1 :]
        for other in later:
            if other.begins < current.ends:
                yield f"{name} had two live prompts at {other.begins:.1f} s"
        if any(other.attempt == current.attempt for other in later):
            yield f"{name}: one payment was pushed twice"
    charged = [prompt for prompt in prompts if prompt.charged]
    if not charged or charges_may_repeat:
        return
    first = charged[0].ends
    for current in prompts:
        if current.begins > first:
            yield f"{name} was prompted again at {current.begins:.1f} s, after it was charged at {first:.1f} s"
    if len(charged) > 1:
        yield f"{name} was charged more than once"


_MARGIN = timedelta(seconds=100)
"""A stored prompt is sent within 30 s, and the clocks of two servers differ by up to a minute."""


def _parts(world: World) -> Iterator[str]:
    """A person who has paid a part of a price is asked for the rest in that order, not for a whole price in another."""
    for reference, buyer, at, refunded in world.inspect(
        "select o.reference, o.email || ' for ' || o.course_slug, min(e.at), "
        "exists (select 1 from payments q where q.order_id = o.id and q.refunded > 0) "
        "from payments p join orders o on o.id = p.order_id join order_events e on e.payment_id = p.id "
        "where p.state = 'paid' and e.to_state = 'paid' group by o.id"
    ):
        if refunded:
            continue
        for prompt, attempt in world.prompts():
            is_later = prompt.requested_at > _moment(at) + _MARGIN
            if is_later and world.buyer_of(attempt) == buyer and world.order_of(attempt) != reference:
                yield f"{buyer} was prompted in {world.order_of(attempt)} after money had arrived for {reference}"


def _cancelled_runs(world: World) -> Iterator[str]:
    """No one is asked for money for a cancelled run, and the report names each of its orders that has money in it."""
    cancelled = world.inspect(
        "select r.id, r.reference, e.at from course_runs r join course_run_events e on e.run_id = r.id "
        "where e.after = 'cancelled'"
    )
    for run_id, run, at in cancelled:
        of_run = {
            reference
            for (reference,) in world.inspect("select reference from orders where run_reference = ?", run)
        }
        for prompt, attempt in world.prompts():
            if world.order_of(attempt) in of_run and prompt.requested_at > _moment(at) + _MARGIN:
                yield f"{world.order_of(attempt)} was prompted for the cancelled run {run}"
        for payment, reference in world.paid_by_hand().values():
            is_asked = world.is_asked_about_paybill and not world.happened
            if is_asked and reference in of_run and payment.at > _moment(at) + _MARGIN:
                yield f"M-Pesa was allowed to take money by hand for {reference} of the cancelled run {run}"
        for (orders,) in world.inspect("select count(*) from place_reservations where run_id = ?", run_id):
            if orders:
                yield f"{orders} orders keep places of the cancelled run {run}"
        listed = {
            discrepancy.reference
            for report in world.reports
            for discrepancy in report.discrepancies
            if not discrepancy.in_order
        }
        for (reference,) in world.inspect(
            "select o.reference from orders o where o.run_reference = ? and o.state <> 'paid' and exists "
            "(select 1 from payments p where p.order_id = o.id and p.state = 'paid' and p.refunded < p.amount)",
            run,
        ):
            if world.reports and reference not in listed:
                yield f"{reference} has paid towards the cancelled run {run}, and the report does not say so"


def _moment(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def _refunds(world: World) -> Iterator[str]:
    for identity, state, amount, refunded, recorded in world.inspect(
        "select id, state, amount, refunded, (select coalesce(sum(amount), 0) from refunds r where r.payment_id = p.id) "
        "from payments p"
    ):
        if refunded != recorded or (state == "refunded") is not (refunded == amount):
            yield f"payment {identity} of {amount} is {state}, counts {refunded} refunded, and {recorded} are recorded"


def _places_of_receipts(world: World) -> Iterator[str]:
    of_prompts = {prompt.receipt: attempt for prompt, attempt in world.prompts() if prompt.charged}
    by_hand = {receipt: reference for receipt, (_, reference) in world.paid_by_hand().items()}
    for receipt, attempt, reference in world.inspect(
        "select p.receipt, p.attempt_key, o.reference from payments p join orders o on o.id = p.order_id "
        "where p.state in ('paid', 'refunded') and p.receipt is not null"
    ):
        if of_prompts.get(receipt, attempt) != attempt:
            yield f"the receipt {receipt} of another payment is recorded for {reference}"
        if by_hand.get(receipt, reference) != reference:
            yield f"the receipt {receipt} by hand for {by_hand[receipt]} is recorded for {reference}"


def _reviews(world: World) -> Iterator[str]:
    if world.happened:
        return
    reviewed = "select p.attempt_key from order_events e join payments p on p.id = e.payment_id where e.to_state = 'needs_review'"
    expected = {reference for _, reference in world.paid_by_hand().values()}
    expected |= {
        reference
        for (reference,) in world.inspect(
            "select o.reference from orders o join course_runs r on r.reference = o.run_reference "
            "where r.status = 'cancelled'"
        )
    }
    for (attempt,) in world.inspect(reviewed):
        # Who pays by hand while a prompt is open pays twice.
        if world.order_of(attempt) not in expected and all(
            prompt.plan.amount_offset == 0 for prompt in world.prompts_of(attempt)
        ):
            yield f"a payment of {world.order_of(attempt)} went to review without any fault"


def _keys(world: World) -> Iterator[str]:
    for what, named_by_key in (("orders", world.references_of_key), ("requests", world.requests_of_key)):
        for key, named in named_by_key.items():
            # A key counts for 24 hours.
            different = {reference for at, reference in named if at < named[0][0] + _KEY_SECONDS}
            if len(different) > 1:
                yield f"the {key} got {len(different)} {what}"


def _open_for_ever(world: World) -> Iterator[str]:
    open_payments = "select state from payments where state in ('created', 'sending', 'pending', 'unknown', 'needs_review')"
    for (state,) in world.inspect(open_payments):
        yield f"a payment is {state} for ever"
    for reference, state in world.inspect(
        "select reference, state from orders where state in ('awaiting', 'needs_review')"
    ):
        yield f"{reference} is {state} for ever"
    for (note,) in world.inspect("select note from callback_inbox where handled_at is null"):
        yield f"a callback is never handled: {note}"
    for (receipt,) in world.inspect("select receipt from unassigned_transactions where due_at is not null"):
        yield f"the payment by hand {receipt} is never handled"
    for kind, error in world.inspect("select kind, last_error from outbox_messages where state = 'queued'"):
        yield f"a mail {kind} is never sent: {error}"


def _bookings(world: World) -> Iterator[str]:
    capacity = settings().booking_capacity
    rows = world.inspect("select starts_at, seat from bookings where state = 'confirmed'")
    for start, number in Counter(start for start, _ in rows).items():
        if number > capacity:
            yield f"{number} bookings begin at {start}, with {capacity} seats"
    for start, seat in rows:
        if seat >= capacity:
            yield f"seat {seat} at {start} was sold, and there are {capacity}"
    for (start, seat), number in Counter(rows).items():
        if number > 1:
            yield f"seat {seat} at {start} was sold {number} times"
    stored = {reference for (reference,) in world.inspect("select reference from bookings")}
    for reference in sorted(world.confirmed - stored):
        yield f"somebody got a confirmation of {reference}, which is not stored"


def _schedule(world: World) -> Iterator[str]:
    if world.unread_changes:
        return
    confirmed = "select b.reference, b.starts_at from bookings b where b.state = 'confirmed' and "
    blocked = world.inspect(
        f"{confirmed} exists (select 1 from blackouts x where b.starts_at < x.ends_at "
        "and datetime(b.starts_at, '+' || b.minutes || ' minutes') > datetime(x.starts_at))"
    )
    moved_hours = world.inspect(
        f"{confirmed} exists (select 1 from schedule_exceptions x where x.date = date(b.starts_at, '+3 hours') "
        "and (x.closed or instr(x.times, strftime('%H:%M', b.starts_at, '+3 hours')) = 0))"
    )
    for reference, start in sorted({*blocked, *moved_hours}):
        if reference not in world.misplaced:
            yield f"{reference} at {start} does not fit the schedule, and staff did not read of it"


def _course_runs(world: World) -> Iterator[str]:
    for reference, capacity, taken_places, learners, kept_places in world.inspect(
        "select reference, capacity, taken, "
        "(select coalesce(sum(places), 0) from enrolments e where e.run_id = r.id and e.ended_at is null), "
        "(select coalesce(sum(places), 0) from place_reservations p where p.run_id = r.id) from course_runs r"
    ):
        if learners + kept_places > capacity:
            yield f"{learners} places of {reference} are sold and {kept_places} kept, and it has {capacity}"
        if taken_places != learners + kept_places:
            yield f"{reference} counts {taken_places} places, and {learners} are sold and {kept_places} kept"
    for (reference,) in world.inspect(
        "select o.reference from place_reservations p join orders o on o.id = p.order_id "
        "where (p.kept_until is null or p.kept_until < ?) and not exists "
        "(select 1 from payments x where x.order_id = o.id and x.state = 'paid')",
        str(world.calendar().replace(tzinfo=None)),
    ):
        # A part of the price may keep them.
        yield f"places are kept for {reference} for ever"
    for reference, until in world.inspect(
        "select e.reference, p.kept_until from place_reservations p join waiting_list_entries e on e.id = p.entry_id "
        "where p.kept_until is null or p.kept_until < ?",
        str(world.calendar().replace(tzinfo=None)),
    ):
        yield f"a place is kept for {reference} of the waiting list until {until}"
    for reference, free in world.inspect(
        "select e.reference, r.capacity - r.taken from waiting_list_entries e join course_runs r on r.id = e.run_id "
        "where e.state = 'waiting' and e.confirmed_at is not null and r.status = 'open' "
        "and r.taken + e.places <= r.capacity"
    ):
        yield f"{reference} waits, and {free} places are free"
    for reference, run in world.inspect(
        "select o.reference, o.run_reference from orders o join enrolments e on e.order_id = o.id "
        "left join course_runs r on r.id = e.run_id "
        "where o.run_reference <> '' and coalesce(r.reference, '') <> o.run_reference and not exists "
        "(select 1 from order_events v where v.order_id = o.id and v.to_state = 'needs_review')"
    ):
        yield f"{reference} has paid for {run}, is in another or none, and staff did not decide about it"


def _learners(world: World) -> Iterator[str]:
    places = "select count(*) from learners l where l.enrolment_id = e.id"
    for reference, bought, named_learners in world.inspect(
        f"select e.reference, e.places, ({places}) from enrolments e"
    ):
        if bought != named_learners:
            yield f"{reference} has bought {bought} places, and {named_learners} have a learner"


def _coupons(world: World) -> Iterator[str]:
    for code, uses, used, stored in world.inspect(
        "select code, uses, used, (select count(*) from coupon_uses u where u.coupon_id = c.id) from coupons c"
    ):
        if used > uses or used != stored:
            yield f"{code} has {uses} uses, counts {used}, and {stored} orders use it"
    for (reference,) in world.inspect(
        "select o.reference from coupon_uses u join orders o on o.id = u.order_id "
        "where o.state <> 'paid' and not exists (select 1 from payments p where p.order_id = o.id "
        "and p.state in ('paid', 'refunded'))"
    ):
        yield f"{reference} keeps the use of its coupon for ever"
    for (reference,) in world.inspect(
        "select o.reference from orders o where o.coupon_code <> '' and o.state = 'paid' "
        "and not exists (select 1 from coupon_uses u where u.order_id = o.id) and not exists "
        "(select 1 from order_events v where v.order_id = o.id and v.to_state = 'needs_review')"
    ):
        yield f"{reference} has paid with a coupon and does not use it, and staff did not decide about it"


def _prices(world: World) -> Iterator[str]:
    prices = dict(COURSES)
    for reference, course, places, coupon, amount in world.inspect(
        "select reference, course_name, quantity, coupon_code, amount from orders"
    ):
        total = prices[course] * places
        right = total - find_discount(total) if coupon else total
        if amount != right:
            yield f"{reference} costs KES {amount} instead of {right}"
    assigned = {world.paid_by_hand()[receipt][1] for receipt in world.assigned}
    for reference, price, received in world.inspect(
        "select o.reference, o.amount, sum(p.amount) from payments p join orders o on o.id = p.order_id "
        "where o.state = 'paid' and p.state in ('paid', 'refunded') and not exists "
        "(select 1 from order_events e where e.order_id = o.id and e.why like 'accepted: %') group by o.id"
    ):
        if received < price and reference not in assigned:
            yield f"{reference} costs KES {price} and is paid with {received}, which nobody accepted"


def _assigned(world: World) -> Iterator[str]:
    by_hand = world.paid_by_hand()
    for receipt in sorted(world.assigned):
        payment, reference = by_hand[receipt]
        waits_for_staff = world.inspect(
            "select o.id from orders o where o.reference = ? and (o.amount <> ? or exists "
            "(select 1 from order_events e where e.order_id = o.id and e.to_state = 'needs_review'))",
            reference,
            payment.amount,
        )
        if payment.account[:2].lower() == "en" and not waits_for_staff:
            yield f"staff had to assign {receipt}, which names {reference} and is what it costs"


def _receipts(world: World) -> Iterator[str]:
    entered = (
        "select o.reference from order_events e join payments p on p.id = e.payment_id "
        "join orders o on o.id = p.order_id join callback_inbox c on c.attempt_key = p.attempt_key "
        "where e.why like 'receipt % entered' and c.receipt <> '' and c.outcome = 'paid' and c.handled_at < e.at "
        "and cast(c.amount as real) = p.amount"
    )
    for (reference,) in world.inspect(entered):
        yield f"staff had to enter the receipt of {reference}, which a callback had stated"


def _mails(world: World) -> Iterator[str]:
    delivered = Counter(message_id for message_id, _ in world.mails)
    for message_id, kind, state in world.inspect("select message_id, kind, state from outbox_messages"):
        if state == "sent" and not delivered[message_id]:
            yield f"a mail {kind} counts as sent and never was"
        if delivered[message_id] > 1 and not world.happened:
            yield f"a mail {kind} was sent {delivered[message_id]} times without any fault"
    expected = {
        f"booking-confirmed:{reference}" for (reference,) in world.inspect("select reference from bookings")
    }
    expected |= {
        f"enrolment:{reference}" for (reference,) in world.inspect("select reference from enrolments")
    }
    for key in sorted(expected):
        rows = world.inspect("select message_id from outbox_messages where key = ?", key)
        if len(rows) != 1 or not delivered[rows[0][0]]:
            yield f"the mail {key} was stored {len(rows)} times and never delivered"


def _report(world: World) -> Iterator[str]:
    charged_sum = sum(prompt.charged for prompt, _ in world.prompts())
    charged_sum += sum(payment.charged for payment, _ in world.paid_by_hand().values())
    booked = {
        identity
        for (identity,) in world.inspect("select id from payments where state in ('paid', 'refunded')")
    }
    for report in world.reports:
        visible = sum(
            discrepancy.amount
            for discrepancy in report.discrepancies
            if discrepancy.kind in _IN_QUESTION and discrepancy.payment_id not in booked
        )
        received = sum(course.received for course in report.courses)
        if received + visible != charged_sum:
            yield f"the report has KES {received} received and {visible} in question, and M-Pesa has taken {charged_sum}"
    listed = {
        discrepancy.reference
        for report in world.reports[:1]
        for discrepancy in report.discrepancies
        if discrepancy.kind is DiscrepancyKind.SUM_DIFFERS
    }
    for reference in sorted(world.paid_twice - listed) if world.reports else ():
        yield f"{reference} was paid twice, and the report does not say so"


_IN_QUESTION = (DiscrepancyKind.IN_REVIEW, DiscrepancyKind.NOT_REFLECTED, DiscrepancyKind.UNASSIGNED)


def _processes(world: World) -> Iterator[str]:
    for process in world.servers.values():
        for failure in process.failures:
            yield f"unexpected exception in {process.name}: {failure}"
