"""Every mail of the site, built from the same few texts."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import timedelta

from agency_site.auth import emails as staff_emails
from agency_site.auth.rules import Role
from agency_site.auth.tables import StaffAccount
from agency_site.backoffice.reports.definition import ReportColumn
from agency_site.backoffice.visits import emails as visit_emails
from agency_site.content.articles import ARTICLES
from agency_site.content.brand import BRAND
from agency_site.content.hosting import PLANS
from agency_site.content.webinars import upcoming
from agency_site.features.academy.learners import emails as academy_emails
from agency_site.features.academy.learners.usecases import EnrolledCourse, LearnerRecord
from agency_site.features.academy.reservations.rules import WaitingState
from agency_site.features.academy.runs.records import MaterialRecord, MessageRecord, RunRecord, SessionRecord
from agency_site.features.academy.runs.rules import MaterialKind, RunStatus
from agency_site.features.academy.waiting_list import emails as waiting_emails
from agency_site.features.academy.waiting_list.records import WaitingRecord
from agency_site.features.booking.bookings import emails as booking_emails
from agency_site.features.booking.bookings.rules import BookingState
from agency_site.features.booking.bookings.tables import Booking
from agency_site.features.booking.busy_calendars import emails as calendar_emails
from agency_site.features.booking.busy_calendars.tables import BusyCalendar
from agency_site.features.booking.consultants.rules import Way
from agency_site.features.booking.consultants.tables import Consultant
from agency_site.features.checkout.orders.rules import LINK, Balance
from agency_site.features.checkout.orders.tables import Order
from agency_site.features.checkout.payments import emails as checkout_emails
from agency_site.features.checkout.payments.documents import build_credit_note
from agency_site.features.checkout.payments.rules import PaymentState, Refusal
from agency_site.features.checkout.payments.tables import Payment, PaymentRefund
from agency_site.features.comments import emails as comment_emails
from agency_site.features.comments.request import CommentRequest
from agency_site.features.comments.rules import LINK_PURPOSE, CommentState
from agency_site.features.comments.tables import Comment
from agency_site.features.contact import emails as enquiry_emails
from agency_site.features.contact.request import ContactMessage, PlanSignup
from agency_site.features.contact.rules import EnquiryKind
from agency_site.features.contact.tables import Enquiry
from agency_site.features.newsletter import emails as newsletter_emails
from agency_site.features.newsletter.tables import Subscriber
from agency_site.features.webinars import emails as registration_emails
from agency_site.features.webinars.records import RegistrationRecord
from agency_site.features.webinars.rules import RegistrationState
from agency_site.ids import private_token, token_hash
from agency_site.mail import staff_notices
from agency_site.mail.rules import Message
from agency_site.notices import incoming_texts
from agency_site.settings import settings
from agency_site.sms.incoming import IncomingText
from tests.conftest import FRIDAY_NOON

MODULES = (
    academy_emails, booking_emails, calendar_emails, checkout_emails, comment_emails, enquiry_emails, incoming_texts,
    newsletter_emails, registration_emails, staff_emails, staff_notices, visit_emails, waiting_emails,
)  # fmt: skip
TOKEN = "token-of-a-private-page"


@dataclass(frozen=True)
class Texts:
    """Texts that visitors or staff typed."""

    name: str = "Wanjirũ Kamau"
    title: str = "What a boda boda taught us about prices"
    words: str = "We open a second branch in March."
    email: str = "amina@shop.example"


@dataclass(frozen=True)
class Issue:
    """An issue of the newsletter."""

    reference: str
    slug: str
    title: str
    summary: str


def every_mail(texts: Texts, body_id: int | None = None) -> dict[str, Message]:
    """One message of each builder, by its name and, after a space, what is special about it.

    `body_id` is the stored body of an issue.
    """
    messages = (
        *_bookings(texts), *_orders(texts), *_comments(texts), *_enquiries(texts), *_registrations(texts), *_learners(texts),
        *_issues(texts, body_id), *_access(texts),
        _named(incoming_texts.build_text_notice, IncomingText("key", "+254712345678", texts.words, FRIDAY_NOON)),
    )  # fmt: skip
    return dict(messages)


def _named(builder: Callable[..., Message], *arguments: object) -> tuple[str, Message]:
    return f"{builder.__module__}.{builder.__name__}", builder(*arguments)


def _bookings(texts: Texts) -> tuple[tuple[str, Message], ...]:
    mails, before = booking_emails, FRIDAY_NOON + timedelta(days=3)
    confirmed, cancelled = _booking(texts, BookingState.CONFIRMED), _booking(texts, BookingState.CANCELLED)
    return (
        _named(mails.confirmation, confirmed, TOKEN),
        _named(mails.move_notice, confirmed, TOKEN, before),
        _named(mails.assignment_notice, confirmed, TOKEN),
        _named(mails.way_notice, confirmed, TOKEN),
        _named(mails.reinstatement_notice, confirmed, None),
        _named(mails.reminder, confirmed, TOKEN),
        (f"{mails.__name__}.reminder two hours before", mails.reminder(confirmed, TOKEN, mails.SOON)),
        _named(mails.cancellation, cancelled),
        _named(mails.staff_booking_notice, confirmed),
        _named(mails.staff_move_notice, confirmed, before),
        _named(mails.staff_cancellation_notice, cancelled),
        _named(mails.staff_erasure_notice, cancelled),
        _named(calendar_emails.unreadable_notice, _calendar(texts)),
        _named(calendar_emails.partly_read_notice, texts.title, texts.words),
    )


def _booking(texts: Texts, state: BookingState) -> Booking:
    person = Consultant(
        reference="CO-7F3K9Q", name="Wanjiru Kamau", seat=0, video_link="https://meet.example/room", author="",
        updated_at=FRIDAY_NOON,
    )  # fmt: skip
    return Booking(
        reference="BK-7F3K9Q", state=state, fullname=texts.name, email=texts.email, phone="+254712345678",
        message=texts.words, starts_at=FRIDAY_NOON + timedelta(days=4), token_seed="seed", token_hash="hash",
        created_at=FRIDAY_NOON, updated_at=FRIDAY_NOON, way=Way.VIDEO, service="web-design", consultant=person,
    )  # fmt: skip


def _calendar(texts: Texts) -> BusyCalendar:
    return BusyCalendar(
        name=texts.title, address="https://calendar.example/private.ics", failing_since=FRIDAY_NOON, last_error=texts.words,
        author="wanjiku@mwanga.example", created_at=FRIDAY_NOON,
    )  # fmt: skip


def _orders(texts: Texts) -> tuple[tuple[str, Message], ...]:
    mails, paid, free = checkout_emails, _order(texts, 15_000), _order(texts, 0)
    payment = Payment(
        order_id=1, attempt_key="attempt", account_reference="EN7F3K9Q1", state=PaymentState.PAID,
        phone="254712345678", amount=30_000,
        receipt="TKL4H2XQ7P", created_at=FRIDAY_NOON, settled_at=FRIDAY_NOON,
    )  # fmt: skip
    cancelled = Payment(
        order_id=1, attempt_key="another", account_reference="EN7F3K9Q2", state=PaymentState.CANCELLED,
        phone="254712345678", amount=30_000, result_code="1032", created_at=FRIDAY_NOON,
    )  # fmt: skip
    refund = PaymentRefund(
        payment_id=1, amount=5_000, reference="UKM0REFUND", reason=texts.words, refunded_at=FRIDAY_NOON,
        refunded_by="wanjiku@mwanga.example",
    )  # fmt: skip
    return (
        _named(mails.confirm_enrolment, paid, [payment]),
        (f"{mails.__name__}.confirm_enrolment of a free course", mails.confirm_enrolment(free, ())),
        _named(mails.ask_to_confirm, free),
        _named(mails.mention_order, paid),
        _named(mails.report_unpaid, paid, cancelled, Balance(30_000, 0, 0), None),
        (
            f"{mails.__name__}.report_unpaid of a cancelled run",
            mails.report_unpaid(paid, cancelled, Balance(30_000, 0, 0), Refusal.RUN_CANCELLED),
        ),
        _named(mails.report_part, paid, payment, Balance(30_000, 15_000, 0), None),
        (
            f"{mails.__name__}.report_part of a full run",
            mails.report_part(paid, payment, Balance(30_000, 3_000, 0), Refusal.NO_PLACE),
        ),
        _named(mails.invite_to_pay, paid, Balance(30_000, 0, 0)),
        _named(mails.report_refund, paid, payment, refund, build_credit_note(paid, payment, refund, 1), 1),
        _named(mails.notify_of_enrolment, paid, [payment]),
        _named(staff_notices.build_joined_notice, "staff-enrolled", BRAND.staff_email, "New enrolment"),
        _named(mails.notify_of_review, paid, payment, f"The callback states another amount. {texts.words}"),
        _named(mails.notify_of_return, paid, payment, "UKR0000009", 30_000),
        _named(mails.notify_of_surplus, paid, payment, 500),
        _named(mails.notify_of_cancelled_run, paid, "KES 7,500"),
        _named(mails.notify_of_reversal, paid, payment, f"M-Pesa did not refund it. {texts.words}"),
        _named(mails.notify_of_gateway_problem, texts.words),
    )


def _order(texts: Texts, price: int) -> Order:
    reference = "EN-7F3K9Q"
    token = private_token(LINK, reference, settings().secret_key.get_secret_value())
    return Order(
        reference=reference, first_name=texts.name, last_name="Odhiambo", email=texts.email, phone="+254712345678",
        course_slug="google-ads", course_name=texts.title, quantity=2, unit_price=price, amount=2 * price,
        token_hash=token_hash(token), created_at=FRIDAY_NOON, updated_at=FRIDAY_NOON,
    )  # fmt: skip


def _comments(texts: Texts) -> tuple[tuple[str, Message], ...]:
    mails, slug = comment_emails, ARTICLES[0].slug
    comment_request = CommentRequest.model_construct(
        article=slug, comment=texts.words, name=texts.name, email=texts.email, website=texts.title
    )
    token = private_token(LINK_PURPOSE, "seed", settings().secret_key.get_secret_value())
    stored = Comment(
        reference="CM-7F3K9Q", article=slug, fullname=texts.name, email=texts.email, text=texts.words,
        state=CommentState.APPROVED, token_seed="seed", token_hash=token_hash(token), created_at=FRIDAY_NOON,
    )  # fmt: skip
    return (
        _named(mails.staff_comment, comment_request, "CM-7F3K9Q"),
        _named(mails.comment_received, comment_request, "CM-7F3K9Q", TOKEN),
        _named(mails.comment_published, stored),
    )


def _enquiries(texts: Texts) -> tuple[tuple[str, Message], ...]:
    mails, reference = enquiry_emails, "EQ-7F3K9Q"
    message = ContactMessage.model_construct(
        name=texts.name, email=texts.email, subject=texts.title, message=texts.words
    )
    signup = PlanSignup.model_construct(
        full_name=texts.name, email=texts.email, phone="+254712345678", domain_type="new", domain_name=texts.title,
        plan=PLANS[0].name,
    )  # fmt: skip
    stored = Enquiry(
        reference=reference, kind=EnquiryKind.MESSAGE, fullname=texts.name, email=texts.email, subject=texts.title,
        message=texts.words, created_at=FRIDAY_NOON, updated_at=FRIDAY_NOON,
    )  # fmt: skip
    return (
        _named(mails.staff_message, message, reference),
        _named(mails.message_received, message, reference),
        _named(mails.staff_signup, signup, reference),
        _named(mails.signup_received, signup, reference),
        _named(mails.reply, stored, texts.words, ["<first@mwanga.example>", "<last@mwanga.example>"]),
    )


def _registrations(texts: Texts) -> tuple[tuple[str, Message], ...]:
    mails, webinar = registration_emails, upcoming()[-1]
    record = RegistrationRecord(
        reference="WR-7F3K9Q", webinar=webinar.id, fullname=texts.name, email=texts.email, phone="",
        state=RegistrationState.REGISTERED, version=1, created_at=FRIDAY_NOON, updated_at=FRIDAY_NOON,
        cancelled_at=None, cancelled_by="",
    )  # fmt: skip
    return (
        _named(mails.registered, record, webinar, TOKEN),
        _named(mails.reminder, record, webinar, TOKEN),
        _named(mails.changed, record, webinar, TOKEN),
        _named(mails.webinar_cancelled, record, webinar),
        _named(mails.cancelled, record, webinar),
        _named(mails.staff_registered, record, webinar, 7),
    )


def _learners(texts: Texts) -> tuple[tuple[str, Message], ...]:
    mails, course = academy_emails, _course(texts)
    learner = LearnerRecord(
        id=1,
        reference="LN-7F3K9Q",
        number=1,
        fullname=texts.name,
        email=texts.email,
        phone="+254712345678",
        version=1,
        created_at=FRIDAY_NOON,
    )
    buyer = mails.PlaceBuyer("EN-7F3K9Q", texts.name, texts.email)
    return (
        _named(mails.place_confirmation, learner, course, TOKEN),
        _named(mails.link_again, learner, course, TOKEN),
        _named(mails.replacement_notice, learner, course, course.sessions),
        _named(mails.session_notice, learner, course, TOKEN, course.sessions[0], FRIDAY_NOON),
        _named(mails.removal_notice, learner, course, TOKEN, course.sessions[0]),
        _named(mails.schedule_notice, learner, course, TOKEN, ()),
        _named(mails.run_cancelled, learner, course, TOKEN, course.sessions),
        _named(mails.run_cancelled_for_buyer, buyer, course),
        _named(mails.session_notice_for_buyer, buyer, course, course.sessions[0], FRIDAY_NOON),
        _named(mails.removal_notice_for_buyer, buyer, course, course.sessions[0]),
        _named(mails.schedule_notice_for_buyer, buyer, course),
        _named(mails.session_reminder, learner, course, TOKEN, course.sessions[0]),
        _named(mails.run_message, learner, course, TOKEN, _run_message(texts)),
        _named(mails.recording_notice, learner, course, TOKEN, _recording(texts)),
        _named(waiting_emails.waiting_confirmation, _waiting(texts), _run(texts), TOKEN),
        (
            f"{waiting_emails.__name__}.waiting_confirmation to an address that is not confirmed",
            waiting_emails.waiting_confirmation(
                replace(_waiting(texts), confirmed_at=None), _run(texts), TOKEN
            ),
        ),
        _named(waiting_emails.place_offer, _waiting(texts), _run(texts), TOKEN),
        _named(mails.certificate, learner, course, TOKEN, "CT-7F3K9Q-2M4XWB"),
        _named(mails.move_notice, learner, course, TOKEN, ()),
        _named(mails.move_notice_for_buyer, buyer, course),
        _named(mails.place_ended, learner, course, course.sessions),
        _named(mails.place_ended_for_buyer, buyer, course, texts.name, 2),
    )


def _run_message(texts: Texts) -> MessageRecord:
    return MessageRecord(
        id=1, at=FRIDAY_NOON, author="staff@example.com", subject=texts.title, text=texts.words
    )


def _recording(texts: Texts) -> MaterialRecord:
    return MaterialRecord(
        id=1,
        kind=MaterialKind.RECORDING,
        title=texts.title,
        address="https://video.example.com/1",
        added_at=FRIDAY_NOON,
    )


def _waiting(texts: Texts) -> WaitingRecord:
    return WaitingRecord(
        id=1, reference="WL-7F3K9Q", run_id=1, order_id=None, state=WaitingState.OFFERED, places=1, fullname=texts.name,
        email=texts.email, phone="+254712345678", confirmed_at=FRIDAY_NOON,
        reserved_until=FRIDAY_NOON + timedelta(days=2), version=1, created_at=FRIDAY_NOON,
    )  # fmt: skip


def _run(texts: Texts) -> RunRecord:
    starts_at = FRIDAY_NOON + timedelta(days=4)
    return RunRecord(
        status=RunStatus.OPEN, starts_at=starts_at, ends_at=starts_at + timedelta(hours=2), capacity=None, taken=1,
        enrol_from=None, enrol_until=None, id=1, reference="CR-7F3K9Q", course_slug="google-ads", course_name=texts.title,
        trainer=texts.name, trainer_email=None, room="", price=None, version=1, created_at=FRIDAY_NOON, updated_at=FRIDAY_NOON,
    )  # fmt: skip


def _course(texts: Texts) -> EnrolledCourse:
    run = _run(texts)
    session = SessionRecord(
        id=1, reference="CS-7F3K9Q", sequence=0, starts_at=run.starts_at, minutes=120, topic=texts.words, created_at=FRIDAY_NOON,
        updated_at=FRIDAY_NOON,
    )  # fmt: skip
    return EnrolledCourse("google-ads", texts.title, run, (session,), has_ended=False)


def _issues(texts: Texts, body_id: int | None) -> tuple[tuple[str, Message], ...]:
    mails, issue = newsletter_emails, Issue("IS-7F3K9Q", "prices", texts.title, texts.words)
    subscriber = Subscriber(reference="NL-7F3K9Q", email=texts.email, source="footer", token_seed="seed")
    return (
        _named(mails.confirmation_request, subscriber, ["seo"], TOKEN),
        _named(mails.already_subscribed, subscriber, TOKEN),
        _named(mails.issue_mail, issue, texts.email, "NL-7F3K9Q", TOKEN, body_id),
        _named(mails.issue_test_mail, issue, texts.email, body_id),
    )


def _access(texts: Texts) -> tuple[tuple[str, Message], ...]:
    account = StaffAccount(
        email=texts.email, name=texts.name, role=Role.OWNER, created_at=FRIDAY_NOON, updated_at=FRIDAY_NOON
    )
    link = f"{settings().site_url}/admin/join/{TOKEN}"
    return (
        _named(staff_emails.invitation, account, link, texts.name),
        _named(staff_emails.reset, account, link, texts.name),
        _named(visit_emails.weekly_figures, texts.email, _week(texts)),
    )


def _week(texts: Texts) -> visit_emails.WeeklyFigures:
    monday = FRIDAY_NOON.date() - timedelta(days=11)
    figure = visit_emails.WeeklyFigure(ReportColumn("Visits"), 1_204, 1_100)
    return visit_emails.WeeklyFigures(
        monday, monday + timedelta(days=6), (figure,), (("/services", 220),), ((texts.title, 120),)
    )
