"""The texts of the mails about registrations."""

from datetime import timedelta

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from icalendar import Calendar, Component

from agency_site import clock
from agency_site.content.webinars import WEBINARS, Webinar
from agency_site.errors import InputRejected
from agency_site.features.webinars.emails import cancelled, registered, reminder, staff_registered
from agency_site.features.webinars.records import RegistrationRecord
from agency_site.features.webinars.request import RegistrationRequest
from agency_site.features.webinars.rules import RegistrationState
from agency_site.form_input import read_form
from agency_site.mail.render import render_message
from agency_site.mail.rules import Message, validate_message
from tests.conftest import FRIDAY_NOON

PLAN = WEBINARS[0].model_copy(update={"room": ""})
SEAT = RegistrationRecord(
    reference="WR-7F3K9Q",
    webinar=PLAN.id,
    fullname="Amina Odhiambo",
    email="amina@shop.example",
    phone="",
    state=RegistrationState.REGISTERED,
    version=1,
    created_at=FRIDAY_NOON,
    updated_at=FRIDAY_NOON,
    cancelled_at=None,
    cancelled_by="",
)


def text_of(message: Message) -> str:
    return render_message(validate_message(message)).text


def event_of(message: Message) -> Component:
    (part,) = message.attachments
    calendar = Calendar.from_ical(part.content)
    assert isinstance(calendar, Calendar)
    return calendar.walk("VEVENT")[0]


def test_without_a_room_the_confirmation_says_that_the_link_follows() -> None:
    message = registered(SEAT, PLAN, "token")
    assert "We will e-mail you the link to join before we begin." in text_of(message)
    assert [label for label, _ in message.actions] == ["Cancel my seat"]
    assert event_of(message)["LOCATION"] == "Online"


def test_with_a_room_the_mail_links_to_it_and_promises_no_other_link() -> None:
    message = reminder(SEAT, PLAN.model_copy(update={"room": "https://meet.example/a"}), "token")
    assert message.actions[0] == ("Join the webinar", "https://meet.example/a")
    assert "comes by e-mail" not in text_of(message)


def test_without_a_token_the_mail_has_no_link_to_cancel_the_seat() -> None:
    assert registered(SEAT, PLAN, None).actions == ()


def test_the_notice_to_staff_has_taken_and_total_seats() -> None:
    small = PLAN.model_copy(update={"capacity": 40})
    assert dict(staff_registered(SEAT, small, 7).facts)["Seats taken"] == "7 of 40"


def test_the_calendar_entry_lasts_as_long_as_the_webinar() -> None:
    with clock.frozen(FRIDAY_NOON):
        event = event_of(registered(SEAT, PLAN.model_copy(update={"duration": "75 minutes"}), "token"))
    assert event.decoded("DTEND") - event.decoded("DTSTART") == timedelta(minutes=75)
    assert event.decoded("DTSTAMP") == FRIDAY_NOON


NAMES = st.text(st.characters(exclude_categories=["Cc", "Cs"]) | st.just("\n"), max_size=60)


# The first text that Hypothesis draws makes it read its table of characters.
@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(NAMES, st.emails(domains=st.sampled_from(["shop.example", "büro.example"])), st.sampled_from(WEBINARS))
def test_every_accepted_name_can_be_mailed_and_read_back(name: str, email: str, webinar: Webinar) -> None:
    try:
        request = read_form(
            RegistrationRequest, {"webinar": webinar.id, "fullName": name, "email": email, "phone": ""}
        )
    except InputRejected:
        return
    seat = RegistrationRecord(**{**vars(SEAT), "fullname": request.full_name, "email": request.email})
    mails = (
        registered(seat, webinar, "token"), reminder(seat, webinar, None), cancelled(seat, webinar),
        staff_registered(seat, webinar, 1),
    )  # fmt: skip
    for mail in mails:
        assert text_of(mail)
        assert all(
            len(header.splitlines()) <= 1
            for header in (mail.to, validate_message(mail).to_name, validate_message(mail).subject)
        )
    event = event_of(mails[0])
    assert str(event["UID"]) == "wr-7f3k9q@mwanga.example"
    assert all(len(line) <= 75 for line in mails[0].attachments[0].content.split(b"\r\n"))
