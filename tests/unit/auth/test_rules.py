"""Rights: one table says who may do what, and every role can come in."""

import pytest

from agency_site.auth.rules import RIGHTS, ROLE_NAMES, Right, Role, Staff


def test_every_role_has_its_rights_and_a_name() -> None:
    assert set(RIGHTS) == set(ROLE_NAMES) == set(Role)


def test_the_owner_may_do_everything() -> None:
    assert RIGHTS[Role.OWNER] == frozenset(Right)


@pytest.mark.parametrize("role", Role)
def test_everybody_may_enter_and_sees_what_they_work_on(role: Role) -> None:
    rights = RIGHTS[role]
    assert Right.ENTER in rights
    for right in rights:
        if right.value.startswith("work_"):
            assert Right(right.value.replace("work_", "see_")) in rights


@pytest.mark.parametrize("right", [Right.MANAGE_STAFF, Right.SEE_AUDIT, Right.PRIVACY])
def test_only_owners_look_after_people(right: Right) -> None:
    assert [role for role in Role if right in RIGHTS[role]] == [Role.OWNER]


def test_a_viewer_changes_nothing() -> None:
    assert {right.value.partition("_")[0] for right in RIGHTS[Role.VIEWER]} == {"enter", "see"}


def test_money_is_worked_on_by_finance_and_owners_only() -> None:
    assert {role for role in Role if Right.WORK_PAYMENTS in RIGHTS[role]} == {Role.OWNER, Role.FINANCE}


def test_a_member_of_staff_may_what_the_role_may() -> None:
    desk = Staff(1, "desk@mwanga.example", "Desk", Role.FRONT_DESK, 1, "")
    assert desk.may(Right.WORK_BOOKINGS)
    assert not desk.may(Right.WORK_PAYMENTS)


def test_who_owes_a_second_factor_reaches_only_the_own_account() -> None:
    owner = Staff(1, "owner@mwanga.example", "Owner", Role.OWNER, 1, "", held_back=True)
    assert [right for right in Right if owner.may(right)] == [Right.ENTER_ACCOUNT]
