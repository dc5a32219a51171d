"""Checks that all confirmed records and their mails are in the database, and that no job is overdue."""

import time
from datetime import timedelta
from typing import Any

from sqlalchemy import Engine, create_engine, text
from sqlmodel import SQLModel

import agency_site.db.tables  # noqa: F401 - declares all tables
from agency_site.clock import now

DRAIN_SECONDS = 90

_MISSING_MAIL = """
SELECT count(*) FROM {table} r WHERE {which} AND NOT EXISTS (
  SELECT 1 FROM outbox_messages m WHERE m.about = r.reference AND m.kind = '{kind}' AND m.state = 'sent')
"""


class Books:
    """The database of the run."""

    def __init__(self, url: str) -> None:
        self._engine: Engine = create_engine(url.replace("+aiosqlite", ""))

    def value(self, statement: str, **values: object) -> Any:
        """The first value."""
        with self._engine.connect() as connection:
            return connection.execute(text(statement), values).scalar_one()

    def _column(self, statement: str) -> set[str]:
        with self._engine.connect() as connection:
            return set(connection.execute(text(statement)).scalars())

    def depth(self) -> int:
        """Messages that wait."""
        return int(self.value("SELECT count(*) FROM outbox_messages WHERE state = 'queued'"))

    def drain(self) -> float:
        """Wait until the outbox is empty and no payment is open, at most `DRAIN_SECONDS`; how long it took."""
        started_at = time.monotonic()
        while time.monotonic() - started_at < DRAIN_SECONDS and (self.depth() or self._open_payments()):
            time.sleep(0.5)
        return time.monotonic() - started_at

    def _open_payments(self) -> int:
        return int(
            self.value("SELECT count(*) FROM payments WHERE state IN ('created', 'sending', 'pending')")
        )

    def overdue(self) -> dict[str, int]:
        """Count rows of each table of jobs that were due a minute ago and are not claimed."""
        tables = [
            table
            for table in SQLModel.metadata.tables.values()
            if {"due_at", "leased_until"} <= set(table.c.keys())
        ]
        results = {}
        for table in tables:
            late = f"SELECT count(*) FROM {table.name} WHERE due_at < :before AND due_at IS NOT NULL"
            if number := int(self.value(late, before=now() - timedelta(minutes=1))):
                results[table.name] = number
        return results

    def problems(self, bookings: list[str], payments: list[str]) -> list[str]:
        """Return missing records."""
        lost_bookings = set(bookings) - self._column(
            "SELECT reference FROM bookings WHERE state = 'confirmed'"
        )
        paid = self._column("SELECT merchant_request_id FROM payments WHERE state = 'paid'")
        unsent = self.value("SELECT count(*) FROM outbox_messages WHERE state <> 'sent'")
        counts = {
            "confirmed bookings lost": len(lost_bookings),
            "payments lost": len(set(payments) - paid),
            "bookings without a confirmation": self.value(
                _MISSING_MAIL.format(
                    table="bookings", which="r.state = 'confirmed'", kind="booking-confirmed"
                )
            ),
            "paid orders without a receipt": self.value(
                _MISSING_MAIL.format(table="orders", which="r.state = 'paid'", kind="enrolment-confirmed")
            ),
            "mails not sent": unsent,
            **{f"overdue rows of {name}": number for name, number in self.overdue().items()},
        }
        return [f"{number} {name}" for name, number in counts.items() if number]

    def close(self) -> None:
        """Close all connections."""
        self._engine.dispose()
