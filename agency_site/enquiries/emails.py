"""The mails about enquiries: to staff with what was sent, to the visitor as an acknowledgement."""

from agency_site.content.brand import BRAND
from agency_site.content.hosting import PLANS
from agency_site.enquiries.request import ContactMessage, PlanSignup
from agency_site.mail.rules import Message, paragraphs_of
from agency_site.settings import settings

NOT_GIVEN = "not given"
STRANGER = "If it was not you who wrote to us, somebody has mistyped an address, and you need do nothing."
"""Ends what goes to an address that nobody has confirmed."""
DOMAINS = {"new": "to be registered", "existing": "the visitor has it already"}


def staff_message(message: ContactMessage) -> Message:
    """To staff: somebody has written through the contact form."""
    return Message(
        kind="staff-message",
        to=_desk(),
        subject=f"Message: {message.subject or 'no subject'}, {message.name or message.email}",
        heading="New message",
        paragraphs=paragraphs_of(message.message),
        facts=(
            ("Name", message.name or NOT_GIVEN),
            ("E-mail", message.email),
            ("Subject", message.subject or NOT_GIVEN),
        ),
        closing=("It came through the contact form. An answer to this e-mail goes to the visitor.",),
        reply_to=message.email,
    )


def message_received(message: ContactMessage) -> Message:
    """To the visitor: what they wrote, and that we have it.

    Its subject is ours alone: the address may be a stranger's.
    """
    return Message(
        kind="message-received",
        to=message.email,
        to_name=message.name,
        subject="We have your message",
        heading="We have your message",
        paragraphs=(
            _hello(message.name),
            "thank you for writing to us. One of us will answer you at this address. This is what you wrote:",
            *paragraphs_of(message.message),
        ),
        facts=(("Subject", message.subject),) if message.subject else (),
        closing=(f"If it cannot wait, call {BRAND.phone} during business hours.", STRANGER),
    )


def staff_signup(signup: PlanSignup) -> Message:
    """To staff: somebody wants a hosting plan."""
    return Message(
        kind="staff-signup",
        to=_desk(),
        subject=f"Plan sign-up: {signup.plan}, {signup.full_name}",
        heading="New plan sign-up",
        paragraphs=("The page has promised a call within one working day. Nothing has been charged.",),
        facts=(
            *_wanted(signup),
            ("The domain is", DOMAINS[signup.domain_type]),
            ("Name", signup.full_name),
            ("E-mail", signup.email),
            ("Phone", signup.phone),
        ),
        reply_to=signup.email,
    )


def signup_received(signup: PlanSignup) -> Message:
    """To the visitor: what they have chosen, and what comes next."""
    return Message(
        kind="signup-received",
        to=signup.email,
        to_name=signup.full_name,
        subject=f"Your sign-up for our {signup.plan} plan",
        heading="We have your sign-up",
        paragraphs=(
            _hello(signup.full_name),
            f"thank you for choosing our {signup.plan} plan. We call you within one working day to confirm it. "
            "Nothing has been charged.",
        ),
        facts=(*_wanted(signup), ("Phone", signup.phone)),
        closing=(f"Is something wrong here? Call {BRAND.phone} or answer this e-mail.", STRANGER),
    )


def _wanted(signup: PlanSignup) -> tuple[tuple[str, str], ...]:
    (plan,) = (plan for plan in PLANS if plan.name == signup.plan)
    return (("Plan", f"{plan.name}, {plan.price_text} per month"), ("Domain", signup.domain_name))


def _hello(name: str) -> str:
    return f"Hello {name}," if name else "Hello,"


def _desk() -> str:
    return settings().mail_staff or BRAND.staff_email
