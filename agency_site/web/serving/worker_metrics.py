"""The figures of this process in Prometheus' text format, or the sum of all workers behind its port."""

import atexit
import multiprocessing
import os
import shutil
import tempfile
from pathlib import Path

from prometheus_client import REGISTRY, CollectorRegistry, generate_latest
from prometheus_client.multiprocess import MultiProcessCollector, mark_process_dead

_SHARED_FOLDER = "PROMETHEUS_MULTIPROC_DIR"
"""The library's variable: the folder in which the workers behind one port keep their figures."""


def share_between_workers() -> None:
    """Have all workers of one port answer with the sum of their figures; call it before they start.

    The library looks for the folder when it is imported, so a worker must import it anew instead of being a copy of this process.
    """
    multiprocessing.set_start_method("spawn", force=True)
    os.environ[_SHARED_FOLDER] = tempfile.mkdtemp(prefix="agency-metrics-")
    atexit.register(shutil.rmtree, os.environ[_SHARED_FOLDER], ignore_errors=True)


def is_shared() -> bool:
    """Whether several workers answer behind one port."""
    return _SHARED_FOLDER in os.environ


def dump_process() -> bytes:
    folder = os.environ.get(_SHARED_FOLDER)
    if folder is None:
        return generate_latest(REGISTRY)
    for process_id in {int(path.stem.rpartition("_")[2]) for path in Path(folder).glob("gauge_live*.db")}:
        if not Path(f"/proc/{process_id}").exists():
            # A worker that was killed: the sockets that it had are gone.
            mark_process_dead(process_id, folder)
    registry = CollectorRegistry()
    MultiProcessCollector(registry, folder)
    return generate_latest(registry)
