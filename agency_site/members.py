"""Members of stored enums, and values that only a later release knows.

A release reads a member before the next one writes it. Servers of both run side by side during an upgrade, and after a way back
rows keep what the later one has written: such a value has no rights, allows no step, and is shown as it is stored.
"""

from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import TypeVar

Member = TypeVar("Member", bound=StrEnum)
Value = TypeVar("Value")


def unknown_member(members: type[Member], value: str) -> Member:
    """Return an object of the enum's class for a value that is none of its members. It equals only itself and its text."""
    member = str.__new__(members, value)
    member._name_ = member._value_ = value
    return member


class ByMember(dict[Member, Value]):
    """A table with a value for each member of an enum; for an unknown one `unknown` makes it."""

    def __init__(self, table: Mapping[Member, Value], unknown: Callable[[Member], Value]) -> None:
        super().__init__(table)
        self._unknown = unknown

    def __missing__(self, member: Member) -> Value:
        return self._unknown(member)


def names(table: Mapping[Member, str]) -> ByMember[Member, str]:
    """Return a table of the words for members. An unknown one is called as it is stored."""
    return ByMember(table, str)


def steps(table: Mapping[Member, frozenset[Value]]) -> ByMember[Member, frozenset[Value]]:
    """Return a table of what each member allows. An unknown one allows nothing."""
    return ByMember(table, lambda _member: frozenset())
