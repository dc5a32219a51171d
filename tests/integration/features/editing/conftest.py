"""Browsers of staff who upload pictures, and the pictures as they are stored."""

import httpx
import pytest

from agency_site.auth.rules import Role
from agency_site.db.engine import read_scope
from agency_site.features.editing.pictures import api
from agency_site.features.editing.pictures.api import PICTURE_UPLOAD
from agency_site.features.editing.pictures.records import PictureRecord
from agency_site.features.editing.pictures.usecases import find_by_digest
from tests.http_clients import ORIGIN
from tests.integration.staff_sessions import session_header

JSON = {"Accept": "application/json"}


@pytest.fixture(autouse=True)
def no_recent_files() -> None:
    """Forget the files of the test before: the same pictures have the same digests in every test."""
    api._recent_files.clear()


@pytest.fixture
async def staff(visitor: httpx.AsyncClient) -> httpx.AsyncClient:
    """The browser of an editor."""
    visitor.headers.update(await session_header(Role.EDITOR) | {"Origin": ORIGIN})
    return visitor


async def upload(
    browser: httpx.AsyncClient, content: bytes, name: str = "IMG_1.jpg", **fields: str
) -> httpx.Response:
    return await browser.post(PICTURE_UPLOAD, files={"picture": (name, content)}, data=fields, headers=JSON)


async def stored(
    browser: httpx.AsyncClient, content: bytes, name: str = "IMG_1.jpg", **fields: str
) -> PictureRecord:
    """Upload a file, and return its picture."""
    answer = await upload(browser, content, name, **fields)
    assert answer.status_code == 200, answer.text
    async with read_scope() as session:
        return await find_by_digest(session, answer.json()["digest"])
