"""Refusals are audited with few entries, and never with text that a stranger typed."""

from collections import Counter
from datetime import datetime

import httpx
import pytest
from sqlmodel import select

from agency_site import clock
from agency_site.auth import audit, second_factor, usecases
from agency_site.auth.accounts import lock_account
from agency_site.auth.audit import REFUSALS_PER_ACTOR, REFUSALS_WITHIN, SAME_WITHIN
from agency_site.auth.errors import CodeRefused
from agency_site.auth.rules import PERMISSIONS, Permission, Role
from agency_site.auth.sessions import Visit
from agency_site.auth.tables import AuditEntry
from agency_site.auth.usecases import UNKNOWN_ACCOUNT
from agency_site.db.engine import read_scope, session_scope
from agency_site.errors import InputRejected, SiteError
from agency_site.staff_application import back_office_groups
from tests.integration.backoffice.conftest import HERE, PASSWORD, hire, on_duty
from tests.integration.staff_sessions import session_header

pytestmark = pytest.mark.usefixtures("database", "noon")
AMINA = "amina@mwanga.example"


async def logged(*actions: str) -> list[tuple[str, str, str, str]]:
    """Return action, actor, reference and address of the log's entries for these actions."""
    async with read_scope() as session:
        entries = (await session.exec(select(AuditEntry).order_by(AuditEntry.id))).all()  # type: ignore[arg-type]
    return [(e.action, e.actor, e.reference, e.address) for e in entries if e.action in actions]


async def fail(email: str, password: str = "not the password", visit: Visit = HERE) -> None:
    with pytest.raises(SiteError):
        await usecases.sign_in(session_scope, email, password, visit)


async def test_a_failed_sign_in_is_logged_under_the_account_it_was_meant_for() -> None:
    await hire()
    await fail(AMINA.upper())
    assert await logged("staff.sign_in_refused") == [
        ("staff.sign_in_refused", AMINA, AMINA, HERE.address),
    ]


async def test_what_was_typed_stays_out_of_the_log() -> None:
    await hire()
    for secret in ("my-password-in-the-wrong-box", "visitor@shop.example"):
        await fail(secret, "another-secret")
    await fail(AMINA, "a-third-secret")
    async with read_scope() as session:
        entries = str((await session.exec(select(AuditEntry))).all())
    for secret in ("wrong-box", "visitor", "another-secret", "third-secret"):
        assert secret not in entries
    assert {actor for _, actor, *_ in await logged("staff.sign_in_refused")} == {UNKNOWN_ACCOUNT, AMINA}


async def test_the_same_failure_again_is_one_line_until_a_quarter_of_an_hour_has_passed(
    noon: datetime,
) -> None:
    await hire()
    for _ in range(3):
        await fail(AMINA)
    assert len(await logged("staff.sign_in_refused")) == 1
    with clock.frozen(noon + SAME_WITHIN):
        await fail(AMINA)
    assert len(await logged("staff.sign_in_refused")) == 2


async def test_a_flood_from_everywhere_fills_the_log_with_few_lines(noon: datetime) -> None:
    await hire()
    for number in range(REFUSALS_PER_ACTOR + 15):
        await fail(AMINA, visit=Visit(f"198.51.100.{number}"))
        await fail(f"nobody-{number}@mwanga.example", visit=Visit(f"203.0.113.{number}"))
    lines = await logged("staff.sign_in_refused", "staff.sign_in_blocked")
    assert set(Counter((action, actor) for action, actor, *_ in lines).values()) == {REFUSALS_PER_ACTOR}
    with clock.frozen(noon + REFUSALS_WITHIN):
        await fail(AMINA, visit=Visit("192.0.2.1"))
    assert len(await logged("staff.sign_in_refused", "staff.sign_in_blocked")) == len(lines) + 1


async def test_a_blocked_sign_in_is_logged_once() -> None:
    await hire()
    for _ in range(8):
        await fail(AMINA)
    assert await logged("staff.sign_in_blocked") == [("staff.sign_in_blocked", AMINA, AMINA, HERE.address)]


async def test_a_wrong_code_and_a_wrong_password_of_signed_in_staff_are_logged() -> None:
    who = await on_duty()
    with pytest.raises(InputRejected):
        await second_factor.begin_totp(session_scope, who, "not the password")
    await second_factor.begin_totp(session_scope, who, PASSWORD)
    async with session_scope() as session:
        account = await lock_account(session, who.account_id)
        account.totp_seed = account.totp_next_seed
    pending = await usecases.sign_in(session_scope, AMINA, PASSWORD, HERE)
    assert isinstance(pending, usecases.CodeNeeded)
    with pytest.raises(CodeRefused):
        await usecases.enter_code(session_scope, pending.pending, "000000", HERE)
    assert [action for action, *_ in await logged("staff.password_refused", "staff.code_refused")] == [
        "staff.password_refused",
        "staff.code_refused",
    ]


EXPORTS = (
    "/admin/export/bookings.csv",
    "/admin/export/orders.csv",
    "/admin/export/enrolments.csv",
    "/admin/export/reconciliation.csv",
)


@pytest.mark.parametrize("path", EXPORTS)
async def test_a_viewer_exports_nothing_and_the_log_names_the_attempt(
    client: httpx.AsyncClient, path: str
) -> None:
    assert back_office_groups()  # Whose lists can be exported.
    viewer = await session_header(Role.VIEWER)
    for _ in range(3):
        assert (await client.get(path, headers=viewer)).status_code == 403
    ((_, actor, reference, address),) = await logged("staff.right_refused")
    assert actor.startswith("viewer-")
    assert (reference, address) == (Permission.EXPORT.value, "203.0.113.9")
    assert await logged("list.exported") == []
    assert (await client.get(path, headers=await session_header())).status_code == 200


async def test_a_refused_handler_is_logged_once_for_each_right() -> None:
    viewer = await on_duty("viewer@mwanga.example", Role.VIEWER)
    for right in (Permission.WORK_MAIL, Permission.WORK_MAIL, Permission.MANAGE_STAFF):
        async with session_scope() as session:
            await audit.record_refused_permission(session, viewer, right)
    assert [reference for _, _, reference, _ in await logged("staff.right_refused")] == [
        "work_mail",
        "manage_staff",
    ]


def test_viewers_and_trainers_export_nothing() -> None:
    without = {role for role in Role if Permission.EXPORT not in PERMISSIONS[role]}
    assert without == {Role.VIEWER, Role.TRAINER}
