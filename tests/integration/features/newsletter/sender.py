"""A process that hands issues over until all have left; told so, it stands still in the middle of its second batch.

Arguments: the database, and where to stand still: `deliveries` (written, but not the messages), `messages` (written, but
nothing committed), `commit` (done); empty: nowhere.
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
STANDS_STILL = sys.argv[2]


async def stand_still() -> None:
    """Say where, and wait to be killed."""
    sys.stdout.write(f"{STANDS_STILL}\n")
    sys.stdout.flush()
    await asyncio.Event().wait()


async def main() -> None:
    """Work."""
    batches, write = 0, vars(campaign_sends)["enqueue_all"]

    async def watched(*arguments: object) -> None:
        nonlocal batches
        batches += 1
        if batches == 2 and STANDS_STILL == "deliveries":
            await stand_still()
        await write(*arguments)
        if batches == 2 and STANDS_STILL == "messages":
            await stand_still()

    vars(campaign_sends)["enqueue_all"] = watched
    while True:
        await send_due_issues()
        if batches == 2 and STANDS_STILL == "commit":
            await stand_still()
        async with read_scope() as session:
            if not await campaign_sends.is_issue_due(session):
                return


asyncio.run(main())
