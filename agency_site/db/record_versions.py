"""Records that several people edit: nobody overwrites a change that they have not seen."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import update
from sqlmodel import SQLModel, col
from sqlmodel.ext.asyncio.session import AsyncSession

STATEMENT_REFERENCES = 500
"""References in one statement: databases bound the number of its parameters."""


class Versioned(SQLModel):
    """The column that tells an editor whether the record is still the one that they saw."""

    version: int = 1
    """Rises by one with every change."""


async def change(
    session: AsyncSession, model: type[Versioned], identity: int | None, version: int, **values: Any
) -> bool:
    """Set `values` on the row if it still has that `version`; False when somebody has changed it meanwhile."""
    key: Any = model.id  # type: ignore[attr-defined]
    changed = await session.exec(
        update(model)
        .where(key == identity, col(model.version) == version)
        .values(version=col(model.version) + 1, **values)
        .execution_options(synchronize_session=False)
    )
    return changed.rowcount == 1


async def change_many(
    session: AsyncSession, model: type[Versioned], references: Sequence[str], was: str, **values: Any
) -> list[tuple[int, str]]:
    """Set `values` on those rows of `references` whose state is `was`; id and reference of each that was changed."""
    table: Any = model
    changed: list[tuple[int, str]] = []
    for first in range(0, len(references), STATEMENT_REFERENCES):
        some = references[first : first + STATEMENT_REFERENCES]
        found = await session.exec(
            update(model)
            .where(table.reference.in_(some), table.state == was)
            .values(version=col(model.version) + 1, **values)
            .returning(table.id, table.reference)
            .execution_options(synchronize_session=False)
        )
        changed += [(identity, reference) for identity, reference in found.all()]
    return changed


def overtaken(reference: str, state: str) -> str:
    """What the second of two editors is told."""
    return f"Somebody has changed {reference} meanwhile: it is {state} now. Nothing of yours was stored."
