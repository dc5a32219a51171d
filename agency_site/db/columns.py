"""The naming convention of constraints, columns that hold a member of an enum, and indexes that several tables have.

Each `tables.py` imports this module before its first table, so that the convention holds for all. Times need no column of
their own: SQLModel stores a plain `datetime` field as aware UTC and refuses naive ones.
"""

from enum import StrEnum
from typing import Any, cast

from sqlalchemy import Enum, Index, text
from sqlmodel import Field, SQLModel

from agency_site.members import unknown_member

SQLModel.metadata.naming_convention = {
    "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "ck": "ck_%(table_name)s_%(constraint_name)s",
    "fk": "fk_%(table_name)s_%(column_0_N_name)s_%(referred_table_name)s",
    "pk": "pk_%(table_name)s",
}


class _SoftEnum(Enum):
    """The members of an enum, and values of a later release, whose servers run beside this one during an upgrade."""

    def _object_value_for_elem(self, elem: Any) -> Any:
        try:
            return super()._object_value_for_elem(elem)
        except LookupError:
            return unknown_member(cast("type[StrEnum]", self.enum_class), elem)


def choice(members: type[StrEnum], name: str, **options: Any) -> Any:
    """Return a column that holds one value of `members`; a check constraint called `name` refuses others.

    It is text on every database, so that a new member changes one constraint, not a type. A stored value that this release does
    not know is read as `members.unknown_member`.
    """
    kind = _SoftEnum(
        members,
        name=name,
        native_enum=False,
        create_constraint=True,
        length=24,
        values_callable=lambda enum: [member.value for member in enum],
    )
    return Field(sa_type=kind, **options)


def searched_index(table: str, *kind: str) -> Index:
    """Return the index for a list that is searched: newest rows in order, with the text that the search reads.

    SQLite then scans this index instead of the wide rows. `kind` is the column that separates several lists of one table.
    """
    return Index(f"ix_{table}_searched", *kind, "created_at", "id", "search")


def address_index(table: str, column: str = "email") -> Index:
    """Return the index of e-mail addresses in lower case, by which lists and `personal_data.matches_person` find a person's rows.

    A migration that changes a constraint uses `alter_table`, or SQLite's copy of the table lacks the index.
    """
    return Index(f"ix_{table}_lower_{column}", text(f'lower("{column}")'))
