"""What staff and visitors read about an enquiry."""

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


def test_staff_read_who_wrote_what_and_answer_the_visitor_directly() -> None:
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


def test_notices_lead_to_the_record_in_the_back_office() -> None:
    notices = (
        staff_message(read_form(ContactMessage, MESSAGE), REFERENCE),
        staff_signup(read_form(PlanSignup, SIGNUP), REFERENCE),
    )
    for notice in notices:
        ((_, address),) = notice.actions
        assert address.endswith(f"/admin/enquiry?ref={REFERENCE}")
        assert notice.about == REFERENCE


def test_a_domain_in_other_letters_is_also_spelt_as_name_servers_know_it() -> None:
    notice = staff_signup(read_form(PlanSignup, SIGNUP | {"domainName": "Mübel.co.ke"}), REFERENCE)
    assert dict(notice.facts)["Domain"] == "mübel.co.ke (xn--mbel-0ra.co.ke)"


def test_a_message_without_name_and_subject_says_so() -> None:
    message = read_form(ContactMessage, {"email": "amina@shop.example", "message": "Karibu."})
    notice, acknowledgement = staff_message(message, REFERENCE), message_received(message, REFERENCE)
    assert notice.subject == "Message: no subject, amina@shop.example"
    assert dict(notice.facts)["Name"] == "not given"
    assert acknowledgement.paragraphs[0] == "Hello,"
    assert acknowledgement.facts == (("Reference", REFERENCE),)


def test_staff_notices_go_where_the_settings_say(configure: Callable[..., object]) -> None:
    configure(mail_staff="owner@agency.example")
    assert staff_message(read_form(ContactMessage, MESSAGE), REFERENCE).to == "owner@agency.example"
    assert staff_signup(read_form(PlanSignup, SIGNUP), REFERENCE).to == "owner@agency.example"


def test_the_writer_reads_the_reference_and_none_of_the_words_that_were_typed() -> None:
    acknowledgement = message_received(read_form(ContactMessage, MESSAGE), REFERENCE)
    assert (acknowledgement.to, acknowledgement.to_name) == ("amina@shop.example", "Amina")
    assert acknowledgement.subject == f"We have your message ({REFERENCE})"
    text = text_of(acknowledgement)
    for phrase in (REFERENCE, "Hello Amina,", BRAND.phone, "mistyped an address"):
        assert phrase in text
    assert "A stall" not in text
    assert "Karibu." not in text


def test_staff_read_plan_domain_and_phone_of_a_signup() -> None:
    notice = staff_signup(read_form(PlanSignup, SIGNUP | {"domainType": "existing"}), REFERENCE)
    assert notice.subject == "Plan sign-up: Growth, Amina Odhiambo"
    assert notice.reply_to == "amina@shop.example"
    assert dict(notice.facts) == {
        "Reference": REFERENCE,
        "Plan": "Growth, 5,500 ksh per month",
        "Domain": "mamamboga.co.ke",
        "Domain status": "already owned by the visitor",
        "Name": "Amina Odhiambo",
        "E-mail": "amina@shop.example",
        "Phone": "+254712345678",
    }


def test_who_signs_up_reads_what_they_chose_and_that_nothing_is_charged() -> None:
    acknowledgement = signup_received(read_form(PlanSignup, SIGNUP), REFERENCE)
    assert acknowledgement.to == "amina@shop.example"
    text = text_of(acknowledgement)
    for phrase in (
        REFERENCE,
        "Growth, 5,500 ksh per month",
        "Nothing has been charged",
    ):
        assert phrase in text
    assert "mamamboga.co.ke" not in text


TYPED = st.text(st.characters(exclude_categories=["Cc", "Cs"]) | st.just("\n"), max_size=100)
WRITERS = st.emails(domains=st.sampled_from(["shop.example", "büro.example"]))


# The first text that Hypothesis draws makes it read its table of characters.
@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(st.fixed_dictionaries({"name": TYPED, "subject": TYPED, "message": TYPED, "email": WRITERS}))
def test_whatever_is_taken_in_can_be_sent_and_no_header_breaks(typed: dict[str, str]) -> None:
    try:
        message = read_form(ContactMessage, typed)
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


def test_a_reply_is_part_of_the_thread_and_quotes_what_it_answers() -> None:
    answer = reply(enquiry(), "Karibu too.\n\nAsha", ["<first@x>", "<second@x>"])
    assert (answer.to, answer.subject) == ("amina@shop.example", f"Re: We have your message ({REFERENCE})")
    assert answer.paragraphs == ("Karibu too.", "Asha")
    assert answer.closing == ("You wrote on Friday 20 November 2026:", "Karibu.")
    assert dict(answer.headers) == {
        "Auto-Submitted": "no",
        "In-Reply-To": "<second@x>",
        "References": "<first@x> <second@x>",
    }


def test_an_answer_to_a_signup_names_plan_and_domain_even_of_a_plan_that_is_gone() -> None:
    row = signup_values(read_form(PlanSignup, SIGNUP)) | {"reference": REFERENCE, "created_at": FRIDAY_NOON}
    assert dict(reply(Enquiry(**row), "Yes.", []).facts)["Plan"] == "Growth, 5,500 ksh per month"
    gone = Enquiry(**row | {"details": {"plan": "Bronze", "domain_type": "new", "domain_name": "a.example"}})
    answer = reply(gone, "Yes.", [])
    assert dict(answer.facts) == {"Reference": REFERENCE, "Plan": "Bronze", "Domain": "a.example"}
    assert answer.subject == f"Re: Your sign-up for our Bronze plan ({REFERENCE})"
    assert dict(answer.headers) == {"Auto-Submitted": "no"}


def test_a_long_thread_keeps_its_first_and_its_last_messages() -> None:
    thread = [f"<{number}@x>" for number in range(40)]
    references = dict(reply(enquiry(), "Yes.", thread).headers)["References"].split()
    assert references == [thread[0], *thread[-9:]]
