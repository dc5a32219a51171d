"""What every table shares: the naming convention of constraints, and columns that hold a member of an enum.

Imported by each `tables.py` before its first table, so that the convention holds for all. Times need nothing here:
SQLModel stores a plain `datetime` field as aware UTC and refuses naive ones.
"""

from enum import StrEnum
from typing import Any

from sqlalchemy import Enum, Index, text
from sqlmodel import Field, SQLModel

SQLModel.metadata.naming_convention = {
    "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "ck": "ck_%(table_name)s_%(constraint_name)s",
    "fk": "fk_%(table_name)s_%(column_0_N_name)s_%(referred_table_name)s",
    "pk": "pk_%(table_name)s",
}


def choice(members: type[StrEnum], name: str, **options: Any) -> Any:
    """A column that holds one value of `members`, held to its list by a check constraint called `name`.

    Stored as text on every database, so that a new member is one changed constraint, not a new type.
    """
    kind = Enum(
        members,
        name=name,
        native_enum=False,
        create_constraint=True,
        length=24,
        values_callable=lambda enum: [member.value for member in enum],
    )
    return Field(sa_type=kind, **options)


def searched_index(table: str, *kind: str) -> Index:
    """Of the order in which a list shows its newest rows, with the text that is searched.

    SQLite then searches this index from end to end instead of the wide rows. `kind` is the column that tells several lists in
    one table apart.
    """
    return Index(f"ix_{table}_searched", *kind, "created_at", "id", "search")


def address_index(table: str, column: str = "email") -> Index:
    """Of e-mail addresses in small letters, by which lists and `personal_data.of_person` find somebody's rows.

    A migration that changes a constraint uses `alter_table`, or SQLite's copy of the table loses the index.
    """
    return Index(f"ix_{table}_lower_{column}", text(f'lower("{column}")'))
