"""`python -m agency_site.web.dev`: the site with hot reload, for work on it."""

import os
import subprocess
import sys

from agency_site.settings import ROOT, settings
from agency_site.web.build import toolchain
from agency_site.web.serve import migrate


def main() -> int:
    """Migrate, then hand over to Reflex's development server; returns its exit code."""
    migrate()
    # A folder of its own: the production build in .web stays as it is.
    environment = {**toolchain(), "REFLEX_WEB_WORKDIR": ".build/dev", "AGENCY_DEV_SERVER": "true"}
    command = [
        sys.executable,
        "-m",
        "reflex",
        "run",
        "--frontend-port",
        str(settings().port),
        "--backend-port",
        "8000",
    ]
    os.chdir(ROOT)
    try:
        return subprocess.run(command, env=environment, check=False).returncode
    except KeyboardInterrupt:
        return 0


if __name__ == "__main__":
    sys.exit(main())
