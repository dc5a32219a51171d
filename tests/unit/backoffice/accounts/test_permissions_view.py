"""The table of permissions on the screen agrees with the table in the code."""

import pytest

from agency_site.auth.rules import PERMISSIONS, ROLE_NAMES, Permission, Role, Staff
from agency_site.backoffice.accounts.permissions_view import AREAS, PERMISSIONS_OF_ALL, access_level


def test_every_permission_is_in_the_table() -> None:
    named = {right for _, see, work in AREAS for right in (see, work) if right}
    assert named | PERMISSIONS_OF_ALL == set(Permission)


@pytest.mark.parametrize("role", Role)
def test_all_roles_have_the_permissions_outside_of_the_table(role: Role) -> None:
    assert PERMISSIONS[role] >= PERMISSIONS_OF_ALL


@pytest.mark.parametrize(
    ("role", "reached"),
    [
        (Role.OWNER, "Full"),
        (Role.FRONT_DESK, "View"),
        (Role.FINANCE, "Full"),
        (Role.EDITOR, ""),
        (Role.VIEWER, "View"),
        (Role.TRAINER, ""),
    ],
)
def test_the_table_shows_what_a_role_may_do(role: Role, reached: str) -> None:
    assert access_level(role, Permission.SEE_PAYMENTS, Permission.WORK_PAYMENTS) == reached
    assert role in ROLE_NAMES


def test_an_area_without_a_work_permission_is_only_viewed() -> None:
    assert access_level(Role.OWNER, Permission.SEE_AUDIT, None) == "View"
    assert access_level(Role.FRONT_DESK, None, Permission.MANAGE_STAFF) == ""


@pytest.mark.parametrize("role", Role)
def test_staff_who_must_set_up_a_second_factor_may_manage_only_their_own_account(role: Role) -> None:
    held_back_staff = Staff(1, "owing@mwanga.example", "Owing", role, 1, "", held_back=True)
    assert [right for right in Permission if held_back_staff.has_permission(right)] == [
        Permission.ENTER_ACCOUNT
    ]
