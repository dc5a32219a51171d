"""`python -m agency_site.web.reflex_internals.stages pages` compiles the pages, `… bundle` bundles and prerenders them.

`… develop` compiles them and serves them with Vite.

Each stage has its own process: Reflex keeps the compiled pages in memory, and the bundler needs as much again. Together they
would not fit into a machine with 1 GB.
"""

import gc
import os
import sys

from reflex.reflex import cli
from reflex.utils import build

from agency_site.web.reflex_internals.locked_packages import installing_packages


def main(stage: str, *options: str) -> None:
    """Run one stage of `reflex export`, or the front end of `reflex run` with these options."""
    if stage == "bundle":
        build.build()
        return
    if stage == "develop":
        with installing_packages():
            cli(["run", "--frontend-only", *options], standalone_mode=False)
        return
    # What compilation creates is needed to its end. Looking for garbage would take a quarter of the time.
    gc.disable()
    # `reflex export` would bundle right after compiling.
    build.build = lambda: None
    with installing_packages():
        cli(["export", "--frontend-only", "--no-zip"], standalone_mode=False)
    # To free all components one by one would take half as long as to compile them.
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)


if __name__ == "__main__":
    main(*sys.argv[1:])
