"""Previews of an issue: documents for a frame."""

import httpx
import pytest

from agency_site.auth.rules import Role
from agency_site.features.newsletter.admin.issue_previews import ADDRESS
from tests.integration.features.newsletter.issues import write_issue
from tests.integration.staff_sessions import session_header

pytestmark = pytest.mark.usefixtures("database", "noon")


@pytest.mark.parametrize("preview", ["mail", "page"])
async def test_an_editor_previews_an_issue_as_it_will_be_sent(
    client: httpx.AsyncClient, preview: str
) -> None:
    issue = await write_issue()
    answer = await client.get(
        f"{ADDRESS}{issue.reference}/{preview}", headers=await session_header(Role.EDITOR)
    )
    assert answer.status_code == 200
    assert "People stop where others wait." in answer.text
    assert ("Change my topics" in answer.text) == (preview == "mail")
    policy = answer.headers["content-security-policy"]
    assert "script" not in policy
    assert "frame-ancestors 'self'" in policy
    assert answer.headers["cache-control"] == "no-store"


async def test_visitors_and_viewers_get_no_preview_and_unknown_issues_have_none(
    client: httpx.AsyncClient,
) -> None:
    address = f"{ADDRESS}{(await write_issue()).reference}/mail"
    assert (await client.get(address)).status_code == 401
    assert (await client.get(address, headers=await session_header(Role.VIEWER))).status_code == 403
    editor = await session_header(Role.EDITOR)
    assert (await client.get(f"{ADDRESS}NL-NOBODY/mail", headers=editor)).status_code == 404
    assert (await client.get(address.replace("mail", "poster"), headers=editor)).status_code == 422
