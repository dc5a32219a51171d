"""Full collections keep their share of the time, and still happen."""

import asyncio
import gc
import weakref

import pytest

from agency_site.web.serving import garbage
from agency_site.web.serving.garbage import SHARE, collect_rarely, pause_after


class Node:
    """Something that can be part of a cycle."""

    other: "Node"


def tie() -> tuple[Node, "weakref.ref[Node]"]:
    item, other = Node(), Node()
    item.other, other.other = other, item
    return item, weakref.ref(item)


@pytest.mark.parametrize("took", [0.0, 0.001, 0.05, 0.75, 4.0])
def test_a_long_collection_is_followed_by_a_long_pause(took: float) -> None:
    pause = pause_after(took)
    assert pause >= 1.0
    assert took <= SHARE * pause


async def test_growth_starts_no_full_collection() -> None:
    before, full = gc.get_threshold(), []

    def note(phase: str, about: dict[str, int]) -> None:
        if phase == "start" and about["generation"] == 2:
            full.append(about)

    async with collect_rarely():
        gc.callbacks.append(note)
        try:
            # Enough for several full collections as CPython starts them by itself.
            grown = [[object()] for _ in range(700 * 10 * 10 * 4)]
        finally:
            gc.callbacks.remove(note)
        assert len(grown) > 0
        assert not full
        assert gc.get_freeze_count() > 0
    assert gc.get_threshold() == before
    assert gc.get_freeze_count() == 0


async def test_old_cycles_are_freed_in_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(garbage, "_LEAST_PAUSE", 0.01)
    freed = asyncio.Event()
    async with collect_rarely():
        node, seen = tie()
        weakref.finalize(node, freed.set)
        # The young collections have left it to the full ones.
        gc.collect(0)
        gc.collect(1)
        del node
        await asyncio.wait_for(freed.wait(), 30)
    assert seen() is None
