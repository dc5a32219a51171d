"""`python -m tests.bench.seeding [ROWS]`: fill the configured database as years of business would.

Bookings and orders get ROWS rows each (100,000 unless given otherwise), everything else in proportion. Rows go in below
the use cases, which would take an hour; their contents are what use cases would have written.
"""

import random
import secrets
import sys
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from itertools import chain
from typing import Any

from sqlalchemy import Connection, Table, text
from sqlalchemy.sql.schema import ScalarElementColumnDefault
from sqlmodel import SQLModel

from agency_site.auth.tables import AuditEntry
from agency_site.clock import now, today
from agency_site.content.articles import ARTICLES
from agency_site.content.courses import COURSES
from agency_site.db.migrations import plain_engine
from agency_site.features.academy.learners.tables import Enrolment
from agency_site.features.booking.bookings.rules import BookingState
from agency_site.features.booking.bookings.tables import Booking
from agency_site.features.booking.schedule.rules import slot_start
from agency_site.features.booking.schedule.slots import booking_policy
from agency_site.features.checkout.orders.rules import OrderState
from agency_site.features.checkout.orders.tables import Order
from agency_site.features.checkout.payments.rules import PaymentKind, PaymentState
from agency_site.features.checkout.payments.tables import Payment
from agency_site.features.comments.rules import CommentState
from agency_site.features.comments.tables import Comment
from agency_site.features.contact.rules import EnquiryKind, EnquiryState
from agency_site.features.contact.tables import Enquiry
from agency_site.features.newsletter.rules import SubscriberState
from agency_site.features.newsletter.tables import Subscriber
from agency_site.form_input import search_text
from agency_site.mail.rules import MailState
from agency_site.mail.tables import OutboxMessage
from agency_site.settings import settings

ROWS = 100_000
PER_DAY, DAYS_AHEAD = 100, 60
"""Bookings of a working day, and working days ahead that are full: those before are past, decades of them with a million."""
FIRST = (
    "Amina",
    "Brian",
    "Wanjiku",
    "Otieno",
    "Faith",
    "Kiprop",
    "Njeri",
    "Salim",
    "Achieng",
    "Mutua",
    "Zawadi",
    "Peter",
)
LAST = (
    "Odhiambo",
    "Kamau",
    "Mwangi",
    "Hassan",
    "Wafula",
    "Kiptoo",
    "Mbuthia",
    "Ndung'u",
    "Ouma",
    "Cherono",
    "Juma",
)

Row = dict[str, Any]


def person(chance: random.Random, number: int) -> tuple[str, str, str, str]:
    """First name, last name, e-mail address and phone number of a person."""
    first, last = chance.choice(FIRST), chance.choice(LAST)
    return first, last, f"{first}.{last}.{number}@example.com".lower().replace("'", ""), f"+2547{number:08d}"


def reference(prefix: str, number: int) -> str:
    """A reference that no other row has; real ones are random."""
    letters = "23456789ACDEFGHJKMNPQRTVWXY"
    drawn = ""
    for _ in range(6):
        number, rest = divmod(number, len(letters))
        drawn += letters[rest]
    return f"{prefix}-{drawn}"


def bookings(rows: int) -> Iterator[Row]:
    """Distribute the bookings evenly over the working days up to the last bookable one."""
    chance = random.Random(1)
    times, monday = booking_policy().hours.slots, today() - timedelta(days=today().weekday())
    for number in range(rows):
        first, last, email, phone = person(chance, number)
        weeks, weekday = divmod(number // PER_DAY, 5)
        day = monday + timedelta(weeks=weeks - (rows // PER_DAY - DAYS_AHEAD) // 5, days=weekday)
        starts_at = slot_start(day, times[number % len(times)])
        past = starts_at < now()
        state = chance.choice(list(BookingState)) if past else BookingState.CONFIRMED
        named = reference("BK", number)
        yield {
            "reference": named, "state": state, "fullname": f"{first} {last}", "email": email, "phone": phone,
            "message": "We sell shoes in Gikomba and want to be found online. " * chance.randint(0, 6),
            "starts_at": starts_at, "minutes": 30, "seat": number, "token_seed": "bench", "token_hash": secrets.token_hex(32),
            "sequence": 0, "search": search_text(named, f"{first} {last}", email, phone), "version": 1,
            "created_at": min(starts_at, now()) - timedelta(days=chance.randint(1, 30)), "updated_at": starts_at,
        }  # fmt: skip


def _moment(chance: random.Random, number: int, rows: int) -> datetime:
    """Return a moment in the last three years; later rows have later moments, like in a real table."""
    ago = 1 - (number + chance.random()) / rows
    return now() - timedelta(seconds=60 + ago * 3 * 365 * 86_400)


def orders(rows: int) -> Iterator[Row]:
    """Four of five are paid, one of twenty with a coupon."""
    chance = random.Random(2)
    courses = [course for course in COURSES if not course.free]
    for number in range(rows):
        first, last, email, phone = person(chance, number)
        course, named, at = chance.choice(courses), reference("EN", number), _moment(chance, number, rows)
        state = chance.choice([OrderState.PAID] * 8 + [OrderState.UNPAID, OrderState.UNPAID])
        coupon, discount = ("KARIBU", course.payment_price // 10) if number % 20 == 0 else ("", 0)
        yield {
            "id": number + 1, "reference": named, "state": state, "first_name": first, "last_name": last, "email": email,
            "phone": phone, "course_slug": course.slug, "course_name": course.payment_name, "quantity": 1,
            "unit_price": course.payment_price, "coupon_code": coupon, "discount": discount,
            "amount": course.payment_price - discount,
            "currency": "KES",
            "token_hash": secrets.token_hex(32), "search": search_text(named, first, last, email, phone), "version": 1,
            "created_at": at, "updated_at": at,
        }  # fmt: skip


def payments(rows: int) -> Iterator[Row]:
    """One of each order."""
    for order in orders(rows):
        paid = order["state"] is OrderState.PAID
        number = order["id"]
        yield {
            "order_id": number, "kind": PaymentKind.PROMPT, "attempt_key": f"{number:032x}",
            "account_reference": f"EN{number:09d}",
            "state": PaymentState.PAID if paid else PaymentState.CANCELLED,
            "phone": order["phone"].removeprefix("+"), "amount": order["amount"], "merchant_request_id": f"bench-{number}",
            "checkout_request_id": f"ws_CO_{number}", "receipt": f"T{number:09d}" if paid else None,
            "result_code": "0" if paid else "1032", "result_text": "", "customer_message": "", "queries": 0,
            "created_at": order["created_at"], "settled_at": order["created_at"] + timedelta(seconds=20),
            "paid_at": order["created_at"] + timedelta(seconds=20) if paid else None,
            "refunded": 0,
        }  # fmt: skip


def enrolments(rows: int) -> Iterator[Row]:
    """One of each paid order."""
    for order in orders(rows):
        if order["state"] is OrderState.PAID:
            yield {
                "order_id": order["id"], "reference": order["reference"], "course_slug": order["course_slug"],
                "course_name": order["course_name"], "places": 1, "created_at": order["created_at"],
            }  # fmt: skip


def messages(rows: int) -> Iterator[Row]:
    """A confirmation of each order."""
    words = {
        "heading": "Thank you",
        "paragraphs": ["You are enrolled."],
        "facts": [],
        "actions": [],
        "closing": [],
    }
    chance = random.Random(3)
    for order in orders(rows):
        yield {
            "kind": "enrolment-confirmed", "to": order["email"], "to_name": "", "subject": "You are enrolled", "content": words,
            "attachments": [], "headers": [], "message_id": f"<{order['id']}@bench>", "attempts": 1, "last_error": "",
            "state": chance.choice([MailState.SENT] * 50 + [MailState.FAILED]), "created_at": order["created_at"],
            "about": order["reference"], "requested_by": "", "failure": None,
            "search": search_text(order["reference"], order["email"], "You are enrolled"),
        }  # fmt: skip


def entries(rows: int) -> Iterator[Row]:
    """Every second booking has an event of staff."""
    chance = random.Random(4)
    for number in range(rows // 2):
        yield {
            "at": _moment(chance, number, rows // 2), "actor": f"desk{number % 7}@example.com", "address": "127.0.0.1",
            "action": chance.choice(["booking.moved", "booking.cancelled", "order.noted"]), "kind": "booking",
            "reference": reference("BK", number), "detail": "",
        }  # fmt: skip


def enquiries(rows: int) -> Iterator[Row]:
    """Messages and plan sign-ups, a fifth as many as bookings."""
    chance = random.Random(5)
    for number in range(rows // 5):
        first, last, email, phone = person(chance, number)
        kind, named, at = (
            chance.choice(list(EnquiryKind)),
            reference("EQ", number),
            _moment(chance, number, rows // 5),
        )
        yield {
            "reference": named, "kind": kind, "state": chance.choice(list(EnquiryState)), "fullname": f"{first} {last}",
            "email": email, "phone": phone if kind is EnquiryKind.SIGNUP else "", "subject": "Our shop",
            "search": search_text(named, email, first, last), "message": "What does a website cost?", "details": {},
            "thread": "", "version": 1, "created_at": at, "updated_at": at,
        }  # fmt: skip


def comments(rows: int) -> Iterator[Row]:
    """A tenth as many as bookings, on every article."""
    chance = random.Random(6)
    for number in range(rows // 10):
        first, last, email, _ = person(chance, number)
        article, named = chance.choice(ARTICLES).slug, reference("CM", number)
        yield {
            "reference": named, "article": article, "fullname": f"{first} {last}", "email": email, "website": "",
            "search": search_text(named, email, first, last, article), "text": "Thank you, this helped our shop.",
            "state": chance.choice(list(CommentState)), "token_seed": "bench", "token_hash": secrets.token_hex(32),
            "decided_by": "", "version": 1, "created_at": _moment(chance, number, rows // 10),
        }  # fmt: skip


def subscribers(rows: int) -> Iterator[Row]:
    """A fifth as many as bookings."""
    chance = random.Random(7)
    for number in range(rows // 5):
        _, _, email, _ = person(chance, number)
        named = reference("NL", number)
        yield {
            "reference": named, "email": email, "source": "footer", "interests": [], "version": 1,
            "token_seed": "bench",
            "state": chance.choice(list(SubscriberState)), "search": search_text(named, email),
            "created_at": _moment(chance, number, rows // 5),
        }  # fmt: skip


TABLES: tuple[tuple[type[SQLModel], Callable[[int], Iterator[Row]]], ...] = (
    (Booking, bookings),
    (Order, orders),
    (Payment, payments),
    (Enrolment, enrolments),
    (OutboxMessage, messages),
    (AuditEntry, entries),
    (Enquiry, enquiries),
    (Comment, comments),
    (Subscriber, subscribers),
)


def seed(rows: int = ROWS) -> None:
    """Fill the database that the settings name."""
    engine = plain_engine(settings().database_url)
    for model, rows_of in TABLES:
        with engine.begin() as connection:
            _insert(connection, model.__table__, rows_of(rows))  # type: ignore[attr-defined]
    if engine.dialect.name == "postgresql":
        with engine.execution_options(isolation_level="AUTOCOMMIT").connect() as connection:
            # As autovacuum does some time later. Until then an index alone cannot tell which rows are visible.
            connection.execute(text("VACUUM ANALYZE"))
    engine.dispose()


def _insert(connection: Connection, table: Table, rows: Iterator[Row]) -> None:
    """Insert by the driver's own way for many rows: statements of SQLAlchemy take minutes for a million."""
    first = next(rows)
    scalars = {
        column.name: column.default
        for column in table.columns
        if isinstance(column.default, ScalarElementColumnDefault)
    }
    defaults = {name: default.arg for name, default in scalars.items()}
    columns = [column for column in table.columns if column.name in defaults | first]
    convert = [
        column.type.dialect_impl(connection.dialect).bind_processor(connection.dialect) for column in columns
    ]
    names = ", ".join(f'"{column.name}"' for column in columns)
    values = (
        tuple(
            change(row[column.name]) if change else row[column.name]
            for column, change in zip(columns, convert, strict=True)
        )
        for row in (defaults | value for value in chain([first], rows))
    )
    driver: Any = connection.connection.driver_connection
    if connection.dialect.name == "sqlite":
        marks = ", ".join("?" * len(columns))
        driver.executemany(f"INSERT INTO {table.name} ({names}) VALUES ({marks})", values)
        return
    with driver.cursor() as cursor, cursor.copy(f"COPY {table.name} ({names}) FROM STDIN") as copy:
        for value in values:
            copy.write_row(value)


if __name__ == "__main__":
    seed(int(sys.argv[1]) if len(sys.argv) > 1 else ROWS)
