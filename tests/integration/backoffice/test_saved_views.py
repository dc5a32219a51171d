"""Saved views of lists: each member of staff has their own, by name, up to a limit."""

import pytest

from agency_site.auth.rules import Staff
from agency_site.backoffice.audit_log import AUDIT_LOG
from agency_site.backoffice.lists.saved_views import MOST_VIEWS, delete_view, keep_view, views_of
from agency_site.db.engine import read_scope, session_scope
from agency_site.errors import InputRejected
from tests.integration.backoffice.conftest import enter, find_signed_in, hire

pytestmark = pytest.mark.usefixtures("database")


async def member_of_staff(email: str) -> Staff:
    """Sign in a new member of staff."""
    await hire(email)
    who = await find_signed_in((await enter(email)).token)
    assert who is not None
    return who


async def keep(who: Staff, name: str, query: str) -> None:
    async with session_scope() as session:
        await keep_view(session, who, AUDIT_LOG, name, query)


async def list_views(who: Staff) -> dict[str, str]:
    """Return names and queries."""
    async with read_scope() as session:
        return {view.name: view.query for view in await views_of(session, who, AUDIT_LOG)}


async def test_one_view_too_many_is_refused_and_an_old_one_may_still_be_replaced() -> None:
    who = await member_of_staff("amina@mwanga.example")
    for number in range(MOST_VIEWS):
        await keep(who, f"View {number:02}", "q=old")
    with pytest.raises(InputRejected) as refused:
        await keep(who, "One more", "q=new")
    assert refused.value.by_field() == {"view": f"{MOST_VIEWS} saved views is the maximum. Delete one first."}
    await keep(who, "View 07", "q=new")
    views = await list_views(who)
    assert (len(views), views["View 07"], views["View 08"]) == (MOST_VIEWS, "q=new", "q=old")


async def test_a_member_of_staff_deletes_only_own_views() -> None:
    owner, colleague = (
        await member_of_staff("amina@mwanga.example"),
        await member_of_staff("njeri@mwanga.example"),
    )
    await keep(owner, "Moves", "q=moved")
    async with session_scope() as session:
        (view,) = await views_of(session, owner, AUDIT_LOG)
        await delete_view(session, colleague, view.id or 0)
    assert (await list_views(owner), await list_views(colleague)) == ({"Moves": "q=moved"}, {})
    async with session_scope() as session:
        await delete_view(session, owner, view.id or 0)
    assert await list_views(owner) == {}
