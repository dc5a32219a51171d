"""The API without its check before booking: it considers every seat free, so only the database rejects a second booking."""

from fastapi import FastAPI

from agency_site.features.booking.schedule import slots
from agency_site.web.serving.api import create_api


def create_careless_api() -> FastAPI:
    """Create the application without the check, for server processes of tests."""

    def all_seats(_occupied: object, capacity: int) -> list[int]:
        return list(range(capacity))

    vars(slots)["free_seats"] = all_seats
    return create_api()
