"""Any history of orders, payments, coupons, moves, refunds and waiting lists: no place is sold twice, and the sums are right."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import ExitStack
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test
from sqlalchemy import text
from sqlmodel import col, select
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site import clock
from agency_site.content.courses import course_by_slug
from agency_site.db.engine import dispose_engine, read_scope, session_scope
from agency_site.db.tables import metadata
from agency_site.errors import SiteError
from agency_site.features.academy.enrolments.endings import end_place
from agency_site.features.academy.enrolments.moves import move_enrolment
from agency_site.features.academy.jobs import offer_freed_places, release_given_up
from agency_site.features.academy.learners.tables import Enrolment, Learner
from agency_site.features.academy.planning import usecases as runs
from agency_site.features.academy.reservations.rules import WAITING_LINK
from agency_site.features.academy.reservations.tables import WaitingEntry
from agency_site.features.academy.runs.records import RunRecord, find_run
from agency_site.features.academy.waiting_list import handover
from agency_site.features.academy.waiting_list import usecases as waiting_list
from agency_site.features.academy.waiting_list.request import WaitingRequest
from agency_site.features.checkout.admin.coupons import COUPONS
from agency_site.features.checkout.buying.orders import (
    OrderDraft,
    find_or_create_order,
    find_or_create_payment,
)
from agency_site.features.checkout.coupons.rules import CouponUsedUp
from agency_site.features.checkout.coupons.usecases import find_coupon
from agency_site.features.checkout.jobs import return_coupon_uses
from agency_site.features.checkout.orders.request import Enrollee
from agency_site.features.checkout.orders.rules import RunFull
from agency_site.features.checkout.orders.tables import Order
from agency_site.features.checkout.payments.queries import describe_sale, lock_payment
from agency_site.features.checkout.payments.rules import PaymentState
from agency_site.features.checkout.payments.settlement import PaymentResult, end_unpaid, settle
from agency_site.features.checkout.payments.tables import Payment
from agency_site.features.checkout.payments.transitions import MPESA
from agency_site.features.checkout.refunds.refunds import record_refund
from agency_site.features.checkout.refunds.staff_request import Refund
from agency_site.features.checkout.reviews.staff_request import ReviewDecision
from agency_site.features.checkout.reviews.usecases import resolve_review
from agency_site.mpesa.contract import Outcome
from agency_site.places import places
from agency_site.signing import find_private_token
from tests import records
from tests.conftest import FRIDAY_NOON
from tests.integration.features.academy.runs import ACTOR, COURSE, open_run, run_request
from tests.integration.features.academy.waiting import find_token

pytestmark = pytest.mark.thorough

CODE, USES = "TWO-USES", 2
PEOPLE = ("amina", "baraka", "chebet", "daudi")
RUNS = st.integers(0, 1)
ENDS = st.sampled_from(("paid", "lost", ""))
ANY = st.integers(0, 99)
"""Which of the rows there are, modulo their number."""

RIGHT: dict[str, str] = {
    "places beyond what a run has": "SELECT reference FROM course_runs WHERE taken > capacity",
    "places that nobody has": (
        "SELECT reference FROM course_runs r WHERE taken <>"
        " (SELECT coalesce(sum(places), 0) FROM enrolments WHERE run_id = r.id AND ended_at IS NULL)"
        " + (SELECT coalesce(sum(places), 0) FROM place_reservations WHERE run_id = r.id)"
    ),
    "paid without an enrolment, or the other way round": (
        "SELECT o.reference FROM orders o LEFT JOIN enrolments e ON e.order_id = o.id AND (e.ended_at IS NULL"
        # Staff may have ended all places of a paid order.
        " OR o.state = 'paid' AND NOT EXISTS (SELECT 1 FROM learners WHERE enrolment_id = e.id AND ended_at IS NULL))"
        " WHERE (o.state = 'paid') <> (e.id IS NOT NULL)"
    ),
    "a place without a learner": (
        "SELECT reference FROM enrolments e WHERE e.ended_at IS NULL"
        " AND places <> (SELECT count(*) FROM learners WHERE enrolment_id = e.id AND ended_at IS NULL)"
    ),
    "uses of a coupon": (
        "SELECT code FROM coupons c WHERE used > uses OR used <> (SELECT count(*) FROM coupon_uses WHERE coupon_id = c.id)"
    ),
    "a balance": (
        "SELECT account_reference FROM payments p WHERE refunded > amount OR"
        " refunded <> (SELECT coalesce(sum(amount), 0) FROM refunds WHERE payment_id = p.id)"
    ),
    "a place of the waiting list that nobody keeps, or that is kept for nobody": (
        "SELECT w.reference FROM waiting_list_entries w LEFT JOIN place_reservations p ON p.entry_id = w.id"
        " WHERE (w.state = 'offered') <> (p.id IS NOT NULL)"
    ),
}
"""What is wrong where the statement finds something."""


class Academy(RuleBasedStateMachine):
    """Two runs of a course with two places each, and a coupon with two uses."""

    def __init__(self) -> None:
        super().__init__()
        self._loop, self._stack, self._number = asyncio.Runner(), ExitStack(), 0
        self._moment = FRIDAY_NOON
        self._move = self._stack.enter_context(clock.frozen(self._moment))

    def teardown(self) -> None:
        self._do(dispose_engine())
        self._loop.close()
        self._stack.close()

    def _do(self, work: Any) -> Any:
        """Return the result; None if the site refuses."""

        async def run() -> Any:
            try:
                return await work
            except (SiteError, RunFull, CouponUsedUp):
                return None

        return self._loop.run(run())

    def _in_session(self, work: Callable[[AsyncSession], Awaitable[Any]]) -> Any:
        async def run() -> Any:
            async with session_scope() as session:
                return await work(session)

        return self._do(run())

    def _choose_row(self, table: Any, number: int) -> Any:
        """Return one of the rows; None if there are none."""

        async def read() -> Any:
            async with read_scope() as session:
                rows = (await session.exec(select(table).order_by(col(table.id)))).all()
            return rows[number % len(rows)] if rows else None

        return self._do(read())

    @initialize()
    def open(self) -> None:
        async def clean() -> None:
            async with session_scope() as session:
                connection = await session.connection()
                for table in reversed(metadata.sorted_tables):
                    # The audit log is append-only, and no statement above reads it.
                    if table.name != "audit_entries":
                        await connection.execute(table.delete())

        async def prepare() -> list[RunRecord]:
            await clean()
            await records.create(COUPONS, {"code": CODE, "discount": "10%", "uses": str(USES)}, ACTOR)
            return [await open_run(capacity="2") for _ in range(2)]

        self.runs: list[RunRecord] = self._do(prepare())

    def _order(
        self, run: str, person: str, quantity: int, *, coupon: bool, place: str = "", end: str = ""
    ) -> None:
        """Order, and have the payment of this order `paid` or `lost` at once, or wait."""
        self._number += 1
        number, course = self._number, course_by_slug(COURSE)
        assert course is not None
        enrollee = Enrollee.model_validate({
            "firstName": "Amina", "lastName": "Odhiambo", "email": f"{person}{number}@example.com",
            "phone": "0712 345 678", "courseName": course.payment_name, "run": run,
        })  # fmt: skip
        payer = f"254712{number:06}"

        async def work(session: AsyncSession) -> int | None:
            offer = await places().find_offer(session, COURSE, run) if run else None
            coupon_offer = await find_coupon(session, CODE, COURSE, run, enrollee.email) if coupon else None
            draft = OrderDraft(
                enrollee=enrollee,
                course=course,
                quantity=quantity,
                contact=f"+{payer}",
                payer=payer,
                offer=offer,
                coupon=coupon_offer,
            )
            order, _ = await find_or_create_order(session, draft)
            if place:
                await places().use_kept_place(session, place, describe_sale(order))
            opened = await find_or_create_payment(session, order, None, payer)
            return opened.payment.id

        payment_id = self._in_session(work)
        if payment_id and end:
            self._end(payment_id, paid=end == "paid")

    @rule(
        run=RUNS, person=st.sampled_from(PEOPLE), quantity=st.integers(1, 2), coupon=st.booleans(), end=ENDS
    )
    def order(self, run: int, person: str, quantity: int, coupon: bool, end: str) -> None:
        self._order(self.runs[run].reference, person, quantity, coupon=coupon, end=end)

    @rule(person=st.sampled_from(PEOPLE), end=ENDS)
    def order_without_a_run(self, person: str, end: str) -> None:
        self._order("", person, 1, coupon=False, end=end)

    @rule(number=ANY)
    def take_the_kept_place(self, number: int) -> None:
        entry = self._choose_row(WaitingEntry, number)
        if entry is not None:
            rows = self._do(find_token(number % self._count(WaitingEntry)))
            run = self._one_by_id(entry.run_id)
            self._order(run, "waits", 1, coupon=False, place=rows)

    def _count(self, table: Any) -> int:
        async def read() -> int:
            async with read_scope() as session:
                return len((await session.exec(select(table.id))).all())

        return int(self._do(read()))

    def _one_by_id(self, run_id: int) -> str:
        return next(run.reference for run in self.runs if run.id == run_id)

    @rule(number=ANY, paid=st.booleans())
    def end(self, number: int, paid: bool) -> None:
        payment = self._choose_row(Payment, number)
        if payment is not None:
            self._end(payment.id, paid=paid)

    def _end(self, payment_id: int, *, paid: bool) -> None:
        async def work(session: AsyncSession) -> None:
            order, payment = await lock_payment(session, payment_id)
            if paid:
                result = PaymentResult(MPESA, "0", "paid", f"UK{payment_id:08}")
                await settle(session, order, payment, result)
            else:
                result = PaymentResult(MPESA, "1032", "")
                await end_unpaid(session, order, payment, result, Outcome.CANCELLED)

        self._in_session(work)

    @rule(number=ANY, accepts=st.booleans())
    def decide(self, number: int, accepts: bool) -> None:
        payment = self._choose_row(Payment, number)
        if payment is None or payment.state is not PaymentState.NEEDS_REVIEW:
            return
        outcome = PaymentState.PAID if accepts else PaymentState.FAILED
        decision = ReviewDecision(outcome, "looked up", payment.receipt or "" if accepts else "")

        async def work(session: AsyncSession) -> None:
            order = await session.get_one(Order, payment.order_id)
            await resolve_review(session, payment.id, order.version, decision, ACTOR)

        self._in_session(work)

    @rule(number=ANY, part=st.booleans())
    def refund(self, number: int, part: bool) -> None:
        payment = self._choose_row(Payment, number)
        if payment is None:
            return
        self._number += 1
        wanted = Refund(f"RF{self._number:06}", "wanted", 5_000 if part else None)
        self._in_session(lambda session: record_refund(session, payment.id, wanted, ACTOR))

    @rule(number=ANY, to=RUNS)
    def move(self, number: int, to: int) -> None:
        enrolment = self._choose_row(Enrolment, number)
        if enrolment is None:
            return
        origin = self._one_by_id(enrolment.run_id) if enrolment.run_id else ""
        self._in_session(
            lambda session: move_enrolment(
                session, enrolment.reference, origin, self.runs[to].reference, ACTOR
            )
        )

    @rule(run=RUNS, capacity=st.integers(1, 4))
    def change_capacity(self, run: int, capacity: int) -> None:
        async def work(session: AsyncSession) -> None:
            run_record = await find_run(session, self.runs[run].reference)
            request = run_request(capacity=str(capacity))
            await runs.save_run(session, run_record.reference, run_record.version, request, ACTOR)

        self._in_session(work)

    @rule(number=ANY)
    def end_place(self, number: int) -> None:
        learner = self._choose_row(Learner, number)
        if learner is not None:
            self._in_session(lambda session: end_place(session, learner.reference, learner.version, ACTOR))

    @rule(run=RUNS, person=st.sampled_from(PEOPLE), places=st.integers(1, 2))
    def join(self, run: int, person: str, places: int) -> None:
        request = WaitingRequest.model_validate(
            {"fullName": person, "email": f"{person}@example.com", "places": str(places)}
        )
        self._in_session(
            lambda session: waiting_list.join_waiting_list(session, self.runs[run].reference, request)
        )

    @rule(number=ANY)
    def confirm(self, number: int) -> None:
        entry = self._choose_row(WaitingEntry, number)
        if entry is not None:
            token = find_private_token(WAITING_LINK, entry.token_seed, entry.token_hash) or ""
            self._in_session(lambda session: waiting_list.confirm_entry(session, token))

    @rule(number=ANY, run=RUNS)
    def wait_with_a_paid_order(self, number: int, run: int) -> None:
        enrolment = self._choose_row(Enrolment, number)
        if enrolment is not None:
            reference = self.runs[run].reference
            self._in_session(
                lambda session: waiting_list.add_paid_order(session, enrolment.reference, reference, ACTOR)
            )

    @rule(number=ANY, removes=st.booleans())
    def work_the_list(self, number: int, removes: bool) -> None:
        entry = self._choose_row(WaitingEntry, number)
        if entry is not None:
            verb = waiting_list.remove_entry if removes else handover.offer_now
            run = self._one_by_id(entry.run_id)
            self._in_session(lambda session: verb(session, run, entry.reference, ACTOR))

    @rule(hours=st.sampled_from((0.1, 1, 49)))
    def let_time_pass(self, hours: float) -> None:
        self._moment += timedelta(hours=hours)
        self._move(self._moment)

    @rule()
    def let_the_jobs_work(self) -> None:
        for job in (release_given_up, offer_freed_places, return_coupon_uses):
            self._do(job())

    @invariant()
    def nothing_is_wrong(self) -> None:
        async def look() -> dict[str, list[str]]:
            async with read_scope() as session:
                connection = await session.connection()
                return {
                    what: [row[0] for row in await connection.execute(text(statement))]
                    for what, statement in RIGHT.items()
                }

        assert {what: row for what, row in self._do(look()).items() if row} == {}


@pytest.fixture
def machine(
    database_url: str, monkeypatch: pytest.MonkeyPatch, configure: Callable[..., object]
) -> type[Academy]:
    """Return a machine that works on an empty database."""
    configure(database_url=database_url, mails_per_recipient_hour=1000, mails_per_recipient_day=1000)
    return Academy


def test_any_history_leaves_every_place_with_one_owner(machine: type[Academy]) -> None:
    run_state_machine_as_test(
        machine,
        settings=settings(
            max_examples=40, stateful_step_count=40, deadline=None, suppress_health_check=list(HealthCheck)
        ),
    )
