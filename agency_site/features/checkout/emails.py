"""The mails about orders: the enrolment confirmation with its receipt, and notices to staff."""

from dataclasses import replace

from agency_site.content.brand import BRAND
from agency_site.features.checkout.receipt import ReceiptFacts, receipt_pdf
from agency_site.features.checkout.rules import LINK, kes
from agency_site.features.checkout.tables import Order, Payment
from agency_site.mail.rules import Attachment, Message
from agency_site.settings import settings
from agency_site.signing import find_private_token

NO_RECEIPT_YET = "Not stated by M-Pesa yet; you find it in M-Pesa's own message to your phone"

NO_LINK = "To see your order, use the link that the site gave you when you ordered."
"""Instead of a button, where the link cannot be made again."""


def known_token(order: Order) -> str | None:
    """The token of the order's private link, made again; none when its secret key is not among ours any more."""
    return find_private_token(LINK, order.reference, order.token_hash)


def receipt_facts(order: Order, payment: Payment) -> ReceiptFacts:
    """What the receipt of a paid order states. The payment must be settled."""
    assert payment.settled_at is not None
    return ReceiptFacts(
        reference=order.reference,
        name=_name(order),
        email=order.email,
        course=order.course_name,
        quantity=order.quantity,
        unit_price=order.unit_price,
        amount=order.amount,
        receipt=payment.receipt or "",
        paid_at=payment.settled_at,
    )


def enrolled(order: Order, payment: Payment) -> Message:
    """To the student, once the order is paid; carries the PDF receipt."""
    pdf = Attachment(
        f"receipt-{order.reference}.pdf", receipt_pdf(receipt_facts(order, payment)), "application/pdf"
    )
    return Message(
        kind="enrolment-confirmed",
        to=order.email,
        to_name=_name(order),
        about=order.reference,
        subject=f"You are enrolled: {order.course_name}",
        heading="Your place is booked",
        paragraphs=(
            f"Hello {order.first_name},",
            f"your payment of {kes(order.amount)} has arrived, and you are enrolled in {order.course_name}. "
            "We will write to you with the start date and how to join.",
        ),
        facts=(
            ("Reference", order.reference),
            *_course(order),
            ("Paid", kes(order.amount)),
            ("M-Pesa receipt", payment.receipt or NO_RECEIPT_YET),
        ),
        actions=_order_page(order),
        closing=("The receipt is attached.", *_ways_on(order)),
        attachments=(pdf,),
    )


def enrolled_free(order: Order) -> Message:
    """To the student of a course that costs nothing."""
    return Message(
        kind="enrolment-confirmed",
        to=order.email,
        to_name=_name(order),
        about=order.reference,
        subject=f"You are enrolled: {order.course_name}",
        heading="Your place is booked",
        paragraphs=(
            f"Hello {order.first_name},",
            f"you are enrolled in {order.course_name}. It is free: there is nothing to pay. "
            "We will write to you with the start date and how to join.",
        ),
        facts=(("Reference", order.reference), *_course(order)),
        actions=_order_page(order),
        closing=_ways_on(order),
    )


def without_private_link(message: Message) -> Message:
    """A confirmation for an address that is not the order's."""
    return replace(
        message, actions=(), closing=(NO_LINK, *(one for one in message.closing if one != NO_LINK))
    )


def order_exists(order: Order) -> Message:
    """To the owner of an order, when somebody else orders the same course with the same e-mail address."""
    return Message(
        kind="order-exists",
        to=order.email,
        to_name=_name(order),
        about=order.reference,
        subject=f"Your order for {order.course_name}",
        heading="You have an order for this course",
        paragraphs=(
            f"Hello {order.first_name},",
            f"somebody, probably you, has just tried to order {order.course_name} with this e-mail address once more. "
            "Nothing was charged, because your earlier order is paid or waits for M-Pesa. "
            "Its page shows the state, and from there you can place another order for the course.",
        ),
        facts=(("Reference", order.reference), *_course(order)),
        actions=_order_page(order),
        closing=("If it was not you, there is nothing to do.", *_ways_on(order)),
    )


def unpaid(order: Order, reason: str) -> Message:
    """To the payer, when an attempt to pay has ended without money; `reason` says why and what to do."""
    return Message(
        kind="payment-unpaid",
        to=order.email,
        to_name=_name(order),
        about=order.reference,
        subject=f"Not paid yet: {order.course_name}",
        heading="The payment did not go through",
        paragraphs=(f"Hello {order.first_name},", reason, "You can try again from the page of your order."),
        facts=(("Reference", order.reference), *_course(order), ("To pay", kes(order.amount))),
        actions=_order_page(order),
        closing=_ways_on(order),
    )


def staff_enrolled(order: Order, payment: Payment | None) -> Message:
    """To staff, once somebody is enrolled."""
    money = (
        (("Paid", kes(order.amount)), ("M-Pesa receipt", _receipt(payment)))
        if payment
        else (("Paid", "free"),)
    )
    return _to_staff(order, "staff-enrolled", "New enrolment", "A learner has enrolled.", money)


def staff_review(order: Order, payment: Payment, why: str) -> Message:
    """To staff, when money may have moved but not as agreed."""
    return _to_staff(
        order,
        "staff-payment-review",
        "Payment needs review",
        f"{why} Please compare the payment with the M-Pesa statement and record a decision.",
        (
            ("Requested", kes(payment.amount)),
            ("M-Pesa receipt", _receipt(payment)),
            ("State", payment.state.value),
        ),
    )


def staff_gateway(why: str) -> Message:
    """To staff, when M-Pesa refuses us for a reason that only they can mend."""
    return Message(
        kind="staff-gateway",
        to=_desk(),
        subject="M-Pesa rejects payment requests",
        heading="M-Pesa rejects payment requests",
        paragraphs=(
            "Visitors cannot pay at the moment. M-Pesa responds:",
            why,
            "Please check shortcode, passkey, key and secret in the settings. This notice is sent at most once a day.",
        ),
    )


def _order_page(order: Order) -> tuple[tuple[str, str], ...]:
    token = known_token(order)
    return (("See your order", f"{settings().site_url}/order/{token}"),) if token else ()


def _ways_on(order: Order) -> tuple[str, ...]:
    questions = f"Questions? Call {BRAND.phone} or answer this e-mail."
    return (questions,) if known_token(order) else (NO_LINK, questions)


def _to_staff(order: Order, kind: str, what: str, text: str, further: tuple[tuple[str, str], ...]) -> Message:
    return Message(
        kind=kind,
        to=_desk(),
        subject=f"{what}: {order.reference}, {order.course_name}",
        heading=what,
        paragraphs=(text,),
        facts=(
            ("Reference", order.reference),
            *_course(order),
            *further,
            ("Name", _name(order)),
            ("E-mail", order.email),
            ("Phone", order.phone),
        ),
        reply_to=order.email,
        about=order.reference,
    )


def _course(order: Order) -> tuple[tuple[str, str], ...]:
    places = (("Places", str(order.quantity)),) if order.quantity > 1 else ()
    return (("Course", order.course_name), *places)


def _receipt(payment: Payment | None) -> str:
    return (payment.receipt if payment else None) or "not stated"


def _name(order: Order) -> str:
    return f"{order.first_name} {order.last_name}"


def _desk() -> str:
    return settings().mail_staff or BRAND.staff_email
