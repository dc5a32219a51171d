"""The links to calendar feeds on the page of the own account."""

import pytest

from agency_site.auth.rules import Role
from agency_site.backoffice.accounts.calendar_feeds import CalendarFeeds
from tests.integration.backoffice.conftest import Tab, enter, hire

pytestmark = pytest.mark.usefixtures("database")

ALL = ["All bookings", "Your consultations", "Your course sessions"]


async def open_account(role: Role) -> Tab:
    await hire(role=role)
    tab = Tab(CalendarFeeds, (await enter()).token, "/admin/account")
    await tab.run("open_feeds")
    return tab


@pytest.mark.parametrize(
    ("role", "labels"),
    [(Role.OWNER, ALL), (Role.FRONT_DESK, ALL), (Role.FINANCE, ALL), (Role.VIEWER, ALL[2:]), (Role.TRAINER, ALL[2:]),
     (Role.EDITOR, [])],
)  # fmt: skip
async def test_a_role_gets_the_links_that_it_may_read(role: Role, labels: list[str]) -> None:
    tab = await open_account(role)
    assert tab.state.is_offered is bool(labels)
    await tab.run("make_link")
    assert [feed.label for feed in tab.state.addresses] == labels
    assert tab.state.has_link is bool(labels)
    assert bool(tab.back_office.problem) is not bool(labels)


async def test_links_are_shown_once_and_revoked_together() -> None:
    tab = await open_account(Role.OWNER)
    await tab.run("make_link")
    paths = [feed.address.partition("/calendar/")[2] for feed in tab.state.addresses]
    assert len({path[:43] for path in paths}) == 1
    assert [path[43:] for path in paths] == [".ics", "/consultations.ics", "/sessions.ics"]
    await tab.run("open_feeds")
    assert (tab.state.addresses, tab.state.has_link) == ([], True)
    await tab.run("revoke_link")
    assert (tab.state.has_link, tab.back_office.done) == (False, "Calendar links revoked.")
