"""What a restored database will do by itself: messages, questions to M-Pesa and reminders that are due."""

from collections.abc import Mapping
from datetime import datetime

from sqlalchemy import Connection, MetaData, Table, func, select, update
from sqlmodel import SQLModel

from agency_site.db.leases import Leased, is_due

WORK = {
    "outbox_messages": "mails",
    "sms_messages": "text messages",
    "newsletter_issues": "newsletters",
    "bookings": "reminders of consultations",
    "webinar_registrations": "reminders of webinars",
    "course_sessions": "reminders of courses",
    "payments": "questions to M-Pesa about payments",
    "reversals": "returns without a result",
    "callback_inbox": "callbacks of M-Pesa",
    "unassigned_transactions": "confirmations of M-Pesa",
}
"""Tables whose rows are due at a time, and what is done then for people outside."""
_SILENT = {"newsletter_issues": ("draft", "sent")}
"""States whose rows do nothing, although they keep the time at which they were due."""
_MESSAGES = ("outbox_messages", "sms_messages")


def count_due(connection: Connection, moment: datetime) -> Mapping[str, int]:
    """Return how many rows of each kind are due at that moment, without the kinds that have none.

    The database has been migrated in this process, which has declared all tables.
    """
    leased = {str(table.__tablename__): table for table in Leased.__subclasses__()}
    counts = {}
    for name, words in WORK.items():
        table = SQLModel.metadata.tables[name]
        due = [is_due(leased[name], moment) if name in leased else table.c.due_at <= moment]
        if name in _SILENT:
            due.append(table.c.state.not_in(_SILENT[name]))
        counts[words] = connection.scalar(select(func.count()).select_from(table).where(*due)) or 0
    return {words: count for words, count in counts.items() if count}


def set_messages_aside(connection: Connection) -> None:
    """Keep every waiting mail and text message in the outbox: it is sent only if staff send it again."""
    for name in _MESSAGES:
        table = Table(name, MetaData(), autoload_with=connection)
        waiting = table.c.state == "queued"
        connection.execute(update(table).where(waiting).values(state="kept", due_at=None, leased_until=None))
