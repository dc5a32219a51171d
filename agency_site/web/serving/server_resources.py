"""Metrics of all processes behind this port together: start of the newest, memory and its limit."""

import multiprocessing
import os
import re
from pathlib import Path

from agency_site.metrics import Reading
from agency_site.web.serving.worker_metrics import is_shared

_CGROUPS, _PROCESSES = Path("/sys/fs/cgroup"), Path("/proc")

_START_FIELD = 19
"""Field of `/proc/<id>/stat` after the name: clock ticks from the start of the machine to the start of the process."""


def read_server_resources() -> list[Reading]:
    """Return the memory limit; with several workers also the figures that the library reports only for a single process."""
    limit = Reading("agency_memory_limit_bytes", "Memory that the server may use.", find_memory_limit())
    if not is_shared():
        return [limit]
    processes = _find_processes()
    began = max((_read_start(process) for process in processes), default=0.0)
    resident = sum(_read_resident(process) for process in processes)
    return [
        limit,
        Reading("process_start_time_seconds", "When the newest process of this server began.", began),
        Reading("process_resident_memory_bytes", "Memory of all processes of this server.", resident),
    ]


def find_memory_limit() -> int:
    """Return the memory limit of the container or service, or the memory of the machine."""
    machine = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    own = next(
        (line[3:] for line in _read(_PROCESSES / "self" / "cgroup").splitlines() if line[:3] == "0::"), ""
    )
    folder = _CGROUPS / own.strip("/")
    limits = [_read(level / "memory.max").strip() for level in (folder, *folder.parents) if level >= _CGROUPS]
    return min([machine, *(int(limit) for limit in limits if limit.isdecimal())])


def _find_processes() -> list[Path]:
    """Return this worker's parent and all workers that it has started."""
    parent = multiprocessing.parent_process()
    main = parent.pid if parent and parent.pid else os.getpid()
    children = _read(_PROCESSES / str(main) / "task" / str(main) / "children").split()
    return [_PROCESSES / number for number in (str(main), *children)]


def _read_start(process: Path) -> float:
    """Return the start of the process in seconds since the epoch."""
    # The name of the program may contain spaces and brackets.
    fields = _read(process / "stat").rpartition(")")[2].split()
    booted = re.search(r"^btime (\d+)$", _read(_PROCESSES / "stat"), re.MULTILINE)
    if len(fields) <= _START_FIELD or not booted:
        return 0.0
    return int(booted[1]) + int(fields[_START_FIELD]) / os.sysconf("SC_CLK_TCK")


def _read_resident(process: Path) -> int:
    fields = _read(process / "statm").split()
    return int(fields[1]) * os.sysconf("SC_PAGE_SIZE") if len(fields) > 1 else 0


def _read(file: Path) -> str:
    try:
        return file.read_text()
    except OSError:
        return ""
