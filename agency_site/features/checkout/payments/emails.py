"""The mails about orders: the enrolment confirmation with its receipt, and notices to staff."""

from collections.abc import Sequence
from dataclasses import replace
from typing import TypeVar

from agency_site.clock import format_moment
from agency_site.content.brand import BRAND
from agency_site.content.mail_texts import MailWords, write_words
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
from agency_site.features.checkout.payments.messages import describe_part, describe_payment, describe_refusal
from agency_site.features.checkout.payments.rules import PAYMENT_STATE_NAMES, RECEIPT_LABELS, Refusal
from agency_site.features.checkout.payments.tables import Payment, PaymentRefund
from agency_site.mail.rules import Attachment, Message
from agency_site.money import kes
from agency_site.places import RunStart
from agency_site.settings import settings

Item = TypeVar("Item")

ASK = "enrolment-asked"

_CONFIRM = "Confirm my place"

_NO_RECEIPT_YET = "Not known yet; you can find it in M-Pesa's message to your phone"

_ASK_FOR_NAMES = (
    "Please tell us who will take the other places. We will e-mail each learner the dates and a personal link. "
    "The first place is yours, unless you name another person for it."
)

NO_LINK = "To see your order, use the link that the site gave you when you ordered."
"""Replaces the button if the link cannot be derived any more."""


def confirm_enrolment(order: Order, payments: Sequence[Payment], run: RunStart | None = None) -> Message:
    """Return the mail to the buyer once the order is paid, with the receipt and a company's invoice as PDF.

    Without payments the order is free. `run` is the course run in which the learners are, if any.
    """
    facts: tuple[tuple[str, str], ...] = ()
    details = "the joining details" if run else "the start date and the joining details"
    closing: tuple[str, ...] = ()
    attachments: tuple[Attachment, ...] = ()
    if not payments:
        words = write_words("enrolment-confirmed-free", course=order.course_name, details=details)
    else:
        balance = sum_payments(order, payments)
        amount = kes(payments[-1].amount)
        words = write_words("enrolment-confirmed", course=order.course_name, amount=amount, details=details)
        # Only mails about paid orders name the company: the address of an unpaid order may belong to a stranger.
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
        words,
        "Your place is booked" if order.quantity == 1 else "Your places are booked",
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
    return tuple((RECEIPT_LABELS[payment.kind], payment.receipt or _NO_RECEIPT_YET) for payment in payments)


def report_part(order: Order, payment: Payment, balance: Balance, refusal: Refusal | None) -> Message:
    """Return the mail to the payer when a part of the price has arrived; `balance` includes it.

    With a `refusal` it says why the rest cannot be paid.
    """
    state = describe_refusal(refusal, balance) if refusal else describe_part(balance)
    rest = (
        "You will be enrolled once the full price has arrived. You can pay the rest on the page of your order, or to our "
        f"{describe_paybill(order.reference)}."
    )
    return _write_to_customer(
        order,
        "payment-part",
        write_words("payment-part", course=order.course_name, amount=kes(payment.amount), balance=state),
        "Part of your payment has arrived",
        *_if_payable(refusal, rest),
        facts=(
            *_list_receipts([payment]),
            ("Paid so far", kes(balance.net)),
            *_if_payable(refusal, ("To pay", kes(balance.due(order.state)))),
        ),
    )


def _if_payable(refusal: Refusal | None, item: Item) -> tuple[Item, ...]:
    return () if refusal else (item,)


def remove_private_link(message: Message) -> Message:
    """Return a confirmation that may be sent to an address other than the order's."""
    return replace(
        message, actions=(), closing=(NO_LINK, *(line for line in message.closing if line != NO_LINK))
    )


def mention_order(order: Order) -> Message:
    """Return the mail to the owner of an order when another client orders the same course with the same e-mail address."""
    return _write_to_customer(
        order,
        "order-exists",
        write_words("order-exists", course=order.course_name),
        "You have an order for this course",
        closing=("If it was not you, please ignore this e-mail.",),
    )


def report_unpaid(order: Order, payment: Payment, balance: Balance, refusal: Refusal | None) -> Message:
    """Return the mail to the payer when an attempt has ended without money.

    With a `refusal` it says why the order cannot be paid any more, in place of how to try again.
    """
    reason = describe_refusal(refusal, balance) if refusal else describe_payment(payment)
    return _write_to_customer(
        order,
        "payment-unpaid",
        write_words("payment-unpaid", course=order.course_name, reason=reason),
        "The payment did not go through",
        *_if_payable(refusal, "You can try again from the page of your order."),
        facts=_if_payable(refusal, ("To pay", kes(balance.due(order.state)))),
    )


def ask_to_confirm(order: Order) -> Message:
    """Return the mail that asks to confirm a free place. The owner of the address may not have requested it."""
    message = _write_to_customer(
        order,
        ASK,
        write_words(ASK, course=order.course_name),
        "Confirm your place",
        closing=("If it was not you, please ignore this e-mail: nothing is booked.",),
    )
    return replace(message, actions=tuple((_CONFIRM, link) for _, link in message.actions))


def invite_to_pay(order: Order, balance: Balance, run: RunStart | None = None) -> Message:
    """Return the mail with the link to an unpaid order, sent by staff, with a company's invoice."""
    invoice: tuple[Attachment, ...] = ()
    if order.company_name:
        pdf = invoice_pdf(build_invoice(order, balance, run))
        invoice = (Attachment(f"invoice-{order.reference}.pdf", pdf, "application/pdf"),)
    return _write_to_customer(
        order,
        "payment-link",
        write_words("payment-link", course=order.course_name, paybill=describe_paybill(order.reference)),
        "You can pay here",
        facts=(("To pay", kes(balance.due(order.state))),),
        closing=("The invoice is attached.",) if invoice else (),
        attachments=invoice,
    )


def report_refund(
    order: Order, payment: Payment, refund: PaymentRefund, credit_note: CreditNoteDetails, places_left: int
) -> Message:
    """Return the mail to the payer about a refund that staff have recorded, with the credit note.

    `places_left` is the number of places that the order still has: staff may have ended some.
    """
    place = _PLACES_AFTER_REFUND.get(order.state) or _describe_places_left(order.quantity, places_left)
    left = payment.amount - payment.refunded
    return _write_to_customer(
        order,
        "payment-refunded",
        _write_refund_words(order, payment, refund),
        "Your refund",
        place,
        facts=(
            ("Refunded", kes(refund.amount)),
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


def _write_refund_words(order: Order, payment: Payment, refund: PaymentRefund) -> MailWords:
    if refund.amount == payment.amount:
        return write_words("payment-refunded", course=order.course_name)
    amount, paid = kes(refund.amount), kes(payment.amount)
    return write_words("payment-refunded-part", course=order.course_name, amount=amount, paid=paid)


_NOT_ENROLLED = "You are not enrolled, because this order is not paid."

_PLACES_AFTER_REFUND = {
    OrderState.REFUNDED: "Your place in the course has been released.",
    OrderState.UNPAID: _NOT_ENROLLED,
    OrderState.AWAITING: _NOT_ENROLLED,
    OrderState.NEEDS_REVIEW: "Another payment of this order is still being checked.",
}


def _describe_places_left(bought: int, left: int) -> str:
    if left == bought:
        return f"You keep your {'place' if bought == 1 else 'places'} in the course."
    if not left:
        return f"Your {'place' if bought == 1 else 'places'} in the course {'has' if bought == 1 else 'have'} been released."
    return f"You keep {left} of your {bought} places in the course."


def notify_of_enrolment(order: Order, payments: Sequence[Payment], run: RunStart | None = None) -> Message:
    """Return the mail to staff about a new enrolment; without payments the order is free."""
    # The buyer has the first place, so only the learners of the others have to be named.
    paid = kes(sum(payment.amount for payment in payments)) if payments else "free"
    receipts = ((RECEIPT_LABELS[payment.kind], _format_receipt(payment)) for payment in payments)
    to_name = (("Learners to name", str(order.quantity - 1)),) if order.quantity > 1 else ()
    starts = (("Starts", f"{format_moment(run.starts_at)}, Nairobi time"),) if run else ()
    money = (*starts, *to_name, ("Paid", paid), *receipts)
    return _write_to_staff(order, "staff-enrolled", "New enrolment", "A learner has enrolled.", money)


def notify_of_review(order: Order, payment: Payment, why: str) -> Message:
    """Return the mail to staff about a payment under review."""
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
    """Return the mail to staff about a paid order for which `surplus` whole shillings more than its price have arrived."""
    return _write_to_staff(
        order,
        "staff-payment-surplus",
        "More paid than the order costs",
        f"The order is paid, and {kes(surplus)} more has arrived than it costs. Please refund it, or close the discrepancy "
        "in the reconciliation report with a note.",
        (("Received", kes(payment.amount)), (RECEIPT_LABELS[payment.kind], _format_receipt(payment))),
    )


def notify_of_cancelled_run(order: Order, paid: str) -> Message:
    """Return the mail to staff about an order that is not paid in full, of a run that was cancelled."""
    return _write_to_staff(
        order,
        "staff-run-cancelled",
        "Money for a cancelled run",
        "The course run of this order was cancelled, and money has arrived for it. Please offer the buyer another run, or "
        "refund the money. The reconciliation report lists it until then.",
        (("Arrived", paid),),
    )


def notify_of_reversal(order: Order, payment: Payment, why: str) -> Message:
    """Return the mail to staff about a refund that M-Pesa has not made, or may not have made."""
    return _write_to_staff(
        order,
        "staff-reversal",
        "Refund to check",
        f"{why} Please check the M-Pesa statement, and record on the order's page what it shows.",
        (
            ("To refund", kes(payment.amount)),
            (RECEIPT_LABELS[payment.kind], _format_receipt(payment)),
        ),
    )


def notify_of_return(order: Order, payment: Payment, receipt: str, amount: int) -> Message:
    """Return the mail to staff about a payment that the payer has had reversed by M-Pesa."""
    return _write_to_staff(
        order,
        "staff-payment-returned",
        "Payment reversed by M-Pesa",
        f"The payer has had {kes(amount)} of this order reversed by M-Pesa, as {receipt}. "
        "The order is still recorded as paid. Please contact the customer, and record the refund on the order's page with Mark "
        "refunded.",
        (
            ("Reversed", kes(amount)),
            ("Receipt of the reversal", receipt),
            ("Paid", kes(payment.amount)),
            (RECEIPT_LABELS[payment.kind], _format_receipt(payment)),
        ),
    )


def notify_of_gateway_problem(why: str) -> Message:
    """Return the mail to staff when M-Pesa rejects our requests for a reason that only they can fix."""
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
    words: MailWords,
    heading: str,
    *paragraphs: str,
    facts: tuple[tuple[str, str], ...] = (),
    closing: tuple[str, ...] = (),
    attachments: tuple[Attachment, ...] = (),
) -> Message:
    token = find_order_token(order)
    questions = f"Questions? Call {BRAND.phone} or reply to this e-mail."
    return Message(
        kind=kind,
        to=order.email,
        to_name=format_name(order),
        about=order.reference,
        subject=words.subject,
        heading=heading,
        paragraphs=(f"Hello {order.first_name},", *words.opening, *paragraphs),
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
