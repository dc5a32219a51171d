"""Processes that end with the process that has started them, even if that one is killed and can end nothing.

`python -m agency_site.web.children MODULE …` runs a module as `python -m` does, in such a process.
"""

import os
import runpy
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import IO, Any

from agency_site.settings import ROOT

_LOOK_SECONDS = 0.5


def end_with_parent(parent: int, end: Callable[[], None]) -> None:
    """Call `end` once the process `parent` no longer is the parent of this one."""

    def watch() -> None:
        pause = threading.Event()
        while os.getppid() == parent:
            pause.wait(_LOOK_SECONDS)
        end()

    threading.Thread(target=watch, name="parent", daemon=True).start()


def start_child(
    *arguments: str, environment: Mapping[str, str], output: IO[Any] | None = None
) -> "subprocess.Popen[bytes]":
    """Run a module in a process of its own, whose group ends with this process."""
    return subprocess.Popen(
        [sys.executable, "-m", __name__, str(os.getpid()), *arguments],
        env=environment,
        cwd=ROOT,
        stdin=subprocess.DEVNULL,
        stdout=output,
        stderr=subprocess.STDOUT if output else None,
        process_group=0,
    )


def end_child(process: "subprocess.Popen[bytes]") -> None:
    """End a child with all that it has started: npm, Vite, and what Reflex leaves of an interrupted compilation."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGTERM)


def _end_group() -> None:
    os.killpg(0, signal.SIGTERM)


if __name__ == "__main__":
    end_with_parent(int(sys.argv[1]), _end_group)
    sys.argv = sys.argv[2:]
    runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
