"""Roles and permissions: one table, and every role can sign in."""

import pytest

from agency_site.auth.rules import PERMISSIONS, ROLE_NAMES, Permission, Role, Staff
from agency_site.settings import ROOT
from agency_site.settings.site import STAFF_ROLES


def test_every_role_has_its_rights_and_a_name() -> None:
    assert set(PERMISSIONS) == set(ROLE_NAMES) == set(Role)


def test_the_settings_know_every_role_because_each_needs_a_second_factor_on_a_public_site() -> None:
    assert set(STAFF_ROLES) == set(Role)


GUIDE: dict[str, tuple[Permission, Permission | None]] = {
    "bookings": (Permission.SEE_BOOKINGS, Permission.WORK_BOOKINGS),
    "hours, blackouts, booking policy, consultants, calendars": (Permission.SET_HOURS, Permission.SET_HOURS),
    "payments, orders, coupons": (Permission.SEE_PAYMENTS, Permission.WORK_PAYMENTS),
    "returns through M-Pesa": (Permission.RETURN_PAYMENTS, Permission.RETURN_PAYMENTS),
    "enrolments, planning of course runs": (Permission.SEE_ENROLMENTS, Permission.WORK_ENROLMENTS),
    "learners, attendance, messages to a run, certificates": (
        Permission.SEE_LEARNERS,
        Permission.WORK_LEARNERS,
    ),
    "messages, sign-ups, registrations": (Permission.SEE_MESSAGES, Permission.WORK_MESSAGES),
    "comments": (Permission.SEE_COMMENTS, Permission.WORK_COMMENTS),
    "subscribers": (Permission.SEE_SUBSCRIBERS, Permission.WORK_SUBSCRIBERS),
    "newsletters": (Permission.WORK_SUBSCRIBERS, Permission.WORK_SUBSCRIBERS),
    "content, pictures": (Permission.SEE_CONTENT, Permission.WORK_CONTENT),
    "prices of courses and plans": (Permission.SET_PRICES, Permission.SET_PRICES),
    "channels of notices": (Permission.SET_NOTICES, Permission.SET_NOTICES),
    "mail, text messages": (Permission.SEE_MAIL, Permission.WORK_MAIL),
    "visits, reports": (Permission.SEE_REPORTS, None),
    "exports: CSV, files, calendar feed of bookings": (Permission.EXPORT, None),
    "audit log": (Permission.SEE_AUDIT, None),
    "data requests": (Permission.PRIVACY, Permission.PRIVACY),
    "staff accounts": (Permission.MANAGE_STAFF, Permission.MANAGE_STAFF),
}
"""Rows of the guide's table: the permission to see, and the one to change."""


def describe_rights(role: Role, see: Permission, work: Permission | None) -> str:
    """Return the cell of the guide."""
    rights = PERMISSIONS[role]
    if see not in rights:
        return ""
    if see is Permission.EXPORT:
        return "yes"
    if see is Permission.SEE_LEARNERS and Permission.SEE_ENROLMENTS not in rights:
        return "own runs"
    return "full" if work in rights else "view"


def test_the_guide_has_the_rights_of_every_role() -> None:
    section = (ROOT / "docs" / "back-office.md").read_text().partition("## Roles and permissions")[2]
    lines = [line for line in section.partition("\n## ")[0].splitlines() if line.startswith("|")]
    heading, _, *rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    assert heading[1:] == [ROLE_NAMES[role].lower() for role in Role]
    expected = [
        [name, *(describe_rights(role, *permissions) for role in Role)] for name, permissions in GUIDE.items()
    ]
    assert rows == expected
    named = {permission for pair in GUIDE.values() for permission in pair}
    assert named >= set(Permission) - {Permission.ENTER, Permission.ENTER_ACCOUNT}


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
