"""Waiting lists for tests."""

from sqlmodel import col, select

from agency_site.db.engine import read_scope, session_scope
from agency_site.features.academy.reservations.rules import WAITING_LINK
from agency_site.features.academy.reservations.tables import WaitingEntry
from agency_site.features.academy.runs import records
from agency_site.features.academy.runs.records import RunRecord
from agency_site.features.academy.waiting_list import usecases as waiting_list
from agency_site.features.academy.waiting_list.records import WaitingRecord
from agency_site.features.academy.waiting_list.request import WaitingRequest
from agency_site.signing import find_private_token
from tests.integration.features.academy.learners import buy
from tests.integration.features.academy.runs import open_run


async def fill_run(places: int = 1, **changes: object) -> RunRecord:
    """Store a run whose places are all sold to the order with id 1."""
    run = await open_run(capacity=str(places), **changes)
    await buy(places, run.reference)
    return run


async def join_unconfirmed(run: RunRecord, name: str = "Otieno", places: int = 1) -> WaitingRecord:
    """Join the waiting list as `otieno@example.com` and so on, without confirming the address."""
    request = WaitingRequest.model_validate({
        "fullName": f"{name} Wafula", "email": f"{name}@example.com".lower(), "places": str(places)
    })  # fmt: skip
    async with session_scope() as session:
        return await waiting_list.join_waiting_list(session, run.reference, request)


async def join(run: RunRecord, name: str = "Otieno", places: int = 1) -> WaitingRecord:
    """Join the waiting list, and confirm the address."""
    entry = await join_unconfirmed(run, name, places)
    numbers = [row.id for row in await list_entries()]
    async with session_scope() as session:
        await waiting_list.confirm_entry(session, await find_token(numbers.index(entry.id)))
    return entry


async def list_entries() -> list[WaitingEntry]:
    """Return all entries of all lists, the oldest first."""
    async with read_scope() as session:
        return list(await session.exec(select(WaitingEntry).order_by(col(WaitingEntry.id))))


async def list_states() -> list[str]:
    return [entry.state.value for entry in await list_entries()]


async def find_token(number: int = 0) -> str:
    """Return the token of the private link of the entry at that index of `list_entries`."""
    row = (await list_entries())[number]
    token = find_private_token(WAITING_LINK, row.token_seed, row.token_hash)
    assert token
    return token


async def count_taken(run: RunRecord) -> int:
    async with read_scope() as session:
        return (await records.find_run(session, run.reference)).taken
