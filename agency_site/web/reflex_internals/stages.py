"""`python -m agency_site.web.reflex_internals.stages pages` compiles the pages, `… bundle` bundles and prerenders them.

Each stage has its own process: Reflex keeps the compiled pages in memory, and the bundler needs as much again. Together they
would not fit into a machine with 1 GB.
"""

import sys

from reflex.reflex import cli
from reflex.utils import build


def main(stage: str) -> None:
    """Run one stage of `reflex export`."""
    if stage == "bundle":
        build.build()
        return
    # `reflex export` would bundle right after compiling.
    build.build = lambda: None
    cli(["export", "--frontend-only", "--no-zip"])


if __name__ == "__main__":
    main(sys.argv[1])
