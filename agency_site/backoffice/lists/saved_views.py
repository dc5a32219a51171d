"""Saved views of lists, each under a name that a member of staff chose."""

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import func
from sqlmodel import col, delete, select
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.auth.rules import Staff
from agency_site.auth.tables import SavedView
from agency_site.backoffice.lists.definition import ListDefinition
from agency_site.errors import FieldError, InputRejected

MOST_VIEWS = 30


async def views_of(session: AsyncSession, who: Staff, definition: ListDefinition) -> Sequence[SavedView]:
    """Return the reader's saved views of the list, by name."""
    own_views = select(SavedView).where(
        SavedView.account_id == who.account_id, SavedView.list_name == definition.name
    )
    return (await session.exec(own_views.order_by(SavedView.name))).all()


async def keep_view(
    session: AsyncSession, who: Staff, definition: ListDefinition, name: str, query: str
) -> None:
    """Save the address's query under a name; an older view of that name is replaced. Raises InputRejected."""
    same: Mapping[str, Any] = {"account_id": who.account_id, "list_name": definition.name, "name": name}
    view = (await session.exec(select(SavedView).filter_by(**same))).first()
    if view is None:
        await _require_room(session, who, definition)
        view = SavedView(**same, query="")
    view.query = query[:1000]
    session.add(view)
    await session.flush()


async def _require_room(session: AsyncSession, who: Staff, definition: ListDefinition) -> None:
    count = select(func.count()).where(
        SavedView.account_id == who.account_id, SavedView.list_name == definition.name
    )
    if (await session.exec(count)).one() >= MOST_VIEWS:
        raise InputRejected(
            "", (FieldError("view", f"{MOST_VIEWS} saved views is the maximum. Delete one first."),)
        )


async def delete_view(session: AsyncSession, who: Staff, identity: int) -> None:
    """Delete a view of the reader; ignore views of others."""
    statement = delete(SavedView).where(
        col(SavedView.id) == identity, col(SavedView.account_id) == who.account_id
    )
    await session.exec(statement)
