"""One record of every kind that is kept for a while only, all of them about one person, made at the clock's moment."""

from typing import Any

from sqlalchemy import text
from sqlmodel import SQLModel, select
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site import clock
from agency_site.auth.rules import Role
from agency_site.auth.tables import SignInAttempt, StaffAccount, StaffSession
from agency_site.db.engine import read_scope, session_scope
from agency_site.db.tables import metadata
from agency_site.features.academy.learners.tables import Enrolment, Learner
from agency_site.features.academy.reservations.tables import WaitingEntry
from agency_site.features.academy.runs.rules import RunStatus
from agency_site.features.academy.runs.tables import CourseRun
from agency_site.features.booking.bookings.rules import BookingChange, BookingState
from agency_site.features.booking.bookings.tables import Booking, BookingEvent, BookingNote
from agency_site.features.checkout.orders.rules import OrderState
from agency_site.features.checkout.orders.tables import Order, OrderEvent, OrderNote
from agency_site.features.checkout.payments.rules import PaymentState
from agency_site.features.checkout.payments.tables import CallbackInbox, Payment
from agency_site.features.comments.rules import CommentChange, CommentState
from agency_site.features.comments.tables import Comment, CommentEvent
from agency_site.features.contact.rules import EnquiryChange, EnquiryKind, EnquiryState
from agency_site.features.contact.tables import Enquiry, EnquiryEvent
from agency_site.features.newsletter.rules import SubscriberChange, SubscriberState
from agency_site.features.newsletter.tables import Subscriber, SubscriberEvent
from agency_site.features.webinars.rules import RegistrationState
from agency_site.features.webinars.tables import WebinarRegistration
from agency_site.mail.rules import MailState
from agency_site.mail.tables import OutboxMessage
from agency_site.sms.rules import TextPurpose, TextState
from agency_site.sms.tables import SmsMessage, SmsNumber
from agency_site.visits.tables import PageViews

KINDS = 16
"""Records of one `stock` whose period ends: bookings, three orders, callback, learner, waiting list entry, enquiry, registration,
comment, subscriber, mail, text message, counted views, attempt, session."""


async def stock(name: str) -> None:
    """One of each kind. `name` is in every field that is personal."""
    async with session_scope() as session:
        await _booking(session, name)
        for state in (OrderState.PAID, OrderState.UNPAID, OrderState.FREE):
            await order(session, name, state)
        session.add(_stray(name))
        await _waiting(session, name)
        await _enquiry(session, name)
        session.add(_registration(name))
        await comment(session, name, CommentState.REJECTED)
        await subscriber(session, name, SubscriberState.UNSUBSCRIBED)
        session.add(_mail(name))
        session.add(_text(name))
        session.add(
            SmsNumber(number=f"+{name}", consented_at=clock.now(), failure=name, updated_at=clock.now())
        )
        session.add(PageViews(date=clock.today(), page=f"/{name}", views=2, visits=1))
        await _office(session, name)


def person(name: str) -> dict[str, Any]:
    return {"fullname": f"{name} Wanjirũ", "email": f"{name}@shop.example"}


def searched(reference: str, name: str) -> str:
    return f"{reference} {name}@shop.example".lower()


def short(kind: str, name: str) -> str:
    """A reference of no person."""
    return f"{kind}-{sum(map(ord, name)):X}"


async def added(session: AsyncSession, row: Any) -> int:
    """The id of a new row."""
    session.add(row)
    await session.flush()
    return int(row.id)


async def _booking(session: AsyncSession, name: str) -> None:
    moment, reference = clock.now(), short("BK", name)
    identity = await added(
        session,
        Booking(
            reference=reference, state=BookingState.CANCELLED, phone=f"+{name}", message=f"I am {name}.",
            starts_at=moment, token_seed="aged", token_hash=f"booking {reference}", search=searched(reference, name),
            created_at=moment, updated_at=moment, **person(name),
        ),
    )  # fmt: skip
    session.add(
        BookingEvent(
            booking_id=identity,
            at=moment,
            actor="visitor",
            what=BookingChange.CANCELLED,
            note=f"{name} is ill",
        )
    )
    session.add(BookingNote(booking_id=identity, at=moment, author="staff", text=f"{name} called."))


async def order(
    session: AsyncSession, name: str, state: OrderState, payment: PaymentState | None = None, **changes: Any
) -> int:
    """An order in that state, with a payment that fits it unless another is named."""
    moment, reference = clock.now(), short(state.value[:2].upper(), name)
    price = 0 if state is OrderState.FREE else 15_000
    identity = await added(
        session,
        Order(
            reference=reference, state=state, first_name=name, last_name=f"{name}-Wanjirũ",
            email=f"{name}@shop.example", phone=f"+{name}", course_slug="google-ads", course_name="Google Ads",
            unit_price=price, amount=price, token_hash=f"{state} {reference}", open_key=None,
            search=searched(reference, name), created_at=moment, updated_at=moment, **changes,
        ),
    )  # fmt: skip
    session.add(
        OrderEvent(order_id=identity, at=moment, actor="visitor", to_state=state, why=f"asked by {name}")
    )
    session.add(OrderNote(order_id=identity, at=moment, author="staff", text=f"{name} called."))
    if state is OrderState.FREE or state is OrderState.PAID:
        enrolment = await added(
            session,
            Enrolment(
                order_id=identity, reference=f"E{reference}", course_slug="google-ads", course_name="Google Ads",
                created_at=moment,
            ),
        )  # fmt: skip
    if state is OrderState.FREE:
        session.add(
            Learner(
                enrolment_id=enrolment, number=1, reference=f"L{reference}", fullname=name, email=f"learner@{name}.example",
                token_seed="aged", token_hash=f"learner {reference}", search=searched(reference, name), created_at=moment,
                updated_at=moment,
            )
        )  # fmt: skip
    if price:
        paid = state is OrderState.PAID
        await _payment(
            session, identity, name, payment or (PaymentState.PAID if paid else PaymentState.FAILED)
        )
    return identity


async def _payment(session: AsyncSession, order_id: int, name: str, state: PaymentState) -> None:
    moment, key = clock.now(), f"attempt-{order_id}"
    paid = state is PaymentState.PAID
    session.add(
        Payment(
            order_id=order_id, attempt_key=key, account_reference=f"EN{key[:10]}", state=state, phone=name[:12], amount=15_000,
            merchant_request_id=f"m{order_id}", checkout_request_id=f"ws_CO_{name}{order_id}",
            receipt=f"UKK{order_id}" if paid else None,
            created_at=moment, settled_at=moment if paid else None,
        )
    )  # fmt: skip
    session.add(_callback(f"ws_CO_{name}{order_id}", key, key, name))


def _callback(checkout: str, attempt: str, digest: str, name: str) -> CallbackInbox:
    return CallbackInbox(
        digest=digest, body=f'{{"Body": "{name}"}}', attempt_key=attempt, merchant_request_id="m",
        checkout_request_id=checkout, received_at=clock.now(), handled_at=clock.now(),
    )  # fmt: skip


def _stray(name: str) -> CallbackInbox:
    return _callback(f"ws_CO_{name}", "nobody's", short("stray", name), name)


async def _waiting(session: AsyncSession, name: str) -> None:
    moment, reference = clock.now(), short("WL", name)
    run = await added(
        session,
        CourseRun(
            reference=short("CR", name), course_slug="google-ads", course_name="Google Ads", status=RunStatus.OPEN,
            starts_at=moment, ends_at=moment, created_at=moment, updated_at=moment,
        ),
    )  # fmt: skip
    session.add(
        WaitingEntry(
            reference=reference, run_id=run, token_seed="aged", token_hash=f"waiting {reference}",
            search=searched(reference, name), created_at=moment, updated_at=moment, **person(name),
        )
    )  # fmt: skip


async def _enquiry(session: AsyncSession, name: str) -> None:
    await enquiry(session, name, EnquiryState.ANSWERED)


async def enquiry(session: AsyncSession, name: str, state: EnquiryState) -> None:
    """A plan sign-up in that state."""
    moment, reference = clock.now(), short(f"EQ{state[:2].upper()}", name)
    identity = await added(
        session,
        Enquiry(
            reference=reference, kind=EnquiryKind.SIGNUP, state=state, phone=f"+{name}", subject=f"For {name}",
            message=f"I am {name}.", details={"plan": "Growth", "domain_type": "new", "domain_name": f"{name}.co.ke"},
            search=searched(reference, name), content_key=f"{state} {name}", created_at=moment, updated_at=moment,
            **person(name),
        ),
    )  # fmt: skip
    session.add(
        EnquiryEvent(
            enquiry_id=identity, at=moment, actor="staff", what=EnquiryChange.REPLIED, reply=f"Hello {name},",
            note=f"{name} called",
        )
    )  # fmt: skip


def _registration(name: str) -> WebinarRegistration:
    moment, reference = clock.now(), short("WR", name)
    return WebinarRegistration(
        reference=reference, webinar="of-long-ago", phone=f"+{name}", state=RegistrationState.REGISTERED,
        token_seed="seed", token_hash=f"registration {reference}", search=searched(reference, name),
        created_at=moment, updated_at=moment, **person(name),
    )  # fmt: skip


async def comment(session: AsyncSession, name: str, state: CommentState) -> None:
    """A comment in that state."""
    moment, reference = clock.now(), short(f"CM{state[:2].upper()}", name)
    identity = await added(
        session,
        Comment(
            reference=reference, article="video-blog", website=f"https://{name}.example", text=f"I, {name}, agree.",
            state=state, token_seed="seed", token_hash=f"comment {reference}", content_key=f"{state} {name}",
            search=searched(reference, name), created_at=moment, decided_at=moment, **person(name),
        ),
    )  # fmt: skip
    session.add(
        CommentEvent(
            comment_id=identity, at=moment, actor="staff", what=CommentChange.REJECTED, note=f"{name} is rude"
        )
    )


async def subscriber(session: AsyncSession, name: str, state: SubscriberState) -> None:
    """A subscriber in that state."""
    moment, reference = clock.now(), short("NL", name)
    identity = await added(
        session,
        Subscriber(
            reference=reference, email=f"{name}@shop.example", source="footer", state=state, interests=["seo"], token_seed="aged",
            unsubscribed_at=moment if state is SubscriberState.UNSUBSCRIBED else None,
            search=searched(reference, name), created_at=moment,
        ),
    )  # fmt: skip
    session.add(
        SubscriberEvent(
            subscriber_id=identity, at=moment, actor="visitor", what=SubscriberChange.UNSUBSCRIBED,
            note=f"asked by {name}",
        )
    )  # fmt: skip


def _mail(name: str, state: MailState = MailState.SENT) -> OutboxMessage:
    return OutboxMessage(
        kind="booking-confirmed", to=f"{name}@shop.example", to_name=name, subject=f"Hello {name}",
        content={"paragraphs": [f"Hello {name},"]}, attachments=[{"filename": f"{name}.pdf", "mime": "a/b", "content": ""}],
        headers=[["Reply-To", f"{name}@shop.example"]], message_id=f"<{state} {len(name)}{clock.now()}>",
        search=f"{name}@shop.example", state=state, created_at=clock.now(), last_error=f"<{name}@shop.example> is full",
    )  # fmt: skip


def _text(name: str) -> SmsMessage:
    return SmsMessage(
        kind="booking-confirmed", to=f"+{name}", text=f"Hello {name}", purpose=TextPurpose.TRANSACTION, state=TextState.SENT,
        search=f"+{name}", last_error=f"{name} failed", created_at=clock.now(),
    )  # fmt: skip


async def waiting_mail(name: str) -> None:
    """A mail that is still queued."""
    async with session_scope() as session:
        session.add(_mail(name, MailState.QUEUED))


async def _office(session: AsyncSession, name: str) -> None:
    moment = clock.now()
    account = (await session.exec(select(StaffAccount.id))).first() or await added(
        session,
        StaffAccount(
            email="desk@agency.example", name="Desk", role=Role.OWNER, created_at=moment, updated_at=moment
        ),
    )
    session.add(SignInAttempt(account_key="digest", address=f"device:{name}", at=moment))
    session.add(
        StaffSession(
            account_id=account, token_hash=short("session", name), address=f"at {name}'s", created_at=moment,
            seen_at=moment, ended_at=moment,
        )
    )  # fmt: skip


async def everything() -> dict[str, list[str]]:
    """Every row of every table, as text."""
    async with read_scope() as session:
        connection = await session.connection()
        return {
            table.name: sorted(
                str(row) for row in await connection.execute(text(f'SELECT * FROM "{table.name}"'))
            )
            for table in metadata.sorted_tables
        }


async def traces(name: str) -> dict[str, int]:
    """Return the number of rows by table that still contain the person."""
    counted = {
        table: sum(name in row.lower() for row in rows) for table, rows in (await everything()).items()
    }
    return {table: count for table, count in counted.items() if count}


async def all_of(table: type[SQLModel]) -> list[Any]:
    """All rows of a table, oldest first."""
    async with read_scope() as session:
        return list((await session.exec(select(table).order_by(table.id))).all())  # type: ignore[attr-defined]
