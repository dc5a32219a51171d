"""Read a row that must exist."""

from typing import TypeVar

from sqlmodel.ext.asyncio.session import AsyncSession
from sqlmodel.sql.expression import SelectOfScalar

from agency_site.errors import NotFound

Row = TypeVar("Row")


async def find_one(
    session: AsyncSession, statement: SelectOfScalar[Row], missing: str, *, fresh: bool = False
) -> Row:
    """Return the only row of the statement, or raise NotFound with the message `missing`.

    `fresh` replaces what the session has read of it before.
    """
    if fresh:
        statement = statement.execution_options(populate_existing=True)
    row = (await session.exec(statement)).one_or_none()
    if row is None:
        raise NotFound(missing)
    return row
