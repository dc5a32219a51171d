"""Optimistic locking: a writer never overwrites a change that they have not seen.

Rows that change through the mapper get their next version from SQLAlchemy (`version_id_col`), and a flush fails if the row has
changed since it was read. Rows that change by statement go through `update_record` and `update_records`. The second of two
writers gets `errors.StaleRecord`.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import update
from sqlalchemy.orm import declared_attr
from sqlmodel import SQLModel, col
from sqlmodel.ext.asyncio.session import AsyncSession

STATEMENT_REFERENCES = 500
"""References in one statement, because databases limit the number of its parameters."""


class Versioned(SQLModel):
    """The column that shows whether a record has changed since an editor read it."""

    version: int = 1
    """Rises with every change. Jobs change lease columns and the like by statement, which leaves it."""

    @declared_attr.directive
    def __mapper_args__(cls) -> Mapping[str, Any]:  # noqa: N805 - SQLAlchemy passes the class
        return {"version_id_col": cls.__table__.c.version}  # type: ignore[attr-defined]


async def update_record(
    session: AsyncSession, model: type[Versioned], identity: int | None, version: int, **values: Any
) -> bool:
    """Set `values` on the row if it still has that `version`; return False if it was changed or deleted."""
    key: Any = model.id  # type: ignore[attr-defined]
    changed = await session.exec(
        update(model)
        .where(key == identity, col(model.version) == version)
        .values(version=col(model.version) + 1, **values)
        .execution_options(synchronize_session=False)
    )
    return changed.rowcount == 1


async def update_records(
    session: AsyncSession, model: type[Versioned], references: Sequence[str], was: str, **values: Any
) -> list[tuple[int, str]]:
    """Set `values` on those rows of `references` whose state is `was`; return id and reference of each changed row."""
    table: Any = model
    changed: list[tuple[int, str]] = []
    for first in range(0, len(references), STATEMENT_REFERENCES):
        batch = references[first : first + STATEMENT_REFERENCES]
        result = await session.exec(
            update(model)
            .where(table.reference.in_(batch), table.state == was)
            .values(version=col(model.version) + 1, **values)
            .returning(table.id, table.reference)
            .execution_options(synchronize_session=False)
        )
        changed += [(identity, reference) for identity, reference in result.all()]
    return changed
