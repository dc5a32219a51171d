"""The API without its search for the current order of a person: every request behaves like the first one.

What then still refuses a second order is the database alone.
"""

from contextvars import ContextVar
from typing import Any

from fastapi import FastAPI

from agency_site.features.checkout.buying import orders
from agency_site.web.serving.api import create_api


def create_careless_api() -> FastAPI:
    """The real application, made careless; for server processes of tests only."""
    look = vars(orders)["lock_present_order"]
    has_looked: ContextVar[bool] = ContextVar("has_looked", default=False)

    async def blind_at_first(session: Any, key: str) -> Any:
        if has_looked.get():
            return await look(session, key)
        has_looked.set(True)
        return None

    vars(orders)["lock_present_order"] = blind_at_first
    return create_api()
