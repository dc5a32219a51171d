"""The site's records compared with M-Pesa's charges."""

from collections import defaultdict
from dataclasses import dataclass
from typing import Any

from sqlmodel import col, func, select

from agency_site.features.academy.learners.tables import Enrolment
from agency_site.features.checkout.orders.rules import OrderState
from agency_site.features.checkout.orders.tables import Order
from agency_site.features.checkout.payments.rules import OPEN, RECEIVED, PaymentState
from agency_site.features.checkout.payments.tables import CallbackInbox, Payment
from agency_site.mail.tables import OutboxMessage
from tests.bench.faults.shoppers import Shopper
from tests.bench.faults.stage import Stage

_IN_REVIEW = PaymentState.NEEDS_REVIEW


@dataclass(frozen=True)
class Books:
    """The rows of the shoppers of one schedule, and M-Pesa's prompts on their phones."""

    orders: list[Order]
    payments: list[Payment]
    enrolled: dict[int, int]
    """Enrolments by order."""
    confirmed: dict[str, int]
    """Confirmations by address."""
    prompts: list[dict[str, Any]]


async def read_books(stage: Stage, shoppers: list[Shopper]) -> Books:
    """Read the stored records."""
    emails = [shopper.email for shopper in shoppers]
    phones = {f"254{shopper.phone}" for shopper in shoppers}
    async with stage.read_scope() as session:
        orders = list(await session.exec(select(Order).where(col(Order.email).in_(emails))))
        order_ids = [order.id for order in orders]
        payments = list(await session.exec(select(Payment).where(col(Payment.order_id).in_(order_ids))))
        places = select(Enrolment.order_id, func.count()).where(col(Enrolment.order_id).in_(order_ids))
        enrolled = dict((await session.exec(places.group_by(col(Enrolment.order_id)))).all())
        mail_counts = select(OutboxMessage.to, func.count()).where(
            OutboxMessage.kind == "enrolment-confirmed", col(OutboxMessage.to).in_(emails)
        )
        confirmed = dict((await session.exec(mail_counts.group_by(OutboxMessage.to))).all())
    prompts = (await stage.control.ledger())["prompts"]
    return Books(
        orders, payments, enrolled, confirmed, [prompt for prompt in prompts if prompt["phone"] in phones]
    )


async def is_settled(stage: Stage, shoppers: list[Shopper]) -> bool:
    """Return whether the shoppers have no open record."""
    emails = [shopper.email for shopper in shoppers]
    async with stage.read_scope() as session:
        open_payments = (
            select(func.count())
            .select_from(Payment)
            .join(Order, col(Order.id) == Payment.order_id)
            .where(col(Order.email).in_(emails), col(Payment.state).in_(OPEN))
        )
        unhandled = (
            select(func.count()).select_from(CallbackInbox).where(col(CallbackInbox.handled_at).is_(None))
        )
        return (await session.exec(open_payments)).one() + (await session.exec(unhandled)).one() == 0


def violations(books: Books, shoppers: list[Shopper]) -> list[str]:
    """Each promise that was broken, in words."""
    results = [f"{shopper.email}: {problem}" for shopper in shoppers for problem in shopper.problems]
    results += _of_charges(books) + _of_orders(books) + _of_keys(shoppers)
    results += [f"{payment.id} stays {payment.state}" for payment in books.payments if payment.state in OPEN]
    return results


def _of_charges(books: Books) -> list[str]:
    by_key = {payment.attempt_key: payment for payment in books.payments}
    states = {order.id: order.state for order in books.orders}
    result, charges = [], defaultdict(list)
    charged_keys = set()
    for prompt in books.prompts:
        key = prompt["callback_url"].rpartition("/")[2]
        payment = by_key.get(key)
        if not prompt["charged"]:
            continue
        charged_keys.add(key)
        charges[prompt["phone"]].append(prompt["receipt"])
        reviewed = payment and (
            payment.state is _IN_REVIEW or states[payment.order_id] is OrderState.NEEDS_REVIEW
        )
        if payment is None or (payment.state not in RECEIVED and not reviewed):
            result.append(f"charge {prompt['receipt']} is lost: its payment is {payment and payment.state}")
        elif payment.receipt not in (None, prompt["receipt"]):
            result.append(f"charge {prompt['receipt']} is stored as {payment.receipt}")
    result += [
        f"{phone} was charged {len(receipts)} times"
        for phone, receipts in charges.items()
        if len(receipts) > 1
    ]
    result += [
        f"payment {payment.id} is {payment.state}, and M-Pesa charged nothing"
        for payment in books.payments
        if payment.state in RECEIVED and payment.attempt_key not in charged_keys
    ]
    return result + _of_open_prompts(books.prompts)


def _of_open_prompts(prompts: list[dict[str, Any]]) -> list[str]:
    ends: dict[str, str] = {}
    results = []
    for prompt in sorted(prompts, key=lambda prompt: str(prompt["requested_at"])):
        if ends.get(prompt["phone"], "") > prompt["requested_at"]:
            results.append(f"{prompt['phone']} had two prompts at once")
        ends[prompt["phone"]] = prompt["decided_at"] or "open"
    return results


def _of_orders(books: Books) -> list[str]:
    results = []
    paid: defaultdict[str, int] = defaultdict(int)
    for order in books.orders:
        places = books.enrolled.get(order.id or 0, 0)
        paid[order.email] += order.state is OrderState.PAID
        if places != (order.state is OrderState.PAID):
            results.append(f"{order.reference} is {order.state} and has {places} enrolments")
    results += [
        f"{email} got {books.confirmed.get(email, 0)} confirmations for {count} paid orders"
        for email, count in paid.items()
        if books.confirmed.get(email, 0) != count
    ]
    return results


def _of_keys(shoppers: list[Shopper]) -> list[str]:
    results = []
    for shopper in shoppers:
        references = {reference for key, _, reference in shopper.answers if key and reference}
        if len(references) > 1:
            results.append(f"{shopper.email}: one key named the orders {', '.join(sorted(references))}")
    return results
