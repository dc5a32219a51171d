"""One history from its seed: planned, run, judged; and a failing one made smaller and described."""

import gc
from collections.abc import Collection
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import count
from typing import TypeVar

from tests.simulation.faults import FAMILIES, Planned, plan_faults
from tests.simulation.invariants import check_returns, find_violations, read_report
from tests.simulation.network import Broken, Lost, Refused
from tests.simulation.people import Person, act_out, complete, finish, plan_all
from tests.simulation.world import SERVERS, World, in_place

Item = TypeVar("Item")


@dataclass(frozen=True)
class Plan:
    """What a history consists of; its seed decides the order of everything."""

    seed: int
    people: tuple[Person, ...]
    faults: tuple[Planned, ...]


@dataclass(frozen=True)
class Outcome:
    """How a history went."""

    plan: Plan
    violations: tuple[str, ...]
    fingerprint: str
    steps: int
    story: tuple[str, ...]
    happened: tuple[Planned, ...]


def plan_history(seed: int, families: Collection[str] = tuple(FAMILIES)) -> Plan:
    """The plan that belongs to the seed."""
    return Plan(
        seed,
        plan_all(seed),
        plan_faults(seed, families, SERVERS),
    )


def run_plan(plan: Plan) -> Outcome:
    """Run one history. Call it inside `world.prepared`."""
    # A collection in between would run finalizers at a moment that no seed decides.
    gc.disable()
    world = World(plan.seed, plan.faults)
    with in_place(world):
        world.run(act_out(plan.people), _close)
        violations = find_violations(world)
    outcome = Outcome(
        plan,
        tuple(violations),
        world.scheduler.fingerprint,
        world.scheduler.steps,
        tuple(world.scheduler.trace),
        tuple(world.happened),
    )
    del world
    _collect()
    return outcome


_COLLECT_EVERY = 8
_histories = count(1)


def _collect() -> None:
    if next(_histories) % _COLLECT_EVERY == 0:
        gc.collect()
        # What crashed processes have left stays for good: it need not be looked at again.
        gc.freeze()


async def _close(world: World) -> None:
    with suppress(Lost, Refused, Broken):
        await check_returns(world)
    await finish(world)
    with suppress(Lost, Refused, Broken):
        await read_report(world)
    await complete(world)
    with suppress(Lost, Refused, Broken):
        await read_report(world)


def shrink(outcome: Outcome, tries: int = 120) -> Outcome:
    """Find the same kind of violation with fewer faults, people and acts."""
    smallest = outcome
    kinds = {_kind(violation) for violation in outcome.violations}
    is_smaller = True
    while is_smaller and tries > 0:
        is_smaller = False
        for plan in _smaller(smallest.plan):
            tries -= 1
            if tries <= 0:
                break
            tried = run_plan(plan)
            if kinds & {_kind(violation) for violation in tried.violations}:
                smallest, is_smaller = tried, True
                break
    return smallest


def _smaller(plan: Plan) -> list[Plan]:
    smaller = [replace(plan, people=_without(plan.people, number)) for number in range(len(plan.people))]
    smaller += [replace(plan, faults=_without(plan.faults, number)) for number in range(len(plan.faults))]
    for number, person in enumerate(plan.people):
        for act in reversed(range(len(person.acts))):
            fewer = replace(person, acts=_without(person.acts, act))
            if fewer.acts:
                people = (*plan.people[:number], fewer, *plan.people[number + 1 :])
                smaller.append(replace(plan, people=people))
    return smaller


def _without(items: tuple[Item, ...], number: int) -> tuple[Item, ...]:
    return (*items[:number], *items[number + 1 :])


def _kind(violation: str) -> str:
    """The violation without references, times and receipts."""
    words = [word for word in violation.split() if word.isalpha() and word.islower()]
    return " ".join(words)


def describe_outcome(outcome: Outcome) -> str:
    """The history in plain words."""
    lines = [f"Seed {outcome.plan.seed}, fingerprint {outcome.fingerprint}"]
    lines += [f"  violated: {violation}" for violation in outcome.violations]
    lines += [f"  {person.describe()}" for person in outcome.plan.people]
    lines += [f"  fault: {fault.describe()}" for fault in outcome.plan.faults]
    lines += [f"  {line}" for line in outcome.story]
    return "\n".join(lines)
