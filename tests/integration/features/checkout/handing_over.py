"""`python -m tests.integration.features.checkout.handing_over KIND RUN`: one process of the race in `test_place_races.py`.

A `job` gives free places to the waiting list; a `buyer` wants them as well.
"""

import asyncio
import json
import sys
from collections import Counter

from agency_site.db.engine import dispose_engine
from agency_site.feature_contracts import join_features
from agency_site.features.academy.jobs import offer_freed_places, release_given_up
from tests.integration.features.checkout.buying import order_places

ROUNDS = 30


async def main(kind: str, run: str) -> None:
    join_features()
    done = Counter[str]()
    for number in range(ROUNDS):
        if kind == "job":
            await release_given_up()
            done["offered"] += await offer_freed_places()
        else:
            done["sold" if await order_places(run, f"buyer{number}", 1) else "full"] += 1
    sys.stdout.write(json.dumps(done))
    await dispose_engine()


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
