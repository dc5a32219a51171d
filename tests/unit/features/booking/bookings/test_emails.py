"""The text of mails about a booking."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from icalendar import Calendar

from agency_site.features.booking.bookings import emails
from agency_site.features.booking.bookings.rules import BookingState
from agency_site.features.booking.bookings.tables import Booking
from agency_site.features.booking.consultants.rules import Way
from agency_site.features.booking.consultants.tables import Consultant
from agency_site.mail.rules import Message

BEFORE = datetime(2026, 11, 23, 8, tzinfo=UTC)


def booking(changed: datetime = BEFORE, **otherwise: Any) -> Booking:
    return Booking(
        reference="BK-7F3K9Q", fullname="Amina Odhiambo", email="amina@example.com", phone="+254712345678", message="",
        starts_at=datetime(2026, 11, 24, 8, tzinfo=UTC), state=BookingState.CONFIRMED, sequence=0,
        token_seed="seed", token_hash="hash",
        created_at=changed, updated_at=changed, **otherwise,
    )  # fmt: skip


def mails(changed: datetime = BEFORE) -> list[Message]:
    return [
        emails.confirmation(booking(changed), "token"), emails.move_notice(booking(changed), "token", BEFORE),
        emails.assignment_notice(booking(changed), None), emails.reinstatement_notice(booking(changed), None),
        emails.way_notice(booking(changed), None), emails.reminder(booking(), None),
    ]  # fmt: skip


def test_every_mail_about_an_upcoming_consultation_offers_another_way() -> None:
    for mail in mails():
        assert "in Karen, by phone or by video?" in " ".join(mail.closing), mail.kind
        assert dict(mail.facts)["Where"].startswith("Mwanga House"), mail.kind


WANJIRU = Consultant(
    id=1, reference="CO-7F3K9Q", name="Wanjiru Kamau", seat=0, author="", updated_at=BEFORE,
    video_link="https://meet.example/wanjiru",
)  # fmt: skip


@pytest.mark.parametrize(
    ("way", "consultant", "place"),
    [
        (Way.KAREN, WANJIRU, "Mwanga House, Karen Road, Karen, Nairobi"),
        (Way.PHONE, WANJIRU, "By phone: we call you on +254712345678"),
        (Way.VIDEO, WANJIRU, "https://meet.example/wanjiru"),
        (Way.VIDEO, None, "By video; we send you the link before the consultation"),
    ],
)
def test_mail_and_invitation_name_the_place_of_the_chosen_way(
    way: Way, consultant: Consultant | None, place: str
) -> None:
    mail = emails.confirmation(booking(way=way, consultant=consultant, service="web-design"), "token")
    facts = dict(mail.facts)
    [event] = Calendar.from_ical(mail.attachments[0].content).walk("VEVENT")
    assert facts["Where"] == str(event["LOCATION"]) == place
    assert facts["About"] == "Web Design & Development"
    assert facts.get("With", "") == (consultant.name if consultant else "")
    assert ("With Wanjiru Kamau" in str(event["DESCRIPTION"])) is (consultant is not None)


def test_staff_read_way_person_and_service() -> None:
    notice = emails.staff_booking_notice(booking(way=Way.PHONE, consultant=WANJIRU, service="retired"))
    facts = dict(notice.facts)
    assert (facts["How"], facts["With"], facts["About"]) == ("By phone", "Wanjiru Kamau", "retired")


@pytest.mark.parametrize("minutes", [-10, 0, 1, 300])
def test_a_mail_about_a_consultation_that_has_begun_or_is_about_to_does_not_look_forward_to_it(
    minutes: int,
) -> None:
    *changes, reminder = mails(booking().starts_at + timedelta(minutes=minutes))
    for mail in changes:
        text = " ".join((*mail.paragraphs, *mail.closing))
        assert "11:00 on Tuesday 24 November" in text, mail.kind
        assert "look forward" not in text, mail.kind
        assert "in Karen, by phone or by video?" not in text, mail.kind
        assert ("To move or cancel" in text or bool(mail.actions)) is (minutes < 0), mail.kind
    assert reminder.closing[0].startswith("Would you rather")


def test_a_confirmation_of_a_later_consultation_looks_forward_to_it() -> None:
    confirmation = emails.confirmation(booking(booking().starts_at - timedelta(minutes=16)), "token")
    assert "We look forward to meeting you at 11:00 on Tuesday 24 November" in confirmation.paragraphs[1]
    assert confirmation.actions
