"""What publishing costs: the time until visitors see an article, pages a second before and after, and their bytes."""

import asyncio
import gzip
import os
import time
from collections.abc import Callable

import httpx

from agency_site.content.articles import ARTICLES
from agency_site.content.entries import Kind
from agency_site.db.engine import dispose_engine, session_scope
from agency_site.features.editing.entries import staff_usecases as staff
from agency_site.settings import settings
from tests.bench.load import pages_a_second
from tests.bench.running import heading, running_site

COMMAND = "python -m tests.bench.publishing"
PATHS = ("/about", "/blog", ARTICLES[0].href)
REQUESTS, ROUNDS, PATIENCE_SECONDS = 5_000, 5, 30.0
EDITOR = "editor@example.com"


async def publish(slug: str, title: str) -> None:
    """Change the title of a delivered article, and publish it."""
    async with session_scope() as session:
        entry = await staff.find_entry(session, Kind.ARTICLE, slug)
        fields = {**entry.fields, "title": title}
        saved = await staff.save_entry(session, Kind.ARTICLE, slug, entry.version, fields, EDITOR)
        await staff.publish_entry(session, Kind.ARTICLE, slug, saved.version, EDITOR)
    await dispose_engine()


def wait_for(condition: Callable[[], bool]) -> float:
    """Return the seconds until the condition holds. Raises AssertionError after half a minute."""
    start = time.monotonic()
    while not condition():
        assert time.monotonic() < start + PATIENCE_SECONDS, "the change is not visible"
    return time.monotonic() - start


def main() -> None:
    heading("Publishing: an article changes while a process serves the site", COMMAND)
    with running_site() as site, httpx.Client(base_url=site.url) as client:
        os.environ["AGENCY_DATABASE_URL"] = site.database_url
        settings.cache_clear()
        before = {path: client.get(path).content for path in PATHS}
        print("before", *(pages_a_second(site.url + path, REQUESTS) for path in PATHS), sep="\n  ")
        seconds = []
        for number in range(ROUNDS):
            title = f"Changed {number}"
            asyncio.run(publish(ARTICLES[0].slug, title))
            seconds.append(wait_for(lambda title=title: title in client.get(ARTICLES[0].href).text))  # type: ignore[misc]
        print(
            f"seconds from publishing to visible: {', '.join(f'{each:.1f}' for each in sorted(seconds))} (goal 2)"
        )
        print("after", *(pages_a_second(site.url + path, REQUESTS) for path in PATHS), sep="\n  ")
        for path in PATHS:
            was, now = before[path], client.get(path).content
            print(
                f"{path}: {len(was):,} bytes, now {len(now):,}; gzip {len(gzip.compress(was)):,}, now {len(gzip.compress(now)):,}"
            )


if __name__ == "__main__":
    main()
