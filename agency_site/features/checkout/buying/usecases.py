"""Use cases of visitors: pay for a course, try again, enrol in a free course.

An order and its payment are stored before the prompt is sent. No transaction is open while M-Pesa is called; its answer is
stored afterwards. However often the same request arrives, the database allows one order and one open payment for it.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from typing import TypeVar

from sqlmodel import select
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.client_address import wide_network
from agency_site.clock import now
from agency_site.content.published import require_published
from agency_site.db.deduplication import wait_for_turn
from agency_site.db.outages import is_outage, retry_transaction
from agency_site.errors import Conflict, FieldError, InputRejected
from agency_site.features.checkout.buying.idempotency import RequestKey, find_payment_of_key, store_key
from agency_site.features.checkout.buying.orders import (
    OpenPayment,
    OrderDraft,
    find_or_create_order,
    find_or_create_payment,
    is_unconfirmed,
)
from agency_site.features.checkout.buying.unpaid_places import require_few_places
from agency_site.features.checkout.coupons.rules import CouponUsedUp
from agency_site.features.checkout.coupons.usecases import CouponOffer, find_coupon, keep_use
from agency_site.features.checkout.orders.queries import (
    build_order_search,
    find_order_id,
    find_order_row,
    find_order_token,
    lock_order,
)
from agency_site.features.checkout.orders.request import (
    CheckoutRequest,
    Company,
    Enrollee,
    parse_contact_phone,
)
from agency_site.features.checkout.orders.rules import (
    SETTLED_ORDERS,
    OrderExists,
    OrderState,
    RunFull,
    parse_payer_phone,
    refuse_closed,
)
from agency_site.features.checkout.orders.tables import Order
from agency_site.features.checkout.payments import emails
from agency_site.features.checkout.payments.claims import is_replaced, list_with_claim, make_present_order
from agency_site.features.checkout.payments.documents import can_add_company
from agency_site.features.checkout.payments.messages import FREE_TEXT, describe_payment, explain_refusal
from agency_site.features.checkout.payments.prompts import UNANSWERED, send_prompt, wait_for_answer
from agency_site.features.checkout.payments.queries import (
    describe_sale,
    find_counting_payment,
    find_newest_prompt,
    read_payment,
)
from agency_site.features.checkout.payments.rules import (
    UNPAID_ENDS,
    PaymentFailed,
    PaymentNotStored,
    PaymentState,
    PaymentUncertain,
    PaymentUnread,
    Refusal,
)
from agency_site.features.checkout.payments.settlement import enrol
from agency_site.features.checkout.payments.transitions import (
    VISITOR,
    Scope,
    give_up_places,
    record_event,
    transition_order,
)
from agency_site.mail.confirmed_addresses import confirm_address
from agency_site.mail.usecases import can_mail_recipient, enqueue_unless_repeated
from agency_site.mpesa.contract import Gateway
from agency_site.places import Offer, places
from agency_site.settings import settings
from agency_site.sms.usecases import give_consent

Result = TypeVar("Result")

STARTED = "STK Push initiated successfully"
"""The text of the specification if M-Pesa sends none (section 8)."""


_LINK_PAUSE = timedelta(hours=1)
"""The pause between two mails with the link of one order: repeated orders must not flood the buyer's mailbox."""


@dataclass(frozen=True)
class StartedPayment:
    """A payment whose prompt M-Pesa has accepted: new, or the one that the same request created before."""

    reference: str
    token: str
    """Opens the private order page; empty if it cannot be derived because the secret key has changed since."""
    amount: int
    state: PaymentState
    customer_message: str
    merchant_request_id: str
    checkout_request_id: str


async def start_payment(
    scope: Scope,
    gateway: Gateway,
    request: CheckoutRequest,
    *,
    contact: str = "",
    client: str = "",
    place: str = "",
    key: RequestKey | None = None,
    address: str = "",
) -> StartedPayment:
    """Send the prompt for a course. The same request from the same client returns the same payment.

    `contact` is the buyer's own number in E.164 if another phone pays, `client` the secret of the tab or HTTP client,
    `place` the token of a place that a waiting list keeps, `address` the client's IP address.
    A request with a `key` that was used before sends nothing and returns the order of that key as it is.
    Raises InputRejected for invalid input, OrderExists if an earlier order must be named, RunFull, CouponUsedUp,
    Conflict if a prompt may be open on another phone, TooManyPrompts, PaymentFailed if certainly no prompt was sent, and
    PaymentUncertain if one may have been sent.
    """
    draft = await _draft_unless_repeated(
        scope, request, contact=contact, client=client, place=place, key=key, address=address
    )
    if isinstance(draft, OpenPayment):
        return await complete_payment(scope, gateway, draft)
    if not draft.amount:
        order = await place_order(scope, draft)
        token = find_order_token(order) or ""
        return StartedPayment(order.reference, token, 0, PaymentState.PAID, FREE_TEXT, "", "")
    return await complete_payment(scope, gateway, await open_payment(scope, draft, key))


async def _draft_unless_repeated(
    scope: Scope,
    request: CheckoutRequest,
    *,
    contact: str,
    client: str,
    place: str,
    key: RequestKey | None,
    address: str,
) -> OrderDraft | OpenPayment:
    """Return the draft of a request, or the payment of an earlier request with the same key."""
    if key:
        # Before the draft, which fails if the course, its price, the run or the coupon has changed: a repeat must not.
        repeated = await _open(scope, partial(_find_repeated, key=key))
        if repeated:
            return repeated
    return await draft_order(scope, request, contact=contact, client=client, place=place, address=address)


async def draft_order(
    scope: Scope,
    request: CheckoutRequest,
    *,
    contact: str = "",
    client: str = "",
    place: str = "",
    address: str = "",
    actor: str = VISITOR,
    coupon: CouponOffer | None = None,
    state: OrderState = OrderState.AWAITING,
) -> OrderDraft:
    """Return the draft of a request at the price of the list. `coupon` is a discount by staff, `state` that of the draft.

    Raises InputRejected for invalid input, and for `phone` if there is something to pay and M-Pesa cannot prompt that phone.
    """
    require_published()
    await _require_open(scope, request, place)
    # Most courses have no run to choose, and need no transaction for it.
    offer = await _open(scope, lambda session: find_offer(session, request)) if request.run else None
    if request.coupon:
        coupon = await _open(scope, lambda session: _find_coupon(session, request))
    quote = request.quote(settings().mpesa_maximum_amount, offer, coupon.discount if coupon else None)
    if actor == VISITOR and not place:
        require_few_places(quote.quantity, request.run)
    payer = request.payer() if quote.amount and state is OrderState.AWAITING else ""
    return OrderDraft(
        enrollee=request,
        course=quote.course,
        quantity=quote.quantity,
        contact=contact or (f"+{payer}" if payer else parse_contact_phone(request.phone)),
        payer=payer,
        client=client,
        offer=offer,
        coupon=coupon,
        company=request.checked(),
        actor=actor,
        place=place,
        state=state,
        network=wide_network(address),
    )


async def _require_open(scope: Scope, enrollee: Enrollee, place: str) -> None:
    """Raise InputRejected if the course takes no new learners. A place that a waiting list keeps can still be ordered."""
    course = enrollee.course()
    if course.is_open:
        return
    kept_place = (
        await _open(scope, lambda session: places().find_kept_place(session, place)) if place else None
    )
    if kept_place is None or (kept_place.course_slug, kept_place.run) != (course.slug, enrollee.run):
        raise refuse_closed(course)


async def open_payment(scope: Scope, draft: OrderDraft, key: RequestKey | None = None) -> OpenPayment:
    """Store the order and its payment, or find them. `complete_payment` then sends the prompt. Raises as `start_payment`."""
    return await _open_unless_exists(scope, draft, partial(_open_payment, draft=draft, key=key))


async def place_order(
    scope: Scope, draft: OrderDraft, then: Callable[[AsyncSession, Order], Awaitable[object]] | None = None
) -> Order:
    """Store an order without sending a prompt, or find it. An order that costs nothing is enrolled at once.

    Its places are kept for a limited time, as after a failed payment. `then` runs in the same transaction.
    Raises OrderExists if an earlier order must be named, RunFull, and CouponUsedUp.
    """

    async def work(session: AsyncSession) -> Order:
        order, new = await find_or_create_order(session, draft)
        await _use_choices(session, draft, order)
        if new:
            await _keep_places(session, order)
        if then:
            await then(session, order)
        return order

    return await _open_unless_exists(scope, draft, work)


async def _keep_places(session: AsyncSession, order: Order) -> None:
    if not await places().reserve_places(session, describe_sale(order)):
        raise RunFull
    if not await keep_use(session, order):
        raise CouponUsedUp
    if order.state is OrderState.FREE:
        await enrol(session, order, None)
    else:
        await give_up_places(session, order)


async def _open_unless_exists(
    scope: Scope, draft: OrderDraft, work: Callable[[AsyncSession], Awaitable[Result]]
) -> Result:
    try:
        return await _open(scope, work)
    except OrderExists as exists:
        await _mail_link(scope, draft, exists)
        raise


async def find_offer(session: AsyncSession, enrollee: Enrollee) -> Offer | None:
    """Return the chosen course run, or None. Raises InputRejected for `run` if it does not accept learners."""
    if not enrollee.run:
        return None
    return await places().find_offer(session, enrollee.course().slug, enrollee.run)


async def _find_coupon(session: AsyncSession, request: CheckoutRequest) -> CouponOffer:
    return await find_coupon(session, request.coupon, request.course().slug, request.run, request.email)


async def _open(scope: Scope, work: Callable[[AsyncSession], Awaitable[Result]]) -> Result:
    try:
        return await retry_transaction(scope, work)
    except Exception as error:
        if is_outage(error):
            raise PaymentNotStored from error
        raise


async def _find_repeated(session: AsyncSession, key: RequestKey) -> OpenPayment | None:
    """Return the payment of an earlier request with this key, or the one that counts for its order now."""
    payment_id = await find_payment_of_key(session, key)
    if payment_id is None:
        return None
    order, payment = await read_payment(session, payment_id)
    return OpenPayment(order, await find_counting_payment(session, order) or payment, new=False)


async def _open_payment(session: AsyncSession, draft: OrderDraft, key: RequestKey | None) -> OpenPayment:
    if key:
        await wait_for_turn(session, f"key:{key.route}:{key.key}")
        if repeated := await _find_repeated(session, key):
            return repeated
    order, new = await find_or_create_order(session, draft)
    await _use_choices(session, draft, order)
    newest = None if new else await find_newest_prompt(session, order)
    opened = await find_or_create_payment(session, order, newest, draft.payer, draft.actor)
    if key:
        assert opened.payment.id is not None
        await store_key(session, key, opened.payment.id)
    return opened


async def _use_choices(session: AsyncSession, draft: OrderDraft, order: Order) -> None:
    """Use the place that a waiting list keeps, and store the consent to reminders."""
    if draft.place:
        await places().use_kept_place(session, draft.place, describe_sale(order))
    if draft.enrollee.sms_reminders:
        await give_consent(session, order.phone)


async def _mail_link(scope: Scope, draft: OrderDraft, exists: OrderExists) -> None:
    """Send the link of the existing order to its own address, unless the client has the link already."""
    if exists.reference:
        return
    async with scope() as session:
        order = (await session.exec(select(Order).where(Order.open_key == draft.open_key))).one_or_none()
        if order is not None and order.email:
            key = f"order-exists:{order.reference}"
            await enqueue_unless_repeated(session, emails.mention_order(order), key=key, window=_LINK_PAUSE)


async def retry_payment(scope: Scope, gateway: Gateway, token: str, payer: str = "") -> StartedPayment:
    """Try to pay an order again from its private page. `payer` is a new phone in twelve digits, or empty.

    While an earlier prompt may be open on the same phone, its payment is returned and nothing is sent. Raises NotFound
    for an unknown token, Conflict if the order is paid or under review, and the errors of `start_payment`.
    """

    async def open_retry(session: AsyncSession) -> OpenPayment:
        return await _open_retry(session, await find_order_id(session, token), payer, VISITOR)

    opened = await _open(scope, open_retry)
    return await complete_payment(scope, gateway, opened)


async def prompt_again(
    scope: Scope, gateway: Gateway, reference: str, payer: str, actor: str
) -> StartedPayment:
    """Send another prompt for staff, by the order's reference. Raises Conflict while a prompt may be open on that phone."""

    async def open_retry(session: AsyncSession) -> OpenPayment:
        order = await find_order_row(session, reference)
        assert order.id is not None
        return await _open_retry(session, order.id, payer, actor)

    opened = await _open(scope, open_retry)
    if not opened.new:
        raise Conflict(
            "A prompt may still be open on this phone, or its result is not known yet. Nothing was sent."
        )
    return await complete_payment(scope, gateway, opened)


async def _open_retry(session: AsyncSession, order_id: int, payer: str, actor: str) -> OpenPayment:
    order = await lock_order(session, order_id)
    newest = await find_newest_prompt(session, order)
    if order.state in SETTLED_ORDERS or is_unconfirmed(order):
        raise explain_refusal(Refusal.SETTLED)
    if order.state is OrderState.NEEDS_REVIEW:
        raise explain_refusal(Refusal.UNDER_REVIEW)
    await _make_present_order(session, order)
    phone = payer or (newest.phone if newest else parse_payer_phone(order.phone))
    return await find_or_create_payment(session, order, newest, phone, actor)


async def _make_present_order(session: AsyncSession, order: Order) -> None:
    """Make the order the person's present one. Raises Conflict if its buyer is erased, or another order has a claim."""
    if not order.email:
        raise explain_refusal(Refusal.ERASED)
    await make_present_order(session, order, list_with_claim)
    if await is_replaced(session, order):
        raise explain_refusal(Refusal.REPLACED)


async def add_company(session: AsyncSession, token: str, company: Company) -> None:
    """Store the company that pays for the order of a private link.

    Raises NotFound, InputRejected if its name or PIN is missing, and Conflict if the order has a company or nothing to invoice.
    """
    order = await lock_order(session, await find_order_id(session, token))
    if not company.checked().company_name:
        message = "Please enter the company's name."
        raise InputRejected(message, (FieldError("companyName", message),))
    if not can_add_company(order):
        raise Conflict("To change the company on this invoice, please call us.")
    order.company_name, order.company_pin = company.company_name, company.company_pin
    order.search, order.updated_at = build_order_search(order), now()
    session.add(order)
    record_event(session, order, None, VISITOR, "company added")
    await session.flush()


async def request_free_place(scope: Scope, enrollee: Enrollee, *, client: str = "", place: str = "") -> None:
    """Store an order for a course that costs nothing and mail its link; `confirm_free_place` enrols.

    `client` and `place` are those of `start_payment`. The response is the same for every e-mail address: only its mailbox
    learns whether an order exists. Raises InputRejected if the course is not free, and OrderExists if this client has
    ordered it before.
    """
    require_published()
    course = enrollee.course()
    if not course.free:
        reason = "This course has a price; please pay for it with M-Pesa."
        raise InputRejected(reason, (FieldError("courseName", reason),))
    await _require_open(scope, enrollee, place)
    contact = parse_contact_phone(enrollee.phone)
    offer = await _open(scope, lambda session: find_offer(session, enrollee)) if enrollee.run else None
    draft = OrderDraft(
        enrollee=enrollee,
        course=course,
        quantity=1,
        contact=contact,
        payer="",
        client=client,
        offer=offer,
        place=place,
        state=OrderState.UNPAID,
    )

    async def work(session: AsyncSession) -> None:
        order, _ = await find_or_create_order(session, draft)
        await _use_choices(session, draft, order)
        if order.state is OrderState.UNPAID and await can_mail_recipient(session, order.email, emails.ASK):
            key = f"confirm-place:{order.reference}"
            await enqueue_unless_repeated(session, emails.ask_to_confirm(order), key=key)

    try:
        await _open_unless_exists(scope, draft, work)
    except OrderExists as exists:
        if exists.reference:
            raise


async def confirm_free_place(session: AsyncSession, token: str) -> None:
    """Enrol the learner of a free order, by its mailed link. A repetition changes nothing.

    Raises NotFound, RunFull, and Conflict if another order of the person counts, or the data is erased.
    """
    order = await lock_order(session, await find_order_id(session, token))
    if not is_unconfirmed(order):
        return
    await _make_present_order(session, order)
    if not await places().reserve_places(session, describe_sale(order)):
        raise RunFull
    await transition_order(session, order, OrderState.FREE, VISITOR, "confirmed by the mailed link")
    await confirm_address(session, order.email)
    await enrol(session, order, None)


async def complete_payment(scope: Scope, gateway: Gateway, opened: OpenPayment) -> StartedPayment:
    """Send the prompt of a new payment, and wait for M-Pesa's answer. Raises the errors of `start_payment`."""
    assert opened.payment.id is not None
    token = find_order_token(opened.order) or ""
    try:
        if opened.new:
            await send_prompt(scope, gateway, opened.order, opened.payment)
        order, payment = await wait_for_answer(scope, opened.payment.id)
    except Exception as error:
        if is_outage(error):
            raise PaymentUnread(opened.order.reference, token) from error
        raise
    if not payment.merchant_request_id:
        if payment.state in UNPAID_ENDS:
            raise PaymentFailed(describe_payment(payment), order.reference, token)
        if payment.state in UNANSWERED | {PaymentState.UNKNOWN, PaymentState.NEEDS_REVIEW}:
            raise PaymentUncertain(order.reference, token)
    return StartedPayment(
        reference=order.reference,
        token=token,
        amount=payment.amount,
        state=payment.state,
        customer_message=payment.customer_message or STARTED,
        merchant_request_id=payment.merchant_request_id or "",
        checkout_request_id=payment.checkout_request_id or "",
    )
