"""The mails about orders: the enrolment confirmation with its receipt, and notices to staff."""

from collections.abc import Sequence
from dataclasses import replace

from agency_site.clock import format_moment
from agency_site.content.brand import BRAND
from agency_site.features.checkout.documents.facts import CreditNoteDetails
from agency_site.features.checkout.documents.rendering import credit_note_pdf, invoice_pdf, receipt_pdf
from agency_site.features.checkout.orders.queries import find_order_token, format_name
from agency_site.features.checkout.orders.rules import Balance, OrderState
from agency_site.features.checkout.orders.tables import Order
from agency_site.features.checkout.payments.documents import (
    build_invoice,
    build_receipt,
    describe_paybill,
    sum_payments,
)
from agency_site.features.checkout.payments.messages import describe_part
from agency_site.features.checkout.payments.rules import PAYMENT_STATE_NAMES, RECEIPT_LABELS
from agency_site.features.checkout.payments.tables import Payment, PaymentRefund
from agency_site.mail.rules import Attachment, Message
from agency_site.money import kes
from agency_site.places import RunStart
from agency_site.settings import settings

ASK = "enrolment-asked"

_CONFIRM = "Confirm my place"

_NO_RECEIPT_YET = "Not stated by M-Pesa yet; you find it in M-Pesa's own message to your phone"

_ASK_FOR_NAMES = (
    "Please tell us who takes the other places: each learner gets the dates and a link of their own by e-mail. "
    "You take the first place, unless you name another person for it."
)

NO_LINK = "To see your order, use the link that the site gave you when you ordered."
"""Instead of a button, where the link cannot be derived again."""


def confirm_enrolment(order: Order, payments: Sequence[Payment], run: RunStart | None = None) -> Message:
    """To the learner, once the order is paid, with the PDF receipt and the invoice of a company; without payments it is free.

    `run` is the course run in which the learners are, if any.
    """
    facts: tuple[tuple[str, str], ...] = ()
    announced = "how to join" if run else "the start date and how to join"
    closing: tuple[str, ...] = ()
    attachments: tuple[Attachment, ...] = ()
    if not payments:
        opening = f"you are enrolled in {order.course_name}. There is nothing to pay. "
    else:
        balance = sum_payments(order, payments)
        opening = f"your payment of {kes(payments[-1].amount)} has arrived, and you are enrolled in {order.course_name}. "
        # An unpaid order's mails do not name the company: their address may be a stranger's.
        facts = (*_list_company(order), ("Paid", kes(balance.received)), *_list_receipts(payments))
        closing = ("The receipt is attached.",)
        pdf = receipt_pdf(build_receipt(order, payments, run))
        attachments = (Attachment(f"receipt-{order.reference}.pdf", pdf, "application/pdf"),)
        if order.company_name:
            closing = ("The receipt and the invoice are attached.",)
            invoice = invoice_pdf(build_invoice(order, balance, run))
            attachments += (Attachment(f"invoice-{order.reference}.pdf", invoice, "application/pdf"),)
    message = _write_to_customer(
        order,
        "enrolment-confirmed",
        f"You are enrolled: {order.course_name}",
        "Your place is booked" if order.quantity == 1 else "Your places are booked",
        opening + f"We will write to you with {announced}.",
        *((_ASK_FOR_NAMES,) if order.quantity > 1 else ()),
        facts=(*_list_run(run), *facts),
        closing=closing,
        attachments=attachments,
    )
    token = find_order_token(order)
    if order.quantity == 1 or token is None:
        return message
    name_learners = ("Name the learners", f"{settings().site_url}/order/{token}/learners")
    return replace(message, actions=(name_learners, *message.actions))


def _list_receipts(payments: Sequence[Payment]) -> tuple[tuple[str, str], ...]:
    return tuple((RECEIPT_LABELS[one.kind], one.receipt or _NO_RECEIPT_YET) for one in payments)


def report_part(order: Order, payment: Payment, balance: Balance) -> Message:
    """To the payer, when a part of the price has arrived; `balance` includes it."""
    left = kes(balance.due(order.state))
    return _write_to_customer(
        order,
        "payment-part",
        f"A part of your payment has arrived: {order.course_name}",
        "A part of your payment has arrived",
        f"{kes(payment.amount)} has arrived for {order.course_name}. {describe_part(balance)}",
        "You are enrolled once all of it has arrived. You can pay the rest from the page of your order, or to our "
        f"{describe_paybill(order.reference)}.",
        facts=(*_list_receipts([payment]), ("Paid so far", kes(balance.kept)), ("To pay", left)),
    )


def remove_private_link(message: Message) -> Message:
    """A confirmation for an address that is not the order's."""
    return replace(
        message, actions=(), closing=(NO_LINK, *(one for one in message.closing if one != NO_LINK))
    )


def mention_order(order: Order) -> Message:
    """To the owner of an order, when somebody else orders the same course with the same e-mail address."""
    return _write_to_customer(
        order,
        "order-exists",
        f"Your order for {order.course_name}",
        "You have an order for this course",
        f"somebody, probably you, has just tried to order {order.course_name} with this e-mail address once more. "
        "Nothing was charged, because your earlier order is paid or waits for M-Pesa. "
        "Its page shows the state, and from there you can place another order for the course.",
        closing=("If it was not you, there is nothing to do.",),
    )


def report_unpaid(order: Order, reason: str, due: int) -> Message:
    """To the payer, when an attempt to pay has ended without money; `reason` says why and what to do, `due` is to be paid."""
    return _write_to_customer(
        order,
        "payment-unpaid",
        f"Not paid yet: {order.course_name}",
        "The payment did not go through",
        reason,
        "You can try again from the page of your order.",
        facts=(("To pay", kes(due)),),
    )


def ask_to_confirm(order: Order) -> Message:
    """To the address that was typed for a free course: the link that takes the place. Its owner may know nothing of it."""
    message = _write_to_customer(
        order,
        ASK,
        f"Confirm your place: {order.course_name}",
        "Confirm your place",
        f"we have been asked, probably by you, for a place in {order.course_name}. It is free. "
        "Open the page and confirm it there: you are enrolled then.",
        closing=("If it was not you, there is nothing to do: nothing is booked.",),
    )
    return replace(message, actions=tuple((_CONFIRM, link) for _, link in message.actions))


def invite_to_pay(order: Order, balance: Balance, run: RunStart | None = None) -> Message:
    """To the owner of an unpaid order, when staff send the link to its page, with the invoice of a company."""
    invoice: tuple[Attachment, ...] = ()
    if order.company_name:
        pdf = invoice_pdf(build_invoice(order, balance, run))
        invoice = (Attachment(f"invoice-{order.reference}.pdf", pdf, "application/pdf"),)
    return _write_to_customer(
        order,
        "payment-link",
        f"Your order for {order.course_name}",
        "You can pay here",
        f"you can pay for {order.course_name} with M-Pesa on the page of your order. "
        "Open it and enter the number that pays; your phone then asks for your PIN. "
        f"You can also pay to our {describe_paybill(order.reference)}.",
        facts=(("To pay", kes(balance.due(order.state))),),
        closing=("The invoice is attached.",) if invoice else (),
        attachments=invoice,
    )


def report_refund(
    order: Order, payment: Payment, refund: PaymentRefund, credit_note: CreditNoteDetails, places_left: int
) -> Message:
    """To the payer, once staff have recorded that a payment, or a part of it, was returned, with the credit note.

    `places_left` are those that the order still has: staff may have ended some.
    """
    whole = refund.amount == payment.amount
    returned = "your payment" if whole else f"{kes(refund.amount)} of your payment of {kes(payment.amount)}"
    place = _PLACES_AFTER_REFUND.get(order.state) or _describe_places_left(order.quantity, places_left)
    left = payment.amount - payment.refunded
    return _write_to_customer(
        order,
        "payment-refunded",
        f"{'Payment' if whole else 'Part of your payment'} given back: {order.course_name}",
        "We have given money back",
        f"we have given back {returned} for {order.course_name}.",
        place,
        facts=(
            ("Given back", kes(refund.amount)),
            ("Reference", refund.reference),
            *((("Still paid", kes(left)),) if left else ()),
        ),
        closing=(
            "The credit note is attached.",
            "If the money has not reached you within a few days, please tell us.",
        ),
        attachments=(
            Attachment(
                f"credit-note-{credit_note.number}.pdf", credit_note_pdf(credit_note), "application/pdf"
            ),
        ),
    )


_NOT_ENROLLED = "You are not enrolled with this order: it is not paid."

_PLACES_AFTER_REFUND = {
    OrderState.REFUNDED: "Your place in the course has been released.",
    OrderState.UNPAID: _NOT_ENROLLED,
    OrderState.AWAITING: _NOT_ENROLLED,
    OrderState.NEEDS_REVIEW: "Another payment of this order is still being checked.",
}


def _describe_places_left(bought: int, left: int) -> str:
    if left == bought:
        return f"Your {'place' if bought == 1 else 'places'} in the course {'stays' if bought == 1 else 'stay'} yours."
    if not left:
        return f"Your {'place' if bought == 1 else 'places'} in the course {'has' if bought == 1 else 'have'} been released."
    return f"{left} of your {bought} places in the course {'stays' if left == 1 else 'stay'} yours."


def notify_of_enrolment(order: Order, payments: Sequence[Payment], run: RunStart | None = None) -> Message:
    """To staff, once a learner is enrolled; without payments the order is free. The buyer has the first place, so only the others
    are to be named."""
    paid = kes(sum(one.amount for one in payments)) if payments else "free"
    receipts = ((RECEIPT_LABELS[one.kind], _format_receipt(one)) for one in payments)
    to_name = (("Learners to name", str(order.quantity - 1)),) if order.quantity > 1 else ()
    starts = (("Starts", f"{format_moment(run.starts_at)}, Nairobi time"),) if run else ()
    money = (*starts, *to_name, ("Paid", paid), *receipts)
    return _write_to_staff(order, "staff-enrolled", "New enrolment", "A learner has enrolled.", money)


def notify_of_review(order: Order, payment: Payment, why: str) -> Message:
    """To staff, when money may have moved but not as agreed."""
    return _write_to_staff(
        order,
        "staff-payment-review",
        "Payment needs review",
        f"{why} Please compare the payment with the M-Pesa statement and record a decision.",
        (
            ("Requested", kes(payment.amount)),
            (RECEIPT_LABELS[payment.kind], _format_receipt(payment)),
            ("State", PAYMENT_STATE_NAMES[payment.state]),
        ),
    )


def notify_of_surplus(order: Order, payment: Payment, surplus: int) -> Message:
    """To staff, when an order is paid and more has come than it costs: `surplus` whole shillings."""
    return _write_to_staff(
        order,
        "staff-payment-surplus",
        "More paid than the order costs",
        f"The order is paid, and {kes(surplus)} more has come than it costs. Please return it, or close the discrepancy "
        "in the reconciliation report with a note.",
        (("Received", kes(payment.amount)), (RECEIPT_LABELS[payment.kind], _format_receipt(payment))),
    )


def notify_of_reversal(order: Order, payment: Payment, why: str) -> Message:
    """To staff, when M-Pesa has not returned a payment as it was asked to, or nobody knows whether it has."""
    return _write_to_staff(
        order,
        "staff-reversal",
        "Return of a payment",
        f"{why} Please look at the M-Pesa statement, and record on the order's page what it shows.",
        (
            ("To return", kes(payment.amount)),
            (RECEIPT_LABELS[payment.kind], _format_receipt(payment)),
        ),
    )


def notify_of_return(order: Order, payment: Payment, receipt: str, amount: int) -> Message:
    """To staff, when M-Pesa has returned a payment to its payer without a request of theirs."""
    return _write_to_staff(
        order,
        "staff-payment-returned",
        "Payment returned by M-Pesa",
        f"M-Pesa has returned {kes(amount)} of this order to the payer, as {receipt}: the payer has had the payment reversed. "
        "The order is still recorded as paid. Please talk to the customer, and record the return on the order's page with Mark "
        "refunded.",
        (
            ("Returned", kes(amount)),
            ("Receipt of the return", receipt),
            ("Paid", kes(payment.amount)),
            (RECEIPT_LABELS[payment.kind], _format_receipt(payment)),
        ),
    )


def notify_of_gateway_problem(why: str) -> Message:
    """To staff, when M-Pesa rejects our requests for a reason that only they can fix."""
    return Message(
        kind="staff-gateway",
        to=_find_staff_address(),
        subject="M-Pesa rejects payment requests",
        heading="M-Pesa rejects payment requests",
        paragraphs=(
            "Visitors cannot pay at the moment. M-Pesa responds:",
            why,
            "Please check shortcode, passkey, key and secret in the settings. This notice is sent at most once a day.",
        ),
    )


def _write_to_customer(
    order: Order,
    kind: str,
    subject: str,
    heading: str,
    *paragraphs: str,
    facts: tuple[tuple[str, str], ...] = (),
    closing: tuple[str, ...] = (),
    attachments: tuple[Attachment, ...] = (),
) -> Message:
    token = find_order_token(order)
    questions = f"Questions? Call {BRAND.phone} or answer this e-mail."
    return Message(
        kind=kind,
        to=order.email,
        to_name=format_name(order),
        about=order.reference,
        subject=subject,
        heading=heading,
        paragraphs=(f"Hello {order.first_name},", *paragraphs),
        facts=(*_list_order(order), *facts),
        actions=(("See your order", f"{settings().site_url}/order/{token}"),) if token else (),
        closing=(*closing, questions) if token else (*closing, NO_LINK, questions),
        attachments=attachments,
    )


def _write_to_staff(
    order: Order, kind: str, title: str, text: str, facts: tuple[tuple[str, str], ...]
) -> Message:
    contact = (("Name", format_name(order)), ("E-mail", order.email), ("Phone", order.phone))
    run = (("Course run", order.run_reference),) if order.run_reference else ()
    return Message(
        kind=kind,
        to=_find_staff_address(),
        subject=f"{title}: {order.reference}, {order.course_name}",
        heading=title,
        paragraphs=(text,),
        facts=(*_list_order(order), *run, *_list_company(order), *facts, *contact),
        actions=(("Open in the back office", f"{settings().site_url}/admin/order?ref={order.reference}"),),
        reply_to=order.email,
        about=order.reference,
    )


def _list_order(order: Order) -> tuple[tuple[str, str], ...]:
    places = (("Places", str(order.quantity)),) if order.quantity > 1 else ()
    coupon = ((f"Coupon {order.coupon_code}", f"less {kes(order.discount)}"),) if order.discount else ()
    return (("Reference", order.reference), ("Course", order.course_name), *places, *coupon)


def _list_company(order: Order) -> tuple[tuple[str, str], ...]:
    return (("Company", order.company_name), ("KRA PIN", order.company_pin)) if order.company_name else ()


def _list_run(run: RunStart | None) -> tuple[tuple[str, str], ...]:
    if run is None:
        return ()
    return (("Course run", run.reference), ("Starts", f"{format_moment(run.starts_at)}, Nairobi time"))


def _format_receipt(payment: Payment | None) -> str:
    return (payment.receipt if payment else None) or "not stated"


def _find_staff_address() -> str:
    return settings().mail_staff or BRAND.staff_email
