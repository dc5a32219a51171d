"""`make staff` as a process of its own, which creates an account or resets one."""

import asyncio
import subprocess
import sys
from pathlib import Path

import pytest
from sqlmodel import select

from agency_site.auth import second_factor, usecases
from agency_site.auth.command import main
from agency_site.auth.errors import SignInRefused
from agency_site.auth.rules import Role
from agency_site.auth.tables import AuditEntry, StaffAccount
from agency_site.db.engine import read_scope, session_scope
from agency_site.settings import ROOT, settings
from tests.integration.backoffice.conftest import (
    HERE,
    PASSWORD,
    enter,
    find_signed_in,
    hire,
    on_duty,
    reloaded,
)
from tests.servers import bare_environment

AMINA = "amina@mwanga.example"


def run(database_url: str, *arguments: str, password: str = PASSWORD) -> subprocess.CompletedProcess[str]:
    own = {"AGENCY_DATABASE_URL": database_url, "STAFF_PASSWORD": password}
    command = [sys.executable, "-m", "agency_site.auth.command", *arguments]
    return subprocess.run(
        command,
        cwd=ROOT,
        env=bare_environment() | own,
        capture_output=True,
        text=True,
        check=False,
        stdin=subprocess.DEVNULL,
    )


async def test_the_command_creates_an_account_that_can_sign_in(database: str) -> None:
    done = run(database, f"--email={AMINA}", "--role=front-desk", "--name=Amina O'Dhiambo")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == f"Created {AMINA}, Front desk. Sign in at http://localhost:3000/admin\n"
    who = await find_signed_in((await enter()).token)
    assert who is not None
    assert (who.name, who.role) == ("Amina O'Dhiambo", Role.FRONT_DESK)
    async with read_scope() as session:
        entry = (await session.exec(select(AuditEntry))).first()
    assert entry is not None
    assert (entry.actor, entry.action, entry.reference) == ("shell", "staff.made", AMINA)


@pytest.mark.parametrize(
    ("email", "name"),
    [
        ("jane.wanjiru-0712345678@mwanga.example", "jane wanjiru"),
        ("0712345678@mwanga.example", "Staff"),
    ],
)
async def test_an_address_with_a_number_still_gives_a_name(database: str, email: str, name: str) -> None:
    done = run(database, f"--email={email}", "--role=front-desk")
    assert (done.returncode, done.stderr) == (0, "")
    async with read_scope() as session:
        account = (await session.exec(select(StaffAccount).where(StaffAccount.email == email))).one()
    assert account.name == name


async def test_the_command_resets_password_role_and_authenticator_and_signs_out(database: str) -> None:
    await on_duty("boss@mwanga.example")
    who = await on_duty()
    token = (await enter()).token
    await second_factor.begin_totp(session_scope, who, PASSWORD)
    async with session_scope() as session:
        account = await session.get_one(type(await reloaded(who.account_id)), who.account_id)
        account.totp_seed = account.totp_next_seed
    new = "shells are found on beaches"
    done = run(database, f"--email={AMINA}", "--role=viewer", password=new)
    assert done.returncode == 0
    assert done.stdout.startswith(
        f"Reset {AMINA}, Viewer: new password, no authenticator, no calendar link, signed out everywhere."
    )
    assert await find_signed_in(token) is None
    with pytest.raises(SignInRefused):
        await usecases.sign_in(session_scope, AMINA, PASSWORD, HERE)
    back = await find_signed_in((await enter(password=new)).token)
    assert back is not None
    assert (back.name, back.role) == ("Amina", Role.VIEWER)


@pytest.mark.parametrize(
    ("arguments", "password", "said"),
    [
        ((), PASSWORD, "Name the account"),
        (("--email=nobody", "--role=owner"), PASSWORD, "valid e-mail address"),
        (("--email=b@mwanga.example", "--role=king"), PASSWORD, "There is no role king. Roles: owner"),
        (("--email=b@mwanga.example",), PASSWORD, "To create one, add ROLE="),
        (("--email=b@mwanga.example", "--role=owner"), "short", "at least 12 characters"),
        (("--email=b@mwanga.example", "--role=owner"), "", "Set STAFF_PASSWORD"),
        ((f"--email={AMINA}", "--role=viewer"), PASSWORD, "only owner who can sign in"),
    ],
)
@pytest.mark.usefixtures("database")
async def test_bad_input_is_refused_in_one_line(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    arguments: tuple[str, ...],
    password: str,
    said: str,
) -> None:
    account = await hire()
    monkeypatch.setenv("STAFF_PASSWORD", password)
    settings.cache_clear()
    # In this process, because a process per case would spend its time on imports; other tests start one.
    assert await asyncio.to_thread(main, list(arguments)) == 1
    output = capsys.readouterr()
    assert (output.out, len(output.err.splitlines())) == ("", 1)
    assert said in output.err
    assert (await reloaded(account.id)).version == 1


def test_without_tables_the_command_says_what_to_do(tmp_path: Path) -> None:
    done = run(f"sqlite+aiosqlite:///{tmp_path}/none.sqlite3", f"--email={AMINA}", "--role=owner")
    assert done.returncode == 1
    assert done.stderr == "The database cannot be used. Start the site once to create its tables.\n"
