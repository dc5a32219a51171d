"""Rows that must exist."""

from typing import TypeVar

from sqlmodel.ext.asyncio.session import AsyncSession
from sqlmodel.sql.expression import SelectOfScalar

from agency_site.errors import NotFound

Row = TypeVar("Row")


async def find_one(
    session: AsyncSession, statement: SelectOfScalar[Row], missing: str, *, fresh: bool = False
) -> Row:
    """The one row of the statement; `fresh`: as it is stored now. Raises NotFound with the message `missing`."""
    row = (await session.exec(statement.execution_options(populate_existing=fresh))).one_or_none()
    if row is None:
        raise NotFound(missing)
    return row
