"""A row with a member that only a later release knows is read, shown as it is stored, and changes nothing by itself."""

import importlib
import pkgutil
from collections.abc import Mapping
from enum import StrEnum
from typing import Any

import pytest
from sqlalchemy import Enum, text
from sqlmodel import select

import agency_site
from agency_site.backoffice.lists.definition import Cell
from agency_site.clock import now
from agency_site.db.engine import dispose_engine, read_scope, session_scope
from agency_site.db.tables import metadata
from agency_site.features.contact.admin.enquiries import STATES
from agency_site.features.contact.rules import STEPS, EnquiryKind
from agency_site.features.contact.tables import Enquiry
from agency_site.members import unknown_member

STORED_ENUMS: list[Any] = sorted(
    {
        column.type.enum_class
        for table in metadata.tables.values()
        for column in table.columns
        if isinstance(column.type, Enum) and column.type.enum_class
    },
    key=lambda members: members.__name__,
)
NOT_STORED = frozenset({"_PATHS", "KINDS", "_OUTCOMES"})
"""Tables that are asked for what code has chosen, not for what a row has."""


def tables_by_member() -> dict[str, Mapping[StrEnum, object]]:
    """Every table of the site with a value for each member of a stored enum, by module and name."""
    tables: dict[str, Mapping[StrEnum, object]] = {}
    for module in pkgutil.walk_packages(agency_site.__path__, "agency_site."):
        if ".artwork" in module.name or module.name.endswith("__main__"):
            continue
        for name, value in vars(importlib.import_module(module.name)).items():
            if not (isinstance(value, Mapping) and value and name not in NOT_STORED):
                continue
            members: Any = type(next(iter(value)))
            if members in STORED_ENUMS and {*value} == {*members}:
                tables[f"{module.name}.{name}"] = value
    return tables


def test_every_table_by_member_has_a_value_for_a_member_of_a_later_release() -> None:
    tables = tables_by_member()
    assert len(tables) > 30
    for name, table in tables.items():
        member = unknown_member(type(next(iter(table))), "of_a_later_release")
        value: Any = table[member]
        if not name.endswith(("_TONES", "SHOWN")) and isinstance(next(iter(table.values())), str | Cell):
            assert getattr(value, "text", value) == "of_a_later_release", name


def test_an_unknown_member_equals_none_and_is_called_as_it_is_stored() -> None:
    for members in STORED_ENUMS:
        member = unknown_member(members, "of_a_later_release")
        assert isinstance(member, members)
        assert member not in [*members]
        assert (f"{member}", member.value, member.name) == ("of_a_later_release",) * 3
        assert member == unknown_member(members, "of_a_later_release")


@pytest.mark.each_database
@pytest.mark.usefixtures("database")
async def test_a_row_with_an_unknown_member_is_read_shown_and_changed() -> None:
    async with session_scope() as session:
        session.add(
            Enquiry(
                reference="EQ-1",
                kind=EnquiryKind.MESSAGE,
                email="a@example.com",
                created_at=now(),
                updated_at=now(),
            )
        )
    async with session_scope() as session:
        connection = await session.connection()
        if connection.dialect.name == "sqlite":
            await connection.execute(text("PRAGMA ignore_check_constraints=ON"))
        else:
            await connection.execute(text("ALTER TABLE enquiries DROP CONSTRAINT ck_enquiries_state"))
        await connection.execute(text("UPDATE enquiries SET state = 'parked'"))
    async with session_scope() as session:
        row = (await session.exec(select(Enquiry))).one()
        assert (STATES[row.state].text, STEPS[row.state]) == ("parked", frozenset())
        row.subject = "Changed"
        session.add(row)
    async with read_scope() as session:
        stored = (await session.exec(select(Enquiry).where(Enquiry.subject == "Changed"))).one()
        assert stored.state.value == "parked"
    await dispose_engine()
