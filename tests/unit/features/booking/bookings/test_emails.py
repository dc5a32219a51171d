"""The text of mails about a booking."""

from datetime import UTC, datetime, timedelta

import pytest

from agency_site.features.booking.bookings import emails
from agency_site.features.booking.bookings.rules import BookingState
from agency_site.features.booking.bookings.tables import Booking
from agency_site.mail.rules import Message

BEFORE = datetime(2026, 11, 23, 8, tzinfo=UTC)


def booking(changed: datetime = BEFORE) -> Booking:
    return Booking(
        reference="BK-7F3K9Q", fullname="Amina Odhiambo", email="amina@example.com", phone="+254712345678", message="",
        starts_at=datetime(2026, 11, 24, 8, tzinfo=UTC), state=BookingState.CONFIRMED, sequence=0,
        token_seed="seed", token_hash="hash",
        created_at=changed, updated_at=changed,
    )  # fmt: skip


def mails(changed: datetime = BEFORE) -> list[Message]:
    return [
        emails.confirmation(booking(changed), "token"), emails.move_notice(booking(changed), "token", BEFORE),
        emails.reinstatement_notice(booking(changed), None), emails.reminder(booking(), None),
    ]  # fmt: skip


def test_every_mail_about_an_upcoming_consultation_asks_for_phone_or_karen() -> None:
    for mail in mails():
        closing = " ".join(mail.closing)
        assert "On the phone or in Karen?" in closing, mail.kind
        assert "we will call you on +254712345678" in closing, mail.kind
        assert dict(mail.facts)["Where"].startswith("On the phone or at Mwanga House"), mail.kind


@pytest.mark.parametrize("minutes", [-10, 0, 1, 300])
def test_a_mail_about_a_consultation_that_has_begun_or_is_about_to_does_not_look_forward_to_it(
    minutes: int,
) -> None:
    *changes, reminder = mails(booking().starts_at + timedelta(minutes=minutes))
    for mail in changes:
        text = " ".join((*mail.paragraphs, *mail.closing))
        assert "11:00 on Tuesday 24 November" in text, mail.kind
        assert "look forward" not in text, mail.kind
        assert "On the phone or in Karen?" not in text, mail.kind
        assert ("To move or cancel" in text or bool(mail.actions)) is (minutes < 0), mail.kind
    assert reminder.closing[0].startswith("On the phone")


def test_a_confirmation_of_a_later_consultation_looks_forward_to_it() -> None:
    confirmation = emails.confirmation(booking(booking().starts_at - timedelta(minutes=16)), "token")
    assert "We look forward to meeting you at 11:00 on Tuesday 24 November" in confirmation.paragraphs[1]
    assert confirmation.actions
