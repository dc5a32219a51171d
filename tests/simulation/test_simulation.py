"""The simulation itself: one seed replays one history, and histories hold."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.servers import sqlite_template
from tests.simulation import scheduler
from tests.simulation.campaign import run_batches
from tests.simulation.faults import FAMILIES
from tests.simulation.history import describe_outcome, plan_history, run_plan
from tests.simulation.world import World, in_place, journal_folder, prepared

HOLDING = tuple(FAMILIES)
"""Faults under which histories hold today: docs/simulation.md would list the others."""
_FINGERPRINT = (
    "from tests.servers import sqlite_template\n"
    "from tests.simulation.history import plan_history, run_plan\n"
    "from tests.simulation.world import prepared\n"
    "with prepared(sqlite_template()):\n"
    "    print(run_plan(plan_history(5)).fingerprint)\n"
)


@pytest.fixture(scope="module", autouse=True)
def place() -> Iterator[None]:
    """The settings and replacements of all histories."""
    with prepared(sqlite_template()):
        yield


def test_one_seed_replays_one_history_exactly() -> None:
    first, second = run_plan(plan_history(5)), run_plan(plan_history(5))
    assert first.story == second.story
    assert first.fingerprint == second.fingerprint
    assert run_plan(plan_history(6)).fingerprint != first.fingerprint


def test_another_interpreter_replays_the_same_history() -> None:
    environment = {**os.environ, "PYTHONHASHSEED": "77"}
    root = Path(__file__).parents[2]
    printed = subprocess.run(
        [sys.executable, "-c", _FINGERPRINT],
        cwd=root,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    assert printed.stdout.strip() == run_plan(plan_history(5)).fingerprint


def test_a_history_that_never_comes_to_rest_is_a_violation_with_its_story(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(scheduler, "STEP_LIMIT", 300)
    outcome = run_plan(plan_history(5))
    assert "never comes to rest" in outcome.violations[0]
    assert outcome.story


def test_jobs_rest_once_the_last_entry_of_the_journal_is_removed() -> None:
    world = World(5, ())
    entry = Path(journal_folder()) / "entry.json"
    with in_place(world):
        entry.parent.mkdir()
        entry.touch()
        world.note_journal()
        assert world.is_due("poll_payments", world.people)
        entry.unlink()
        world.note_journal()
        assert not world.is_due("poll_payments", world.people)


def test_batches_in_several_processes_report_in_the_order_of_the_seeds() -> None:
    outcomes = list(run_batches(range(4), [], 2, batch=2))
    assert outcomes == [(range(2), []), (range(2, 4), [])]


def test_every_family_of_faults_strikes() -> None:
    for family in FAMILIES:
        assert any(
            fault.family == family
            for seed in range(60)
            for fault in run_plan(plan_history(seed, [family])).happened
        ), family


@pytest.mark.parametrize(
    "seed", [*range(40), *(pytest.param(seed, marks=pytest.mark.thorough) for seed in range(40, 400))]
)
def test_history_holds(seed: int) -> None:
    outcome = run_plan(plan_history(seed, HOLDING))
    assert not outcome.violations, describe_outcome(outcome)
