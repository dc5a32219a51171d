"""Metrics of all processes behind this port together: start of the newest, memory and its limit, files, processor time."""

import multiprocessing
import os
import re
from pathlib import Path

from agency_site.metrics import Reading

_CGROUPS, _PROCESSES = Path("/sys/fs/cgroup"), Path("/proc")

_TIME_FIELDS, _START_FIELD = slice(11, 15), 19
"""Fields of `/proc/<id>/stat` after the name, in clock ticks: processor time of the process and of those of its children that
have ended; time from the start of the machine to the start of the process."""


def read_server_resources() -> list[Reading]:
    """Return the figures that the library has for single processes only, of the main process and its workers."""
    processes = _find_processes()
    stats = [fields for process in processes if (fields := _read_stat(process))]
    ticks = os.sysconf("SC_CLK_TCK")
    return [
        Reading("agency_memory_limit_bytes", "Memory that the server may use.", find_memory_limit()),
        Reading(
            "process_start_time_seconds",
            "When the newest process of this server began.",
            _read_boot_time() + max((fields[_START_FIELD] for fields in stats), default=0) / ticks,
        ),
        Reading(
            "process_resident_memory_bytes",
            "Memory of all processes of this server.",
            sum(map(_read_resident, processes)),
        ),
        Reading("process_open_fds", "Open files of all processes.", sum(map(_count_open_files, processes))),
        Reading(
            "process_cpu_seconds_total",
            "Processor time of all processes of this server, replaced workers included.",
            sum(sum(fields[_TIME_FIELDS]) for fields in stats) / ticks,
        ),
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


def _read_stat(process: Path) -> list[int]:
    """Return the fields of `stat` after the name, with 0 for the state; an empty list if the process has ended."""
    # The name of the program may contain spaces and brackets.
    fields = _read(process / "stat").rpartition(")")[2].split()
    return [0, *map(int, fields[1:])] if fields else []


def _read_boot_time() -> int:
    """Return the start of the machine in seconds since the epoch."""
    booted = re.search(r"^btime (\d+)$", _read(_PROCESSES / "stat"), re.MULTILINE)
    return int(booted[1]) if booted else 0


def _read_resident(process: Path) -> int:
    fields = _read(process / "statm").split()
    return int(fields[1]) * os.sysconf("SC_PAGE_SIZE") if len(fields) > 1 else 0


def _count_open_files(process: Path) -> int:
    try:
        return len(os.listdir(process / "fd"))
    except OSError:
        return 0


def _read(file: Path) -> str:
    try:
        return file.read_text()
    except OSError:
        return ""
