"""The text of mails about a booking."""

from datetime import UTC, datetime

from agency_site.features.booking import emails
from agency_site.features.booking.rules import BookingState
from agency_site.features.booking.tables import Booking
from agency_site.mail.rules import Message

BEFORE = datetime(2026, 11, 23, 8, tzinfo=UTC)


def booking() -> Booking:
    return Booking(
        reference="BK-7F3K9Q", fullname="Amina Odhiambo", email="amina@example.com", phone="+254712345678", message="",
        starts_at=datetime(2026, 11, 24, 8, tzinfo=UTC), state=BookingState.CONFIRMED, sequence=0,
        token_seed="seed", token_hash="hash",
        created_at=BEFORE, updated_at=BEFORE,
    )  # fmt: skip


def mails() -> list[Message]:
    return [
        emails.confirmation(booking(), "token"), emails.move_notice(booking(), "token", BEFORE),
        emails.reinstatement_notice(booking(), None), emails.reminder(booking(), None),
    ]  # fmt: skip


def test_every_mail_about_a_consultation_to_come_asks_for_phone_or_karen() -> None:
    for mail in mails():
        asked = " ".join(mail.closing)
        assert "On the phone or in Karen?" in asked, mail.kind
        assert "we call you on +254712345678" in asked, mail.kind
        assert dict(mail.facts)["Where"].startswith("On the phone or at Mwanga House"), mail.kind
