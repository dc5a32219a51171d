"""Roles and permissions: one table, and every role can sign in."""

import pytest

from agency_site.auth.rules import PERMISSIONS, ROLE_NAMES, Permission, Role, Staff


def test_every_role_has_its_rights_and_a_name() -> None:
    assert set(PERMISSIONS) == set(ROLE_NAMES) == set(Role)


def test_the_owner_may_do_everything() -> None:
    assert PERMISSIONS[Role.OWNER] == frozenset(Permission)


@pytest.mark.parametrize("role", Role)
def test_all_roles_may_enter_and_see_what_they_work_on(role: Role) -> None:
    rights = PERMISSIONS[role]
    assert Permission.ENTER in rights
    for right in rights:
        if right.value.startswith("work_"):
            assert Permission(right.value.replace("work_", "see_")) in rights


@pytest.mark.parametrize("permission", [Permission.MANAGE_STAFF, Permission.SEE_AUDIT, Permission.PRIVACY])
def test_only_owners_manage_staff(permission: Permission) -> None:
    assert [role for role in Role if permission in PERMISSIONS[role]] == [Role.OWNER]


def test_a_viewer_changes_nothing() -> None:
    assert {right.value.partition("_")[0] for right in PERMISSIONS[Role.VIEWER]} == {"enter", "see"}


def test_money_is_worked_on_by_finance_and_owners_only() -> None:
    assert {role for role in Role if Permission.WORK_PAYMENTS in PERMISSIONS[role]} == {
        Role.OWNER,
        Role.FINANCE,
    }


def test_a_member_of_staff_has_the_permissions_of_the_role() -> None:
    receptionist = Staff(1, "desk@mwanga.example", "Desk", Role.FRONT_DESK, 1, "")
    assert receptionist.has_permission(Permission.WORK_BOOKINGS)
    assert not receptionist.has_permission(Permission.WORK_PAYMENTS)


def test_staff_without_a_required_second_factor_reach_only_their_own_account() -> None:
    owner = Staff(1, "owner@mwanga.example", "Owner", Role.OWNER, 1, "", held_back=True)
    assert [right for right in Permission if owner.has_permission(right)] == [Permission.ENTER_ACCOUNT]
