"""Memory and file descriptors of processes, read from /proc."""

import os
import statistics
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import psutil

_MIB = 2**20


@dataclass(frozen=True)
class Sample:
    """A process with everything that it started, at one moment."""

    second: float
    """Since the traffic began."""
    pss: float
    """MiB; memory that several processes share counts for each in part."""
    rss: float
    """MiB."""
    descriptors: int
    sockets: int
    processes: int

    def __str__(self) -> str:
        return (
            f"PSS {self.pss:.1f} MiB, RSS {self.rss:.1f} MiB, {self.descriptors} descriptors, "
            f"{self.sockets} of them sockets, {self.processes} processes"
        )


def take_sample(process: int, second: float) -> Sample:
    """Return the totals of a process and its children. A process that ends meanwhile is skipped."""
    family = list(_family(process))
    held = [item for member in family for item in _links(member)]
    return Sample(
        second,
        sum(_rollup(member, "Pss:") for member in family) / _MIB,
        sum(_rollup(member, "Rss:") for member in family) / _MIB,
        len(held),
        sum(item.startswith("socket:") for item in held),
        len(family),
    )


def kinds_of_descriptors(process: int, names: Mapping[int, str]) -> Counter[str]:
    """Descriptors of a process and its children: connections by their other end, which `names` calls by its port, files by their
    kind."""
    counts: Counter[str] = Counter()
    for member in _family(process):
        links = _links(member)
        connections = psutil.Process(member).net_connections("inet")
        counts.update(
            names.get(connection.raddr.port, "clients") for connection in connections if connection.raddr
        )
        listening = sum(not connection.raddr for connection in connections)
        counts["other sockets"] += (
            sum(link.startswith("socket:") for link in links) - len(connections) + listening
        )
        counts["files and pipes"] += sum(not link.startswith("socket:") for link in links)
    return counts


def _family(process: int) -> list[int]:
    try:
        children = Path(f"/proc/{process}/task/{process}/children").read_text().split()
    except OSError:
        return []
    return [process, *(item for child in children for item in _family(int(child)))]


def _rollup(process: int, name: str) -> int:
    try:
        lines = Path(f"/proc/{process}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0
    return sum(int(line.split()[1]) * 1024 for line in lines if line.startswith(name))


def _links(process: int) -> list[str]:
    results: list[str] = []
    with suppress(OSError):
        results.extend(os.readlink(item.path) for item in os.scandir(f"/proc/{process}/fd"))
    return results


@dataclass(frozen=True)
class Growth:
    """A figure after warm-up, and at the end."""

    begins: float
    ends: float

    @property
    def share(self) -> float:
        """0.05: 5 % more at the end."""
        return self.ends / self.begins - 1 if self.begins else 0.0

    def __str__(self) -> str:
        return f"{self.begins:.1f} -> {self.ends:.1f} ({self.share:+.1%})"


WARM_UP, WINDOW = 0.2, 0.2
"""Shares of the run: what is not counted, and the two windows whose medians are compared."""


def growth(samples: Sequence[Sample], figure: str, seconds: float) -> Growth:
    """Return the growth of a figure of `Sample` from the window after warm-up to the last one."""
    early = _within(samples, seconds * WARM_UP, seconds * (WARM_UP + WINDOW))
    late = _within(samples, seconds * (1 - WINDOW), seconds)
    return Growth(*(statistics.median(getattr(item, figure) for item in some) for some in (early, late)))


def _within(samples: Sequence[Sample], begins: float, ends: float) -> list[Sample]:
    return [sample for sample in samples if begins <= sample.second < ends]
