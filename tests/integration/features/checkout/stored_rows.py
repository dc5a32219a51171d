"""Store rows directly, without the use cases."""

from datetime import datetime
from typing import Any

from sqlmodel import SQLModel

from agency_site.db.engine import session_scope
from agency_site.features.checkout.orders.tables import Order
from agency_site.features.checkout.payments.rules import PaymentState
from agency_site.features.checkout.payments.tables import Payment
from tests.example_records import PAID_COURSE


def build_order(moment: datetime, number: int, **otherwise: Any) -> Order:
    values = {
        "id": number,
        "reference": f"EN-AAAAA{number}",
        "first_name": "Amina",
        "last_name": "Odhiambo",
        "email": "amina@example.com",
        "phone": "+254712345678",
        "course_slug": PAID_COURSE.slug,
        "course_name": PAID_COURSE.payment_name,
        "quantity": 2,
        "unit_price": 15_000,
        "amount": 30_000,
        "token_hash": f"hash {number}",
        "open_key": f"key {number}",
        "created_at": moment,
        "updated_at": moment,
    }
    return Order(**{**values, **otherwise})


def build_payment(moment: datetime, number: int, **otherwise: Any) -> Payment:
    values = {
        "order_id": 1,
        "attempt_key": f"attempt {number}",
        "account_reference": f"ENAAAAA{number}",
        "state": PaymentState.FAILED,
        "phone": "254712345678",
        "amount": 30_000,
        "created_at": moment,
    }
    return Payment(**{**values, **otherwise})


async def store(*rows: SQLModel) -> None:
    for row in rows:
        async with session_scope() as session:
            session.add(row)
