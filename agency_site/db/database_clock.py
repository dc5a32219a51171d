"""The clock of the database, which all servers follow: leases and due times of one server are read by the others."""

from typing import Any

from agency_site import clock
from agency_site.metrics import clock_offset


def follow_clock(connection: Any) -> None:
    """Follow the clock of PostgreSQL behind a connection of the driver. SQLite's is the machine's own."""
    cursor = connection.cursor()
    try:
        before = clock.machine_now()
        cursor.execute("SELECT clock_timestamp()")
        after = clock.machine_now()
        (moment,) = cursor.fetchone()
    finally:
        cursor.close()
    error = (after - before) / 2
    ahead = moment - before - error
    clock_offset.set(ahead.total_seconds())
    clock.follow(ahead, error)
