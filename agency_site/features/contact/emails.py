"""The mails about enquiries: to staff with what was sent, to the visitor as an acknowledgement and as an answer."""

from collections.abc import Sequence

from agency_site.clock import in_nairobi
from agency_site.content.brand import BRAND
from agency_site.content.hosting import PLANS
from agency_site.features.contact.domain_names import wire_name
from agency_site.features.contact.request import ContactMessage, PlanSignup
from agency_site.features.contact.rules import EnquiryKind
from agency_site.features.contact.tables import Enquiry
from agency_site.mail.rules import Message, split_paragraphs
from agency_site.settings import settings

_NOT_GIVEN = "not given"
STRANGER = "If it was not you who wrote to us, somebody has mistyped an address, and you need do nothing."
"""Ends what goes to an address that nobody has confirmed."""
DOMAINS = {"new": "to be registered", "existing": "already owned by the visitor"}
_THREAD_LENGTH = 10
"""Messages that an answer refers to at most: mail programs need the first and the last ones."""


def staff_message(message: ContactMessage, reference: str) -> Message:
    """To staff: somebody has written through the contact form."""
    return Message(
        kind="staff-message",
        to=_staff_address(),
        subject=f"Message: {message.subject or 'no subject'}, {message.name or message.email}",
        heading="New message",
        paragraphs=split_paragraphs(message.message),
        facts=(
            ("Reference", reference),
            ("Name", message.name or _NOT_GIVEN),
            ("E-mail", message.email),
            ("Subject", message.subject or _NOT_GIVEN),
        ),
        actions=(_in_the_office(reference),),
        closing=("Sent through the contact form. Replies to this e-mail go to the visitor.",),
        reply_to=message.email,
        about=reference,
    )


def message_received(message: ContactMessage, reference: str) -> Message:
    """To the visitor: that we have the message. It repeats nothing of it: the address may be a stranger's."""
    return Message(
        kind="message-received",
        to=message.email,
        to_name=message.name,
        subject=_message_subject(reference),
        heading="We have your message",
        paragraphs=(
            _hello(message.name),
            "thank you for writing to us. We have your message, and one of us will answer you at this address.",
        ),
        facts=(("Reference", reference),),
        closing=(f"If it cannot wait, call {BRAND.phone} during business hours.", STRANGER),
        about=reference,
    )


def staff_signup(signup: PlanSignup, reference: str) -> Message:
    """To staff: somebody wants a hosting plan."""
    return Message(
        kind="staff-signup",
        to=_staff_address(),
        subject=f"Plan sign-up: {signup.plan}, {signup.full_name}",
        heading="New plan sign-up",
        paragraphs=("The website promises a call within one working day. Nothing has been charged.",),
        facts=(
            ("Reference", reference),
            *_wanted(signup.plan, signup.domain_name),
            ("Domain status", DOMAINS[signup.domain_type]),
            ("Name", signup.full_name),
            ("E-mail", signup.email),
            ("Phone", signup.phone),
        ),
        actions=(_in_the_office(reference),),
        reply_to=signup.email,
        about=reference,
    )


def signup_received(signup: PlanSignup, reference: str) -> Message:
    """To the visitor: the plan, and what comes next. It repeats no text of theirs: the address may be a stranger's."""
    return Message(
        kind="signup-received",
        to=signup.email,
        to_name=signup.full_name,
        subject=_signup_subject(signup.plan, reference),
        heading="We have your sign-up",
        paragraphs=(
            _hello(signup.full_name),
            f"thank you for choosing our {signup.plan} plan. We call you within one working day to confirm it. "
            "Nothing has been charged.",
        ),
        facts=(("Reference", reference), _price_plan(signup.plan)),
        closing=(f"Is something wrong here? Call {BRAND.phone} or answer this e-mail.", STRANGER),
        about=reference,
    )


def reply(enquiry: Enquiry, words: str, thread: Sequence[str]) -> Message:
    """To the visitor: what staff answer, in the thread of the acknowledgement.

    `thread` holds the Message-IDs of what we sent before, oldest first (RFC 5322, section 3.6.4).
    """
    signed_up = enquiry.kind is EnquiryKind.SIGNUP
    subject = (
        _signup_subject(enquiry.details["plan"], enquiry.reference)
        if signed_up
        else _message_subject(enquiry.reference)
    )
    day = in_nairobi(enquiry.created_at)
    wrote = (
        ()
        if signed_up
        else (f"You wrote on {day:%A} {day.day} {day:%B %Y}:", *split_paragraphs(enquiry.message))
    )
    wanted = _wanted(enquiry.details["plan"], enquiry.details["domain_name"]) if signed_up else ()
    return Message(
        kind="enquiry-reply",
        to=enquiry.email,
        to_name=enquiry.fullname,
        subject=f"Re: {subject}",
        heading="About your sign-up" if signed_up else "Our answer to your message",
        paragraphs=split_paragraphs(words),
        facts=(("Reference", enquiry.reference), *wanted),
        closing=wrote,
        # A person wrote this one, so it is no automatic message (RFC 3834, section 5.2).
        headers=(("Auto-Submitted", "no"), *_threaded(thread)),
        about=enquiry.reference,
    )


def _threaded(thread: Sequence[str]) -> tuple[tuple[str, str], ...]:
    if not thread:
        return ()
    named = (*thread[:1], *thread[1:][1 - _THREAD_LENGTH :])
    return (("In-Reply-To", thread[-1]), ("References", " ".join(named)))


def _message_subject(reference: str) -> str:
    return f"We have your message ({reference})"


def _signup_subject(plan: str, reference: str) -> str:
    return f"Your sign-up for our {plan} plan ({reference})"


def _wanted(name: str, domain: str) -> tuple[tuple[str, str], ...]:
    """Plan and domain."""
    return (_price_plan(name), ("Domain", _spelt(domain)))


def _price_plan(name: str) -> tuple[str, str]:
    """The plan with its price. A plan that we no longer offer has none to name."""
    prices = [f"{plan.name}, {plan.price_text} per month" for plan in PLANS if plan.name == name]
    return ("Plan", prices[0] if prices else name)


def _spelt(domain: str) -> str:
    """A name in other letters also as name servers know it: two scripts may look alike."""
    try:
        wire = wire_name(domain)
    except ValueError:
        return domain
    return domain if wire == domain else f"{domain} ({wire})"


def _in_the_office(reference: str) -> tuple[str, str]:
    return ("Open in the back office", f"{settings().site_url}/admin/enquiry?ref={reference}")


def _hello(name: str) -> str:
    return f"Hello {name}," if name else "Hello,"


def _staff_address() -> str:
    return settings().mail_staff or BRAND.staff_email
