"""`python -m tests.integration.features.academy.moving SEED RUN …`: one process of the race in `test_moves.py`.

It moves the enrolments of all orders between the runs, ends some, and names learners meanwhile.
"""

import asyncio
import json
import random
import sys
from collections import Counter

from sqlmodel import col, select

from agency_site.clock import now
from agency_site.db.engine import dispose_engine, read_scope, session_scope
from agency_site.errors import SiteError
from agency_site.feature_contracts import join_features
from agency_site.features.academy.enrolments.moves import move_enrolment
from agency_site.features.academy.learners.naming import name_learners
from agency_site.features.academy.learners.tables import Enrolment
from agency_site.features.academy.runs.tables import CourseRun
from agency_site.features.checkout.orders.queries import find_order_token
from agency_site.features.checkout.orders.tables import Order
from agency_site.places import buyers, places

ATTEMPTS = 25


async def act(chance: random.Random, seed: str, number: int, enrolment: Enrolment, runs: list[str]) -> str:
    """Do one random change. Return its kind."""
    kind = chance.choice(("move", "move", "move", "name", "end"))
    async with session_scope() as session:
        if kind == "move":
            current = await session.get_one(Enrolment, enrolment.id)
            run = await session.get_one(CourseRun, current.run_id)
            await move_enrolment(
                session, enrolment.reference, run.reference, chance.choice(runs), "wanjiku@example.com"
            )
        elif kind == "name":
            order = await session.get_one(Order, enrolment.order_id)
            form = {"name-2": "Otieno", "email-2": f"otieno{seed}x{number}@example.com"}
            await name_learners(session, find_order_token(order) or "", form)
        elif chance.random() < 0.1:
            await buyers().lock_order(session, enrolment.order_id)
            await places().end_enrolment(session, enrolment.order_id, now())
    return kind


async def main(seed: str, *runs: str) -> None:
    join_features()
    chance, done = random.Random(seed), Counter[str]()
    async with read_scope() as session:
        enrolments = (await session.exec(select(Enrolment).order_by(col(Enrolment.id)))).all()
    for number in range(ATTEMPTS):
        try:
            done[await act(chance, seed, number, chance.choice(enrolments), list(runs))] += 1
        except SiteError as refused:
            done[type(refused).__name__] += 1
    sys.stdout.write(json.dumps(done))
    await dispose_engine()


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
