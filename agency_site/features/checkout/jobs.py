"""Reconciliation as a background job; any number of processes may run it."""

from agency_site.db.engine import session_scope
from agency_site.features.checkout.gateway import app_key, gateway
from agency_site.features.checkout.status_polling import reconcile_due
from agency_site.settings import settings


async def reconcile() -> int:
    """One round; returns how many rows were worked on."""
    return await reconcile_due(session_scope, gateway(), app_key(settings()))
