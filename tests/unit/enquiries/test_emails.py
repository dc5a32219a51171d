"""What staff and visitors read about an enquiry."""

from collections.abc import Callable

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agency_site.content.brand import BRAND
from agency_site.enquiries.emails import message_received, signup_received, staff_message, staff_signup
from agency_site.enquiries.request import read_message, read_signup
from agency_site.errors import InputRejected
from agency_site.mail.render import render
from agency_site.mail.rules import Message, checked
from tests.unit.enquiries.test_request import MESSAGE, SIGNUP


def text_of(message: Message) -> str:
    return render(checked(message)).text


def test_staff_read_who_wrote_what_and_answer_the_visitor_directly() -> None:
    notice = staff_message(read_message(MESSAGE | {"message": "One.\nStill one.\n\n \nTwo."}))
    assert (notice.to, notice.reply_to) == (BRAND.staff_email, "amina@shop.example")
    assert notice.subject == "Message: A stall, Amina"
    assert notice.paragraphs == ("One.\nStill one.", "Two.")
    assert dict(notice.facts) == {"Name": "Amina", "E-mail": "amina@shop.example", "Subject": "A stall"}


def test_a_message_without_name_and_subject_says_so() -> None:
    message = read_message({"email": "amina@shop.example", "message": "Karibu."})
    notice, acknowledgement = staff_message(message), message_received(message)
    assert notice.subject == "Message: no subject, amina@shop.example"
    assert dict(notice.facts)["Name"] == "not given"
    assert acknowledgement.paragraphs[0] == "Hello,"
    assert acknowledgement.facts == ()


def test_staff_notices_go_where_the_settings_say(configure: Callable[..., object]) -> None:
    configure(mail_staff="owner@agency.example")
    assert staff_message(read_message(MESSAGE)).to == "owner@agency.example"
    assert staff_signup(read_signup(SIGNUP)).to == "owner@agency.example"


def test_the_writer_reads_their_own_words_under_a_subject_of_ours() -> None:
    acknowledgement = message_received(read_message(MESSAGE))
    assert (acknowledgement.to, acknowledgement.to_name) == ("amina@shop.example", "Amina")
    assert acknowledgement.subject == "We have your message"
    text = text_of(acknowledgement)
    for told in ("Hello Amina,", "A stall", "Karibu.", BRAND.phone, "mistyped an address"):
        assert told in text


def test_staff_read_plan_domain_and_phone_of_a_signup() -> None:
    notice = staff_signup(read_signup(SIGNUP | {"domainType": "existing"}))
    assert notice.subject == "Plan sign-up: Growth, Amina Odhiambo"
    assert notice.reply_to == "amina@shop.example"
    assert dict(notice.facts) == {
        "Plan": "Growth, 5,500 ksh per month",
        "Domain": "mamamboga.co.ke",
        "The domain is": "the visitor has it already",
        "Name": "Amina Odhiambo",
        "E-mail": "amina@shop.example",
        "Phone": "+254712345678",
    }


def test_who_signs_up_reads_what_they_chose_and_that_nothing_is_charged() -> None:
    acknowledgement = signup_received(read_signup(SIGNUP))
    assert acknowledgement.to == "amina@shop.example"
    text = text_of(acknowledgement)
    for told in (
        "Growth, 5,500 ksh per month",
        "mamamboga.co.ke",
        "+254712345678",
        "Nothing has been charged",
    ):
        assert told in text


TYPED = st.text(st.characters(exclude_categories=["Cc", "Cs"]) | st.just("\n"), max_size=100)
WRITERS = st.emails(domains=st.sampled_from(["shop.example", "büro.example"]))


# The first text that Hypothesis draws makes it read its table of characters.
@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(st.fixed_dictionaries({"name": TYPED, "subject": TYPED, "message": TYPED, "email": WRITERS}))
def test_whatever_is_taken_in_can_be_sent_and_no_header_breaks(typed: dict[str, str]) -> None:
    try:
        message = read_message(typed)
    except InputRejected:
        return
    for mail in (staff_message(message), message_received(message)):
        assert checked(mail).subject == mail.subject
        assert all(
            len(header.splitlines()) <= 1 for header in (mail.to, mail.to_name, mail.subject, mail.reply_to)
        )
        assert render(checked(mail)).text
