"""`python -m tests.integration.features.checkout.refunding AMOUNT SEED`: one process of the race in `test_refunds.py`.

It refunds parts of the first payment, each twice under one reference, as a repeated request does.
"""

import asyncio
import json
import sys
from collections import Counter

from agency_site.db.engine import dispose_engine, session_scope
from agency_site.errors import InputRejected, StaleRecord
from agency_site.feature_contracts import join_features
from agency_site.features.checkout.refunds.refunds import record_refund
from agency_site.features.checkout.refunds.staff_request import Refund

ATTEMPTS = 8


async def record_once(refund: Refund) -> str:
    try:
        async with session_scope() as session:
            await record_refund(session, 1, refund, "wanjiku@mwanga.example")
    except (InputRejected, StaleRecord):
        return "rejected"
    return "recorded"


async def main(amount: str, seed: str) -> None:
    join_features()
    outcomes = Counter[str]()
    for number in range(ATTEMPTS):
        refund = Refund(f"RF {seed} {number}", "wanted", int(amount))
        ends = await asyncio.gather(record_once(refund), record_once(refund))
        outcomes[ends[0]] += 1
    sys.stdout.write(json.dumps(outcomes))
    await dispose_engine()


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
