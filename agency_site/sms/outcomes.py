"""Which text messages have not arrived: the one answer for staff, for figures, and for the mail that goes out instead."""

from datetime import timedelta

from sqlalchemy import ColumnElement, and_, or_
from sqlmodel import col

from agency_site.clock import now
from agency_site.sms.rules import TextState
from agency_site.sms.tables import FAILED, SmsMessage

PATIENCE = timedelta(minutes=15)
"""A due message that waits for longer does not count on its provider any more, such as one whose account is empty."""


def has_failed() -> ColumnElement[bool]:
    """SQL condition: the message did not arrive, or perhaps not."""
    return or_(
        col(SmsMessage.state) == FAILED, col(SmsMessage.state).in_((TextState.UNKNOWN, TextState.STOPPED))
    )


def is_stuck() -> ColumnElement[bool]:
    """SQL condition: the message is due since long. One that waits for the end of quiet hours is not."""
    since = now() - PATIENCE
    has_been_due = or_(col(SmsMessage.due_at) <= since, col(SmsMessage.last_error) != "")
    return and_(col(SmsMessage.state) == TextState.QUEUED, col(SmsMessage.created_at) <= since, has_been_due)


def is_undelivered() -> ColumnElement[bool]:
    """SQL condition: the message has failed, is stuck, or is kept because the provider was removed meanwhile."""
    return or_(has_failed(), is_stuck(), col(SmsMessage.state) == TextState.KEPT)
