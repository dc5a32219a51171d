"""Mails to staff and visitors about an enquiry."""

from collections.abc import Callable

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agency_site.content.brand import BRAND
from agency_site.errors import InputRejected
from agency_site.features.contact.emails import (
    message_received,
    reply,
    signup_received,
    staff_message,
    staff_signup,
)
from agency_site.features.contact.request import ContactMessage, PlanSignup
from agency_site.features.contact.tables import Enquiry
from agency_site.features.contact.usecases import message_values, signup_values
from agency_site.form_input import read_form
from agency_site.mail.render import render_message
from agency_site.mail.rules import Message, validate_message
from tests.conftest import FRIDAY_NOON
from tests.unit.features.contact.test_request import MESSAGE, SIGNUP

REFERENCE = "EQ-7F3K9Q"


def text_of(message: Message) -> str:
    return render_message(validate_message(message)).text


def test_the_notice_to_staff_holds_the_message_and_replies_go_to_the_visitor() -> None:
    notice = staff_message(
        read_form(ContactMessage, MESSAGE | {"message": "One.\nStill one.\n\n \nTwo."}), REFERENCE
    )
    assert (notice.to, notice.reply_to) == (BRAND.staff_email, "amina@shop.example")
    assert notice.subject == "Message: A stall, Amina"
    assert notice.paragraphs == ("One.\nStill one.", "Two.")
    assert dict(notice.facts) == {
        "Reference": REFERENCE,
        "Name": "Amina",
        "E-mail": "amina@shop.example",
        "Subject": "A stall",
    }


def test_notices_link_to_the_enquiry_in_the_back_office() -> None:
    notices = (
        staff_message(read_form(ContactMessage, MESSAGE), REFERENCE),
        staff_signup(read_form(PlanSignup, SIGNUP), REFERENCE),
    )
    for notice in notices:
        ((_, address),) = notice.actions
        assert address.endswith(f"/admin/enquiry?ref={REFERENCE}")
        assert notice.about == REFERENCE


def test_a_domain_in_another_script_is_shown_with_its_ascii_form() -> None:
    notice = staff_signup(read_form(PlanSignup, SIGNUP | {"domainName": "Mübel.co.ke"}), REFERENCE)
    assert dict(notice.facts)["Domain"] == "mübel.co.ke (xn--mbel-0ra.co.ke)"


def test_the_notice_says_that_name_and_subject_are_missing() -> None:
    message = read_form(ContactMessage, {"email": "amina@shop.example", "message": "Karibu."})
    notice, acknowledgement = staff_message(message, REFERENCE), message_received(message, REFERENCE)
    assert notice.subject == "Message: no subject, amina@shop.example"
    assert dict(notice.facts)["Name"] == "not given"
    assert acknowledgement.paragraphs[0] == "Hello,"
    assert acknowledgement.facts == (("Reference", REFERENCE),)


def test_notices_go_to_the_address_in_the_settings(configure: Callable[..., object]) -> None:
    configure(mail_staff="owner@agency.example")
    assert staff_message(read_form(ContactMessage, MESSAGE), REFERENCE).to == "owner@agency.example"
    assert staff_signup(read_form(PlanSignup, SIGNUP), REFERENCE).to == "owner@agency.example"


def test_the_acknowledgement_names_the_reference_and_does_not_quote_the_message() -> None:
    acknowledgement = message_received(read_form(ContactMessage, MESSAGE), REFERENCE)
    assert (acknowledgement.to, acknowledgement.to_name) == ("amina@shop.example", "Amina")
    assert acknowledgement.subject == f"We have your message ({REFERENCE})"
    text = text_of(acknowledgement)
    for phrase in (REFERENCE, "Hello Amina,", BRAND.phone, "an address was mistyped"):
        assert phrase in text
    assert "A stall" not in text
    assert "Karibu." not in text


def test_the_notice_of_a_signup_holds_plan_domain_and_phone() -> None:
    notice = staff_signup(read_form(PlanSignup, SIGNUP | {"domainType": "existing"}), REFERENCE)
    assert notice.subject == "Plan sign-up: Growth, Amina Odhiambo"
    assert notice.reply_to == "amina@shop.example"
    assert dict(notice.facts) == {
        "Reference": REFERENCE,
        "Plan": "Growth, KES 5,500 a month",
        "Domain": "mamamboga.co.ke",
        "Domain status": "already owned by the visitor",
        "Name": "Amina Odhiambo",
        "E-mail": "amina@shop.example",
        "Phone": "+254712345678",
    }


def test_the_acknowledgement_of_a_signup_names_the_plan_and_that_nothing_is_charged() -> None:
    acknowledgement = signup_received(read_form(PlanSignup, SIGNUP), REFERENCE)
    assert acknowledgement.to == "amina@shop.example"
    text = text_of(acknowledgement)
    for phrase in (
        REFERENCE,
        "Growth, KES 5,500 a month",
        "Nothing has been charged",
    ):
        assert phrase in text
    assert "mamamboga.co.ke" not in text


TEXTS = st.text(st.characters(exclude_categories=["Cc", "Cs"]) | st.just("\n"), max_size=100)
WRITERS = st.emails(domains=st.sampled_from(["shop.example", "büro.example"]))


# The first text that Hypothesis draws makes it read its table of characters.
@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(st.fixed_dictionaries({"name": TEXTS, "subject": TEXTS, "message": TEXTS, "email": WRITERS}))
def test_every_accepted_message_can_be_mailed_without_breaking_a_header(form: dict[str, str]) -> None:
    try:
        message = read_form(ContactMessage, form)
    except InputRejected:
        return
    for mail in (staff_message(message, REFERENCE), message_received(message, REFERENCE)):
        assert validate_message(mail).subject == mail.subject
        assert all(
            len(header.splitlines()) <= 1 for header in (mail.to, mail.to_name, mail.subject, mail.reply_to)
        )
        assert render_message(validate_message(mail)).text


def enquiry(**changes: object) -> Enquiry:
    row = message_values(read_form(ContactMessage, MESSAGE)) | {
        "reference": REFERENCE,
        "created_at": FRIDAY_NOON,
    }
    return Enquiry(**row | changes)


def test_a_reply_has_a_greeting_a_signature_the_thread_and_the_quoted_message() -> None:
    answer = reply(enquiry(), "Karibu too.\n\nCome by.", ["<first@x>", "<second@x>"], "Asha Wairimu")
    assert (answer.to, answer.subject) == ("amina@shop.example", f"Re: We have your message ({REFERENCE})")
    assert answer.paragraphs == ("Hello Amina,", "Karibu too.", "Come by.", f"Asha Wairimu, {BRAND.name}")
    assert answer.closing == ("You wrote on Friday 20 November 2026:", "Karibu.")
    assert dict(answer.headers) == {
        "Auto-Submitted": "no",
        "In-Reply-To": "<second@x>",
        "References": "<first@x> <second@x>",
    }


def test_a_reply_to_a_signup_names_plan_and_domain_even_if_the_plan_is_no_longer_offered() -> None:
    row = signup_values(read_form(PlanSignup, SIGNUP)) | {"reference": REFERENCE, "created_at": FRIDAY_NOON}
    assert dict(reply(Enquiry(**row), "Yes.", []).facts)["Plan"] == "Growth, KES 5,500 a month"
    former_plan = Enquiry(
        **row | {"details": {"plan": "Bronze", "domain_type": "new", "domain_name": "a.example"}}
    )
    answer = reply(former_plan, "Yes.", [])
    assert dict(answer.facts) == {"Reference": REFERENCE, "Plan": "Bronze", "Domain": "a.example"}
    assert answer.subject == f"Re: Your sign-up for our Bronze plan ({REFERENCE})"
    assert dict(answer.headers) == {"Auto-Submitted": "no"}


def test_a_long_thread_keeps_its_first_and_its_last_messages() -> None:
    thread = [f"<{number}@x>" for number in range(40)]
    references = dict(reply(enquiry(), "Yes.", thread).headers)["References"].split()
    assert references == [thread[0], *thread[-9:]]
