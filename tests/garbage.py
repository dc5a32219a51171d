"""Objects that work leaves for a full garbage collection, which servers run rarely."""

import gc
from collections.abc import Callable


def left_behind(work: Callable[[], object]) -> list[object]:
    """Objects that `work` leaves when it is done again; the first time fills caches."""
    work()
    gc.collect()
    gc.disable()
    try:
        work()
        gc.set_debug(gc.DEBUG_SAVEALL)
        gc.collect()
        return gc.garbage.copy()
    finally:
        gc.set_debug(0)
        gc.garbage.clear()
        gc.enable()
