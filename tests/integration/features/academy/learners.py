"""Paid orders with enrolled learners for tests, created without a payment."""

from sqlmodel import col, select

from agency_site.clock import now
from agency_site.db.engine import read_scope, session_scope
from agency_site.features.academy.learners.rules import LINK
from agency_site.features.academy.learners.tables import Learner
from agency_site.features.checkout.orders.rules import LINK as ORDER_LINK
from agency_site.features.checkout.orders.rules import OrderState
from agency_site.features.checkout.orders.tables import Order
from agency_site.features.checkout.payments.queries import describe_sale
from agency_site.ids import new_reference, token_hash
from agency_site.mail.tables import OutboxMessage
from agency_site.places import places
from agency_site.signing import find_private_token, private_token
from tests.example_records import PAID_COURSE
from tests.integration.features.academy.runs import COURSE

BUYER, EMAIL = "Amina Wanjirũ", "amina@example.com"


async def buy(count: int = 1, run: str = "", email: str = EMAIL) -> str:
    """Store a paid order with `count` places and its enrolment. Return the token of the order's private page."""
    reference, moment = new_reference("EN"), now()
    token = private_token(ORDER_LINK, reference)
    first, _, last = BUYER.partition(" ")
    order = Order(
        reference=reference, state=OrderState.PAID, first_name=first, last_name=last, email=email,
        phone="+254712345111", course_slug=COURSE, course_name=PAID_COURSE.payment_name, run_reference=run, quantity=count,
        unit_price=15_000, amount=15_000 * count, token_hash=token_hash(token), created_at=moment, updated_at=moment,
    )  # fmt: skip
    async with session_scope() as session:
        session.add(order)
        await session.flush()
        assert await places().reserve_places(session, describe_sale(order))
        await places().create_enrolment(session, describe_sale(order), moment)
    return token


async def end_enrolment(number: int = 1) -> None:
    """End the enrolment of the order of that id."""
    async with session_scope() as session:
        await places().end_enrolment(session, number, now())


async def list_learners() -> list[Learner]:
    """Return all learners by enrolment and place."""
    async with read_scope() as session:
        query = select(Learner).order_by(col(Learner.enrolment_id), col(Learner.number))
        return list((await session.exec(query)).all())


async def find_link(number: int = 0) -> str:
    """Return the token of the learner at that index of `list_learners`."""
    learner = (await list_learners())[number]
    token = find_private_token(LINK, learner.token_seed, learner.token_hash)
    assert token
    return token


async def list_mails(*kinds: str) -> list[OutboxMessage]:
    """Return all mails, or those of these kinds, the oldest first."""
    query = select(OutboxMessage).order_by(col(OutboxMessage.id))
    query = query.where(col(OutboxMessage.kind).in_(kinds)) if kinds else query
    async with read_scope() as session:
        return list((await session.exec(query)).all())
