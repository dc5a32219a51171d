"""The mails about enquiries: notices to staff, acknowledgements and replies to visitors."""

from collections.abc import Sequence

from agency_site.clock import format_date, in_nairobi
from agency_site.content.brand import BRAND
from agency_site.content.hosting import plans
from agency_site.content.mail_texts import MailWords, write_words
from agency_site.features.contact.domain_names import wire_name
from agency_site.features.contact.request import ContactMessage, PlanSignup
from agency_site.features.contact.rules import EnquiryKind
from agency_site.features.contact.tables import Enquiry
from agency_site.mail.rules import Message, split_paragraphs
from agency_site.money import kes
from agency_site.settings import settings

_NOT_GIVEN = "not given"
STRANGER = "If you did not write to us, an address was mistyped, and you can ignore this e-mail."
"""Closes mails to an address that is not confirmed."""
DOMAINS = {"new": "to be registered", "existing": "already owned by the visitor"}
_THREAD_LENGTH = 10
"""The most messages that a reply refers to: mail programs need the first and the last ones."""


def staff_message(message: ContactMessage, reference: str) -> Message:
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
        actions=(_back_office_link(reference),),
        closing=("Sent through the contact form. Replies to this e-mail go to the visitor.",),
        reply_to=message.email,
        about=reference,
    )


def message_received(message: ContactMessage, reference: str) -> Message:
    """The acknowledgement to the visitor. It does not quote the message: the address may be a stranger's."""
    words = _message_words(reference)
    return Message(
        kind="message-received",
        to=message.email,
        to_name=message.name,
        subject=words.subject,
        heading="We have your message",
        paragraphs=(
            _hello(message.name),
            *words.opening,
        ),
        facts=(("Reference", reference),),
        closing=(f"If it cannot wait, call {BRAND.phone} during business hours.", STRANGER),
        about=reference,
    )


def staff_signup(signup: PlanSignup, reference: str) -> Message:
    return Message(
        kind="staff-signup",
        to=_staff_address(),
        subject=f"Plan sign-up: {signup.plan}, {signup.full_name}",
        heading="New plan sign-up",
        paragraphs=("The website promises a call within one working day. Nothing has been charged.",),
        facts=(
            ("Reference", reference),
            *_plan_facts(signup.plan, signup.domain_name),
            ("Domain status", DOMAINS[signup.domain_type]),
            ("Name", signup.full_name),
            ("E-mail", signup.email),
            ("Phone", signup.phone),
        ),
        actions=(_back_office_link(reference),),
        reply_to=signup.email,
        about=reference,
    )


def signup_received(signup: PlanSignup, reference: str) -> Message:
    """The acknowledgement to the visitor. It quotes none of their text: the address may be a stranger's."""
    words = _signup_words(signup.plan, reference)
    return Message(
        kind="signup-received",
        to=signup.email,
        to_name=signup.full_name,
        subject=words.subject,
        heading="We have your sign-up",
        paragraphs=(
            _hello(signup.full_name),
            *words.opening,
        ),
        facts=(("Reference", reference), _plan_with_price(signup.plan)),
        closing=(f"Is something wrong here? Call {BRAND.phone} or reply to this e-mail.", STRANGER),
        about=reference,
    )


def reply(enquiry: Enquiry, words: str, thread: Sequence[str], writer: str = "") -> Message:
    """The reply of a member of staff called `writer`, in the thread of the acknowledgement.

    `thread` holds the Message-IDs of our earlier mails, oldest first (RFC 5322, section 3.6.4).
    """
    signed_up = enquiry.kind is EnquiryKind.SIGNUP
    acknowledgement = (
        _signup_words(enquiry.details["plan"], enquiry.reference)
        if signed_up
        else _message_words(enquiry.reference)
    )
    day = in_nairobi(enquiry.created_at)
    quotation = (
        ()
        if signed_up
        else (f"You wrote on {day:%A} {format_date(day)}:", *split_paragraphs(enquiry.message))
    )
    plan_facts = _plan_facts(enquiry.details["plan"], enquiry.details["domain_name"]) if signed_up else ()
    return Message(
        kind="enquiry-reply",
        to=enquiry.email,
        to_name=enquiry.fullname,
        subject=f"Re: {acknowledgement.subject}",
        heading="About your sign-up" if signed_up else "Our reply to your message",
        paragraphs=(_hello(enquiry.fullname), *split_paragraphs(words), _signature(writer)),
        facts=(("Reference", enquiry.reference), *plan_facts),
        closing=quotation,
        # A person wrote this mail, so it is not an automatic one (RFC 3834, section 5.2).
        headers=(("Auto-Submitted", "no"), *_thread_headers(thread)),
        about=enquiry.reference,
    )


def _thread_headers(thread: Sequence[str]) -> tuple[tuple[str, str], ...]:
    if not thread:
        return ()
    references = (*thread[:1], *thread[1:][1 - _THREAD_LENGTH :])
    return (("In-Reply-To", thread[-1]), ("References", " ".join(references)))


def _message_words(reference: str) -> MailWords:
    return write_words("message-received", reference=reference)


def _signup_words(plan: str, reference: str) -> MailWords:
    return write_words("signup-received", plan=plan, reference=reference)


def _plan_facts(name: str, domain: str) -> tuple[tuple[str, str], ...]:
    return (_plan_with_price(name), ("Domain", _with_wire_name(domain)))


def _plan_with_price(name: str) -> tuple[str, str]:
    """The plan with its price, or without one if we no longer offer it."""
    prices = [f"{plan.name}, {kes(plan.price)} a month" for plan in plans() if plan.name == name]
    return ("Plan", prices[0] if prices else name)


def _with_wire_name(domain: str) -> str:
    """Add the ASCII form to a name in another script, because letters of two scripts may look alike."""
    try:
        wire = wire_name(domain)
    except ValueError:
        return domain
    return domain if wire == domain else f"{domain} ({wire})"


def _back_office_link(reference: str) -> tuple[str, str]:
    return ("Open in the back office", f"{settings().site_url}/admin/enquiry?ref={reference}")


def _hello(name: str) -> str:
    return f"Hello {name}," if name else "Hello,"


def _signature(writer: str) -> str:
    return f"{writer}, {BRAND.name}" if writer else BRAND.name


def _staff_address() -> str:
    return settings().mail_staff or BRAND.staff_email
