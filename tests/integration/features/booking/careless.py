"""The API without its check before booking: every process believes that all seats are free, always.

What then still refuses a second booking is the database alone.
"""

from fastapi import FastAPI

from agency_site.features.booking.schedule import slots
from agency_site.web.serving.api import create_api


def create_careless_api() -> FastAPI:
    """The real application, made careless; for server processes of tests only."""

    def all_seats(_taken: object, capacity: int) -> list[int]:
        return list(range(capacity))

    vars(slots)["free_seats"] = all_seats
    return create_api()
