"""The screen on which owners choose the channels of notices."""

from collections.abc import Callable

import pytest
from sqlmodel import col, select

from agency_site.auth.rules import Role
from agency_site.auth.tables import AuditEntry
from agency_site.backoffice.notices.state import NoticesPage
from agency_site.db.engine import read_scope, session_scope
from agency_site.notices.rules import Channel, NoticeKind
from agency_site.notices.staff_usecases import choose_channel
from tests.integration.backoffice.conftest import Tab, enter, hire

pytestmark = pytest.mark.usefixtures("database")
KIND = NoticeKind.BOOKING_MOVED
SCREEN = "/admin/notices"


async def open_screen(role: Role = Role.OWNER) -> Tab:
    await hire("amina@mwanga.example", role)
    tab = Tab(NoticesPage, (await enter()).token, SCREEN)
    await tab.run("open_notices")
    return tab


def channels(tab: Tab) -> dict[str, tuple[str, int]]:
    """Return channel and version of each kind, as the screen shows them."""
    return {line.kind: (line.channel, line.version) for line in tab.state.lines}


async def list_audited() -> list[tuple[str, str, str]]:
    async with read_scope() as session:
        query = select(AuditEntry).where(AuditEntry.kind == "notice").order_by(col(AuditEntry.id))
        return [(entry.action, entry.reference, entry.detail) for entry in await session.exec(query)]


async def test_an_owner_sees_every_kind_and_a_choice_is_saved_at_once() -> None:
    tab = await open_screen()
    assert channels(tab) == {kind.value: ("both", 0) for kind in NoticeKind}
    await tab.run("choose", kind=KIND.value, version=0, channel="sms")
    assert channels(tab)[KIND.value] == ("sms", 1)
    assert tab.state.lines[1].author == "amina@mwanga.example"
    assert (tab.back_office.done, tab.back_office.problem) == ("Booking moved: SMS.", "")
    assert await list_audited() == [("notice.channel_chosen", "booking-moved", "sms")]


async def test_a_choice_that_another_owner_has_changed_is_shown_and_not_overwritten() -> None:
    tab = await open_screen()
    async with session_scope() as session:
        await choose_channel(session, KIND, 0, Channel.MAIL, "brian@mwanga.example")
    await tab.run("choose", kind=KIND.value, version=0, channel="sms")
    assert channels(tab)[KIND.value] == ("mail", 1)
    assert "Another owner has just chosen" in tab.back_office.problem
    assert await list_audited() == []


@pytest.mark.parametrize(
    ("kind", "version", "channel"),
    [("no-such-kind", 0, "sms"), (KIND.value, 0, "pigeon"), (KIND.value, "0", "sms"), ({}, [], None)],
)
async def test_arguments_of_any_kind_are_refused(kind: object, version: object, channel: object) -> None:
    tab = await open_screen()
    await tab.run("choose", kind=kind, version=version, channel=channel)
    assert tab.back_office.problem == "Please choose one of the channels."
    assert channels(tab)[KIND.value] == ("both", 0)


@pytest.mark.parametrize("role", [role for role in Role if role is not Role.OWNER])
async def test_only_owners_see_and_choose_channels(role: Role) -> None:
    tab = await open_screen(role)
    assert (tab.state.lines, bool(tab.back_office.refusal)) == ([], True)
    await tab.run("choose", kind=KIND.value, version=0, channel="sms")
    assert await list_audited() == []


async def test_the_screen_says_whether_text_messages_are_sent(configure: Callable[..., object]) -> None:
    tab = await open_screen()
    assert tab.state.has_provider
    configure(env="production")
    # Without the check of the session, whose cookie has another name in production.
    await tab.state._load_lines()
    assert not tab.state.has_provider
