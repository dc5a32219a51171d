"""The views of lists that somebody keeps under a name of their own."""

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
    """What somebody has kept of the list, by name."""
    mine = select(SavedView).where(
        SavedView.account_id == who.account_id, SavedView.list_name == definition.name
    )
    return (await session.exec(mine.order_by(SavedView.name))).all()


async def keep_view(
    session: AsyncSession, who: Staff, definition: ListDefinition, name: str, query: str
) -> None:
    """Keep the address's query under a name; an older view of that name is replaced. Raises InputRejected."""
    same: Mapping[str, Any] = {"account_id": who.account_id, "list_name": definition.name, "name": name}
    view = (await session.exec(select(SavedView).filter_by(**same))).first()
    if view is None:
        await _leave_room(session, who, definition)
        view = SavedView(**same, query="")
    view.query = query[:1000]
    session.add(view)
    await session.flush()


async def _leave_room(session: AsyncSession, who: Staff, definition: ListDefinition) -> None:
    kept = select(func.count()).where(
        SavedView.account_id == who.account_id, SavedView.list_name == definition.name
    )
    if (await session.exec(kept)).one() >= MOST_VIEWS:
        raise InputRejected(
            "", (FieldError("view", f"{MOST_VIEWS} saved views is the maximum. Delete one first."),)
        )


async def forget_view(session: AsyncSession, who: Staff, identity: int) -> None:
    """Remove one of somebody's own views; nothing happens to anybody else's."""
    mine = delete(SavedView).where(col(SavedView.id) == identity, col(SavedView.account_id) == who.account_id)
    await session.exec(mine)
