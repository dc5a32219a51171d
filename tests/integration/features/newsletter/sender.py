"""A process that sends issues until all are sent; on request it stops in the middle of its second batch.

Arguments: the database, and where to stop: `deliveries` (written, but not the messages), `messages` (written, but
nothing committed), `commit` (committed). An empty argument never stops it.
"""

import asyncio
import os
import sys

os.environ |= {"AGENCY_DATABASE_URL": sys.argv[1], "AGENCY_LOG_LEVEL": "error"}

from agency_site.db.engine import read_scope
from agency_site.features.newsletter import campaign_sends
from agency_site.features.newsletter.jobs import send_due_issues
from agency_site.settings import Settings

Settings.model_config["env_file"] = None
STOP_AT = sys.argv[2]


async def stop() -> None:
    """Print the place, and wait to be killed."""
    sys.stdout.write(f"{STOP_AT}\n")
    sys.stdout.flush()
    await asyncio.Event().wait()


async def main() -> None:
    """Send until no issue is due."""
    batches, write = 0, vars(campaign_sends)["enqueue_all"]

    async def watched(*arguments: object) -> None:
        nonlocal batches
        batches += 1
        if batches == 2 and STOP_AT == "deliveries":
            await stop()
        await write(*arguments)
        if batches == 2 and STOP_AT == "messages":
            await stop()

    vars(campaign_sends)["enqueue_all"] = watched
    while True:
        await send_due_issues()
        if batches == 2 and STOP_AT == "commit":
            await stop()
        async with read_scope() as session:
            if not await campaign_sends.list_due_issues(session):
                return


asyncio.run(main())
