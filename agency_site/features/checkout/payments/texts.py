"""The notices to buyers about payments: the mail, and the text message beside it."""

from collections.abc import Sequence

from agency_site.features.checkout.orders.queries import find_order_token
from agency_site.features.checkout.orders.rules import Balance
from agency_site.features.checkout.orders.tables import Order
from agency_site.features.checkout.payments import emails
from agency_site.features.checkout.payments.rules import Refusal
from agency_site.features.checkout.payments.tables import Payment
from agency_site.mail.rules import Message
from agency_site.money import kes
from agency_site.notices.rules import NoticeKind
from agency_site.notices.usecases import Notice, NoticeText
from agency_site.places import RunStart
from agency_site.settings import settings

_NO_RECEIPT_YET = "in M-Pesa's message"


def enrolment_notice(order: Order, payments: Sequence[Payment], run: RunStart | None) -> Notice:
    """Return the notice once the order is paid. Without payments the order is free, and the notice a mail only."""
    mail = emails.confirm_enrolment(order, payments, run)
    text = _write_text(order, "enrolment-confirmed", payments[-1]) if payments else None
    return Notice(NoticeKind.PAYMENT_RECEIVED, f"enrolment:{order.reference}", mail, text)


def part_notice(order: Order, payment: Payment, balance: Balance, refusal: Refusal | None) -> Notice:
    """Return the notice that a part of the price has arrived, as in `emails.report_part`."""
    left = 0 if refusal else balance.due(order.state)
    text = _write_text(order, "payment-part", payment, balance=kes(left))
    mail = emails.report_part(order, payment, balance, refusal)
    return Notice(NoticeKind.PAYMENT_RECEIVED, f"payment-part:{payment.id}", mail, text)


def unpaid_notice(order: Order, payment: Payment, balance: Balance, refusal: Refusal | None) -> Notice:
    """Return the notice that an attempt has ended without money, as in `emails.report_unpaid`."""
    mail = emails.report_unpaid(order, payment, balance, refusal)
    return Notice(
        NoticeKind.PAYMENT_FAILED, f"payment-unpaid:{payment.id}", mail, _write_text(order, "payment-unpaid")
    )


def link_notice(order: Order, key: str, mail: Message, balance: Balance) -> Notice:
    """Return the notice with the link to pay; `mail` is that of `emails.invite_to_pay`."""
    text = _write_text(order, "payment-link", amount=kes(balance.due(order.state)))
    return Notice(NoticeKind.PAYMENT_LINK, key, mail, text)


def _write_text(order: Order, words: str, payment: Payment | None = None, **values: str) -> NoticeText:
    token = find_order_token(order)
    paid = {"amount": kes(payment.amount), "receipt": payment.receipt or _NO_RECEIPT_YET} if payment else {}
    return NoticeText(
        words=words,
        to=order.phone,
        values={"course": order.course_name, **paid, **values},
        # Without a token the page that says how to reach us: its secret key is no longer configured.
        link=f"{settings().site_url}/order/{token}" if token else f"{settings().site_url}/contact",
        about=order.reference,
        useless_after=None,
    )
