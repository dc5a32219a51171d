"""`make examples`: fill the development database with a few dozen records in every state, through the product's own verbs.

All accounts of staff are called ROLE@example.com and have the password `PASSWORD`.
"""

import asyncio
import sys
from datetime import datetime, timedelta
from typing import Any

from sqlmodel import col, select

from agency_site import clock
from agency_site.auth import passwords
from agency_site.auth.rules import ROLE_NAMES, Role
from agency_site.auth.set_password import new_account
from agency_site.auth.tables import StaffAccount
from agency_site.content.articles import ARTICLES
from agency_site.content.entries import Kind
from agency_site.content.webinars import upcoming
from agency_site.db.engine import dispose_engine, read_scope, session_scope
from agency_site.db.migrations import migrate
from agency_site.feature_contracts import join_features
from agency_site.features.academy.planning import usecases as runs
from agency_site.features.academy.planning.staff_request import PatternRequest, RunRequest
from agency_site.features.academy.runs.records import RunRecord, find_run
from agency_site.features.academy.runs.rules import RunStatus
from agency_site.features.academy.waiting_list.request import WaitingRequest
from agency_site.features.academy.waiting_list.usecases import join_waiting_list
from agency_site.features.booking.bookings import staff_transitions
from agency_site.features.booking.bookings.staff_request import ClientBookingRequest
from agency_site.features.booking.bookings.staff_usecases import book_for_client
from agency_site.features.booking.schedule.slots import booking_policy
from agency_site.features.checkout.admin.coupons import COUPONS
from agency_site.features.checkout.buying.orders import OpenPayment
from agency_site.features.checkout.buying.usecases import draft_order, open_payment, place_order
from agency_site.features.checkout.direct_payments.manual import record_payment
from agency_site.features.checkout.direct_payments.staff_request import read_manual_payment
from agency_site.features.checkout.orders.request import CheckoutRequest
from agency_site.features.checkout.payments.queries import lock_payment
from agency_site.features.checkout.payments.settlement import (
    PaymentResult,
    end_unpaid,
    send_to_review,
    settle,
)
from agency_site.features.checkout.payments.transitions import MPESA
from agency_site.features.checkout.refunds.refunds import record_refund
from agency_site.features.checkout.refunds.staff_request import read_refund
from agency_site.features.comments.admin.comments import COMMENTS
from agency_site.features.comments.request import CommentRequest
from agency_site.features.comments.usecases import receive_comment
from agency_site.features.contact.admin.enquiries import ENQUIRIES
from agency_site.features.contact.request import ContactMessage, PlanSignup
from agency_site.features.contact.tables import Enquiry
from agency_site.features.contact.usecases import receive_message, receive_signup
from agency_site.features.editing.entries import staff_usecases as editing
from agency_site.features.newsletter import issues
from agency_site.features.newsletter.admin.subscribers import SUBSCRIBERS
from agency_site.features.newsletter.request import Subscription, read_draft
from agency_site.features.newsletter.rules import SubscriberState
from agency_site.features.newsletter.tables import Subscriber
from agency_site.features.newsletter.usecases import subscribe
from agency_site.features.webinars.request import RegistrationRequest
from agency_site.features.webinars.usecases import cancel_by_staff, register
from agency_site.form_input import read_form
from agency_site.mpesa.contract import Outcome
from agency_site.settings import load_settings
from tests import records
from tests.example_records import OTHER_COURSE, PAID_COURSE, THIRD_COURSE

PASSWORD = "karibu nairobi sana"
OWNER = "owner@example.com"
PEOPLE = (
    "Amina Wanjiru",
    "Brian Odhiambo",
    "Faith Mwangi",
    "Salim Hassan",
    "Njeri Kamau",
    "Peter Wafula",
    "Zawadi Juma",
)
RUN = {
    "trainer": "Otieno Wafula", "room": "https://meet.example.com/class", "price": "", "enrol_from": "", "enrol_until": "",
}  # fmt: skip
_CANCELLED = PaymentResult(MPESA, "1032", "Request cancelled by user")


async def do(verb: Any, *arguments: Any, **named: Any) -> Any:
    """Run a verb in a session of its own."""
    async with session_scope() as session:
        return await verb(session, *arguments, **named)


def person(number: int) -> dict[str, str]:
    """Return the contact of a person, under the names that forms have."""
    name = PEOPLE[number % len(PEOPLE)]
    first, last = name.split()
    email, phone = f"{first}.{number}@example.com".lower(), f"0712 3{number // 10:02}{number % 10:02}0"
    return {
        "fullname": name, "fullName": name, "name": name, "firstName": first, "lastName": last,
        "email": email, "emailaddress": email, "phone": phone, "phonenumber": phone,
    }  # fmt: skip


async def add_staff() -> None:
    """One account of each role."""
    password_hash = await passwords.hash_password(PASSWORD)
    async with session_scope() as session:
        session.add_all(
            new_account(f"{role}@example.com", ROLE_NAMES[role], role, password_hash) for role in Role
        )


def working_day(offset: int) -> datetime:
    """Return the day that many working days from today."""
    day, step = clock.now(), 1 if offset > 0 else -1
    while offset:
        day += timedelta(days=step)
        offset -= step if day.weekday() < 5 else 0
    return day


async def add_bookings() -> None:
    """Past and coming consultations in every state."""
    times = booking_policy().hours.slots
    verbs = (staff_transitions.complete, staff_transitions.mark_no_show, None, staff_transitions.complete)
    for number in range(12):
        day = working_day(number // 2 - 3 if number < 6 else number // 2 - 2)
        with clock.frozen(min(clock.now(), day) - timedelta(days=2)):
            form = {**person(number), "message": "We sell shoes in Gikomba.", "date": f"{day:%Y-%m-%d}"}
            form["time"] = f"{times[number % len(times)]:%H:%M}"
            booked = await do(book_for_client, ClientBookingRequest.model_validate(form), OWNER, notify=True)
        if number % 6 == 5:
            await do(staff_transitions.cancel, booked.reference, OWNER, reason="Asked by phone.", notify=True)
        elif booked.starts_at < clock.now() and (verb := verbs[number % 4]):
            await do(verb, booked.reference, OWNER)


async def add_run(slug: str, first_day: datetime, capacity: int) -> RunRecord:
    """An open run with weekly sessions."""
    form = {**RUN, "course_slug": slug, "starts_at": f"{first_day:%Y-%m-%d}T18:30", "capacity": str(capacity)}
    pattern = {
        "first_day": f"{first_day:%Y-%m-%d}", "at": "18:30", "minutes": "120", "weekdays": frozenset({first_day.weekday()})
    }  # fmt: skip
    run = await do(runs.create_run, RunRequest.model_validate(form), OWNER)
    await do(
        runs.generate_sessions, run.reference, run.version, PatternRequest.model_validate(pattern), OWNER
    )
    await change_run(run.reference, RunStatus.OPEN)
    return run  # type: ignore[no-any-return]


async def change_run(reference: str, status: RunStatus) -> None:
    run = await do(find_run, reference)
    await do(runs.change_status, reference, run.version, status, OWNER)


async def order(number: int, course: Any = PAID_COURSE, **changes: object) -> OpenPayment:
    """An order with an open prompt. No prompt is sent."""
    amount = course.payment_price * (90 if "coupon" in changes else 100) // 100
    form = {**person(number), "courseName": course.payment_name, "amount": amount, **changes}
    draft = await draft_order(session_scope, CheckoutRequest.model_validate(form))
    return await open_payment(session_scope, draft)


async def end(opened: OpenPayment, verb: Any, *arguments: Any) -> None:
    """Let the payment of an order end as M-Pesa's answer would."""
    async with session_scope() as session:
        locked_order, payment = await lock_payment(session, opened.payment.id or 0)
        await verb(session, locked_order, payment, *arguments)


async def pay(opened: OpenPayment, receipt: str) -> None:
    await end(
        opened, settle, PaymentResult(MPESA, "0", "The service request is processed successfully.", receipt)
    )


async def pay_part(opened: OpenPayment, amount: int) -> None:
    """Cash towards the price of an order."""
    form = {
        "kind": "cash", "amount": str(amount), "receipt": f"CASH {opened.order.reference}", "note": "",
        "paid_at": f"{clock.now().astimezone(clock.NAIROBI):%Y-%m-%dT%H:%M}",
    }  # fmt: skip
    await do(record_payment, opened.order.reference, read_manual_payment(form), OWNER)


async def add_orders() -> None:
    """Course runs and orders in every state: open, unpaid, part paid, paid, free, under review, refunded, of a cancelled run."""
    soon = working_day(10)
    small = await add_run(PAID_COURSE.slug, soon, 2)
    large = await add_run(OTHER_COURSE.slug, soon + timedelta(days=1), 12)
    called_off = await add_run(THIRD_COURSE.slug, soon + timedelta(days=2), 12)
    await add_run(THIRD_COURSE.slug, soon + timedelta(days=40), 12)
    for code, discount in (("KARIBU10", "10%"), ("MGENI", "100%")):
        await records.create(COUPONS, {"code": code, "discount": discount, "uses": "20"}, OWNER)
    planned = {
        **RUN,
        "course_slug": THIRD_COURSE.slug,
        "starts_at": f"{working_day(60):%Y-%m-%d}T18:30",
        "capacity": "8",
    }
    await do(runs.create_run, RunRequest.model_validate(planned), OWNER)
    guest = CheckoutRequest.model_validate(
        {**person(55), "courseName": OTHER_COURSE.payment_name, "amount": 0, "coupon": "MGENI"}
    )
    await place_order(session_scope, await draft_order(session_scope, guest))
    for number in range(2):
        await pay(await order(20 + number, run=small.reference), f"UKA0000{number:03}")
    for number in range(3):
        waiting = read_form(WaitingRequest, {**person(30 + number), "places": "1"})
        await do(join_waiting_list, small.reference, waiting)
    for number in range(3):
        await pay(
            await order(40 + number, OTHER_COURSE, run=large.reference, coupon="KARIBU10"),
            f"UKB0000{number:03}",
        )
    await order(44, OTHER_COURSE)
    for number in range(2):
        await end(await order(45 + number, OTHER_COURSE), end_unpaid, _CANCELLED, Outcome.CANCELLED)
    parted = await order(48, OTHER_COURSE)
    await end(parted, end_unpaid, _CANCELLED, Outcome.CANCELLED)
    await pay_part(parted, 5_000)
    doubtful = PaymentResult(MPESA, "0", "paid", "UKC0000001")
    await end(
        await order(49, OTHER_COURSE),
        send_to_review,
        doubtful,
        "M-Pesa reported another amount than was asked.",
    )
    returned = await order(50, OTHER_COURSE)
    await pay(returned, "UKD0000001")
    refund = {"refund_amount": "", "refund_reference": "UKE0000001", "reason": "The learner is ill."}
    await do(record_refund, returned.payment.id, read_refund(refund), OWNER)
    for number in range(2):
        await pay(await order(52 + number, THIRD_COURSE, run=called_off.reference), f"UKF0000{number:03}")
    await change_run(called_off.reference, RunStatus.CANCELLED)


async def add_messages() -> None:
    """Enquiries, comments, subscribers, an issue of the newsletter and registrations, each in its states."""
    for number in range(5):
        message = {
            **person(60 + number),
            "subject": "A website",
            "message": "What does a shop for a stall cost?",
        }
        await do(receive_message, read_form(ContactMessage, message))
    signup = {**person(66), "domainType": "new", "domainName": "mamamboga.co.ke", "plan": "Growth"}
    await do(receive_signup, read_form(PlanSignup, signup))
    references = await list_references(Enquiry)
    await records.act(ENQUIRIES, "reply", references[0], OWNER, {"reply": "Karibu. It begins at KES 45,000."})
    await records.act(ENQUIRIES, "close", references[1], OWNER)
    for number, decision in enumerate(("approve", "approve", "reject", "")):
        form = {
            **person(70 + number),
            "article": ARTICLES[0].slug,
            "website": "",
            "comment": "We tried this in Ruiru.",
        }
        received = await do(receive_comment, read_form(CommentRequest, form))
        if decision:
            await records.act(COMMENTS, decision, received.reference, OWNER)
    for number in range(6):
        await do(subscribe, read_form(Subscription, {"email": person(80 + number)["email"]}), "footer")
    async with session_scope() as session:
        confirmed = (await session.exec(select(Subscriber).order_by(col(Subscriber.id)).limit(4))).all()
        for subscriber in confirmed:
            # The link in the mail does this elsewhere.
            subscriber.state = SubscriberState.SUBSCRIBED
    leaving = confirmed[-1]
    await records.act(SUBSCRIBERS, "unsubscribe", leaving.reference, OWNER, {"reason": "Asked by phone."})
    draft = {
        "title": "The queue is the advert",
        "summary": "Why a stand moved.",
        "text": "## The queue\n\nStand where people wait.",
    }
    await do(issues.create, read_draft(draft), OWNER)
    for number in range(5):
        form = {**person(90 + number), "webinar": upcoming()[0].id}
        record = await do(register, read_form(RegistrationRequest, form))
        if number == 4:
            await do(cancel_by_staff, record.reference, record.version, OWNER)


async def list_references(table: Any) -> list[str]:
    async with read_scope() as session:
        return list((await session.exec(select(table.reference).order_by(table.id))).all())


async def add_entries() -> None:
    """Articles of staff: a draft, a published, a scheduled and a hidden one."""
    delivered = await do(editing.find_entry, Kind.ARTICLE, ARTICLES[0].slug)
    for title in ("A draft", "Published by staff", "Published tomorrow", "Hidden again"):
        fields = {**delivered.fields, "title": title, "address": ""}
        entry = await do(editing.create_entry, Kind.ARTICLE, fields, OWNER)
        if title == "Published tomorrow":
            tomorrow = clock.now() + timedelta(days=1)
            await do(editing.schedule_entry, Kind.ARTICLE, entry.slug, entry.version, tomorrow, OWNER)
        elif title != "A draft":
            entry = await do(editing.publish_entry, Kind.ARTICLE, entry.slug, entry.version, OWNER)
        if title == "Hidden again":
            await do(editing.hide_entry, Kind.ARTICLE, entry.slug, entry.version, OWNER)


async def fill() -> None:
    """Fill the database of the settings."""
    join_features()
    try:
        for add in (add_staff, add_bookings, add_orders, add_messages, add_entries):
            await add()
    finally:
        await dispose_engine()


async def is_filled() -> bool:
    """Return whether the database has an account of staff."""
    try:
        async with read_scope() as session:
            return (await session.exec(select(StaffAccount.id).limit(1))).first() is not None
    finally:
        await dispose_engine()


def main() -> int:
    """Fill the development database once; return the exit code."""
    now = load_settings()
    if not now.is_local:
        sys.stderr.write("Examples are for a site that only this machine reaches.\n")
        return 1
    migrate(now.database_url)
    if asyncio.run(is_filled()):
        sys.stderr.write(
            "The database has accounts of staff already. To begin anew: stop the site, rm .data/agency.sqlite3*\n"
        )
        return 1
    asyncio.run(fill())
    sys.stdout.write(f"Sign in at {now.site_url}/admin as {OWNER}, or ROLE@example.com, with: {PASSWORD}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
