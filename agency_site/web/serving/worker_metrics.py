"""The figures of this process in Prometheus' text format, or the sum of all workers behind its port."""

import atexit
import multiprocessing
import os
import shutil
import tempfile
from pathlib import Path

from prometheus_client import PROCESS_COLLECTOR, REGISTRY, CollectorRegistry, generate_latest
from prometheus_client.multiprocess import MultiProcessCollector, mark_process_dead

_SHARED_FOLDER = "PROMETHEUS_MULTIPROC_DIR"
"""Variable of the Prometheus library: the folder in which the workers behind one port store their figures."""

# It knows this process alone: `server_resources` has the figures of the main process and all workers.
REGISTRY.unregister(PROCESS_COLLECTOR)


def share_between_workers() -> None:
    """Make all workers of one port return the sum of their figures; call it before they start.

    The library reads the variable when it is imported, so workers must import it again instead of being forked.
    """
    multiprocessing.set_start_method("spawn", force=True)
    os.environ[_SHARED_FOLDER] = tempfile.mkdtemp(prefix="agency-metrics-")
    atexit.register(shutil.rmtree, os.environ[_SHARED_FOLDER], ignore_errors=True)


def dump_process() -> bytes:
    folder = os.environ.get(_SHARED_FOLDER)
    if folder is None:
        return generate_latest(REGISTRY)
    for process_id in {int(path.stem.rpartition("_")[2]) for path in Path(folder).glob("gauge_live*.db")}:
        if not Path(f"/proc/{process_id}").exists():
            # A killed worker no longer has open sockets.
            mark_process_dead(process_id, folder)
    registry = CollectorRegistry()
    MultiProcessCollector(registry, folder)
    return generate_latest(registry)
