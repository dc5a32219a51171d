"""Giving a place in a course: once for each order, in the transaction that makes it paid or free."""

from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.clock import now
from agency_site.features.checkout import emails
from agency_site.features.checkout.tables import Enrolment, Order, Payment
from agency_site.mail.usecases import enqueue


async def enrol(session: AsyncSession, order: Order, payment: Payment | None) -> Enrolment:
    """Store the enrolment of an order that has just become paid, or free (no payment), and enqueue its mails.

    The database refuses a second enrolment of one order.
    """
    assert order.id is not None
    enrolment = Enrolment(
        order_id=order.id,
        reference=order.reference,
        course_slug=order.course_slug,
        course_name=order.course_name,
        places=order.quantity,
        # The books count both on one day, also around midnight.
        created_at=payment.settled_at if payment and payment.settled_at else now(),
    )
    session.add(enrolment)
    await session.flush()
    # Late money of somebody who has been erased meanwhile: only staff can be told.
    if order.email:
        message = emails.enrolled(order, payment) if payment else emails.enrolled_free(order)
        await enqueue(session, message, key=f"enrolment:{order.reference}")
    await enqueue(session, emails.staff_enrolled(order, payment), key=f"staff-enrolled:{order.reference}")
    return enrolment
