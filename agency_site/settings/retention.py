"""Retention of personal data. `content/legal.py` has the text for visitors."""

from typing import Any

from pydantic import Field

from agency_site.settings.base import SettingsBase


def _retention_field(days: int, since: str) -> Any:
    return Field(
        days, ge=0, le=36_500, description=f"days for which data is kept {since}; 0 keeps it for good"
    )


class RetentionSettings(SettingsBase):
    """Days after which data of each kind is erased."""

    retention_bookings_days: int = _retention_field(730, "after a consultation, held or cancelled")
    retention_paid_orders_days: int = _retention_field(
        2557, "after a paid order last changed; the law requires its accounts"
    )
    retention_unpaid_orders_days: int = _retention_field(90, "after the last attempt to pay an order")
    retention_free_orders_days: int = _retention_field(730, "after an enrolment in a free course")
    retention_learners_days: int = _retention_field(730, "after the last session of a learner's course run")
    retention_waiting_list_days: int = _retention_field(90, "after a course run with a waiting list began")
    retention_enquiries_days: int = _retention_field(365, "after an answered or closed enquiry last changed")
    retention_registrations_days: int = _retention_field(180, "after a webinar")
    retention_comments_days: int = _retention_field(90, "after a comment was rejected or withdrawn")
    retention_unconfirmed_days: int = _retention_field(
        30, "after a sign-up to the newsletter that was never confirmed"
    )
    retention_unsubscribed_days: int = _retention_field(30, "after a subscriber left the newsletter")
    retention_mail_days: int = _retention_field(365, "after a mail was sent: its text and recipient")
    retention_texts_days: int = _retention_field(
        365, "after a text message was sent: its text and number, and the consent of a number"
    )
    retention_sign_ins_days: int = _retention_field(1, "after an attempt to sign in to the back office")
    retention_staff_sessions_days: int = _retention_field(
        90, "after staff signed out; fewer than 30 days forget known browsers"
    )
