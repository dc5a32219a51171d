"""Forms of a browser without scripts, posted to the API."""

import re
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager

import httpx

from agency_site.antispam.rules import STAMP_FIELD
from agency_site.antispam.stamps import new_stamp
from agency_site.web.serving.api import create_api

ORIGIN = "http://localhost:3000"


@asynccontextmanager
async def visitor() -> AsyncIterator[httpx.AsyncClient]:
    """A browser without scripts on our own page."""
    headers = {"Accept": "text/html", "Origin": ORIGIN, "Sec-Fetch-Site": "same-origin"}
    transport = httpx.ASGITransport(app=create_api())
    async with httpx.AsyncClient(transport=transport, base_url=ORIGIN, headers=headers) as client:
        yield client


def stamped(fields: Mapping[str, str]) -> dict[str, str]:
    """The fields with the stamp of a page that is sent now."""
    return {**fields, STAMP_FIELD: new_stamp()}


def main_of(page: str) -> str:
    """Return the text of a page between header and footer."""
    return page.partition("<main")[2].partition("</main>")[0]


def errors_of(page: str) -> dict[str, str]:
    """The messages next to the fields of a page, by the last part of their ids."""
    parts = re.findall(
        r'<p (?=[^>]*class="field-error")[^>]*id="([\w-]+)-error"[^>]*>(.*?)</p>', main_of(page)
    )
    messages = {name.rpartition("-")[2]: re.sub("<[^>]*>", "", text) for name, text in parts}
    return {name: text for name, text in messages.items() if text}
